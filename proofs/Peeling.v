(** A list, one winner after the other: each draw is made among the candidates that remain.

    Python: [dpselect.release.session.Session.draw]. *)
Require Import Reals QArith Qreals Lra Lia List.
Require Import Ticks Flips PermuteAndFlip Selection.
Import ListNotations.
Open Scope R_scope.

(** Pr[list]: every winner has its chance among those that remain. *)
Fixpoint peeled (chance : list nat -> nat -> R) (some winners : list nat) : R :=
  match winners with
  | [] => 1
  | r :: rest =>
    if in_dec Nat.eq_dec r some then chance some r * peeled chance (remove Nat.eq_dec r some) rest else 0
  end.

Lemma incl_remove : forall r some, incl (remove Nat.eq_dec r some) some.
Proof. intros r some s H. apply in_remove in H. tauto. Qed.

(** Each draw is private given the names before: so is the list, at the sum. *)
Lemma peeled_private : forall a chance chance' all, 0 <= a ->
  (forall some r, incl some all -> In r some -> 0 <= chance some r) ->
  (forall some r, incl some all -> In r some -> 0 <= chance' some r) ->
  (forall some r, incl some all -> In r some -> chance' some r <= a * chance some r) ->
  forall winners some, incl some all ->
  0 <= peeled chance some winners /\ 0 <= peeled chance' some winners /\
  peeled chance' some winners <= a ^ length winners * peeled chance some winners.
Proof.
  intros a chance chance' all Ha N N' H. induction winners as [|r rest IH]; intros some Hs; simpl; [lra|].
  destruct (in_dec Nat.eq_dec r some) as [Hr|_]; [|lra].
  destruct (IH (remove Nat.eq_dec r some)) as [A [B C]].
  { intros s Hin. apply Hs. apply in_remove in Hin. tauto. }
  specialize (N some r Hs Hr). specialize (N' some r Hs Hr). specialize (H some r Hs Hr).
  repeat split; try (apply Rmult_le_pos; assumption).
  replace (a * a ^ length rest * (chance some r * peeled chance (remove Nat.eq_dec r some) rest))
    with (a * chance some r * (a ^ length rest * peeled chance (remove Nat.eq_dec r some) rest)) by ring.
  apply Rmult_le_compat; assumption.
Qed.

Lemma coins_not_negative : forall rate t top r, 0 <= coin rate t top r.
Proof. intros. apply Rlt_le, exp_pos. Qed.

Lemma softmax_not_negative : forall rate t some r, In r some -> 0 <= softmax rate t some r.
Proof.
  intros rate t some r Hr. unfold softmax. apply Rmult_le_pos; [apply coins_not_negative|].
  apply Rlt_le, Rinv_0_lt_compat.
  assert (N : forall top l, 0 <= sum (map (coin rate t top) l)).
  { induction l as [|s l IH]; simpl; [lra|]. pose proof (coins_not_negative rate t top s). lra. }
  assert (P : forall top l, In r l -> 0 < sum (map (coin rate t top) l)).
  { induction l as [|s l IH]; simpl; intros H; [destruct H|].
    pose proof (N top l). assert (0 < coin rate t top s) by apply exp_pos. lra. }
  apply P. assumption.
Qed.

Lemma permute_and_flip_not_negative : forall rate t some r, 0 < rate -> In r some ->
  0 <= permute_and_flip rate t some r.
Proof.
  intros rate t some r Hrate Hr. unfold permute_and_flip, flip_all.
  apply Rmult_le_pos; [apply coins_not_negative|].
  assert (E : forall l, (forall p, In p l -> 0 <= p <= 1) -> forall f, (forall h, 0 <= f h) -> 0 <= expect l f).
  { induction l as [|p l IH]; intros Hl f Hf; simpl; [apply Hf|].
    assert (Hp := Hl p (or_introl eq_refl)). assert (Hl' := fun q Hq => Hl q (or_intror Hq)).
    pose proof (IH Hl' (fun h => f (S h)) (fun h => Hf (S h))). pose proof (IH Hl' f Hf).
    assert (0 <= p * expect l (fun h => f (S h))) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - p) * expect l f) by (apply Rmult_le_pos; lra). lra. }
  apply E.
  - intros p Hp. apply in_map_iff in Hp. destruct Hp as [s [<- Hs]]. split; [apply coins_not_negative|].
    apply in_remove in Hs. destruct Hs as [Hs _]. unfold coin. rewrite <- exp_0. apply exp_le.
    pose proof (best_bounds t some s Hs) as B. apply IZR_le in B. rewrite minus_IZR.
    assert (0 <= rate * (IZR (best t some) - IZR (t s))) by (apply Rmult_le_pos; lra). lra.
  - intros h. pose proof (pos_INR h). apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

Lemma exp_pow : forall x k, exp x ^ k = exp (INR k * x).
Proof.
  intros x. induction k as [|k IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
  rewrite <- tech_pow_Rmult, IH, <- exp_plus, S_INR. f_equal. ring.
Qed.

Section Lists.
  Variables (span : Q) (epsilon : R) (all : list nat) (t t' : nat -> Z) (k : nat).
  Hypothesis span_positive : (0 < span)%Q.
  Hypothesis epsilon_positive : 0 < epsilon.
  Hypothesis moved : moves_within span (fun r => In r all) t t'.
  Hypothesis k_positive : (0 < k)%nat.

  Lemma share_positive : 0 < epsilon / INR k.
  Proof. apply Rdiv_lt_0_compat; [assumption|]. apply lt_0_INR. assumption. Qed.

  Lemma whole : exp (epsilon / INR k) ^ k = exp epsilon.
  Proof. rewrite exp_pow. f_equal. field. apply not_0_INR. lia. Qed.

  Lemma subset_moves : forall some, incl some all -> moves_within span (fun r => In r some) t t'.
  Proof. intros some H. destruct moved as [low M]. exists low. intros r Hr. apply M, H, Hr. Qed.

  (** THEOREM (peeling). k winners, one after the other, each drawn at epsilon / k from the ticks that were computed
      once: the ordered list is epsilon-private. *)
  Theorem peeling_private : forall winners, length winners = k ->
    peeled (permute_and_flip (epsilon / INR k / Q2R span) t') all winners <=
    exp epsilon * peeled (permute_and_flip (epsilon / INR k / Q2R span) t) all winners.
  Proof.
    intros winners Hk. pose proof share_positive as S. rewrite <- whole.
    replace (exp (epsilon / INR k) ^ k) with (exp (epsilon / INR k) ^ length winners) by (rewrite Hk; reflexivity).
    apply (peeled_private (exp (epsilon / INR k)) (permute_and_flip (epsilon / INR k / Q2R span) t)
      (permute_and_flip (epsilon / INR k / Q2R span) t') all); try (apply Rlt_le, exp_pos); try apply incl_refl;
      intros some r Hs Hr.
    - apply permute_and_flip_not_negative; [apply rate_positive|]; assumption.
    - apply permute_and_flip_not_negative; [apply rate_positive|]; assumption.
    - apply permute_and_flip_of_span; try assumption. apply subset_moves. assumption.
  Qed.

  (** THEOREM. The same with the exponential mechanism. *)
  Theorem peeling_softmax_private : forall winners, length winners = k ->
    peeled (softmax (epsilon / INR k / Q2R span) t') all winners <=
    exp epsilon * peeled (softmax (epsilon / INR k / Q2R span) t) all winners.
  Proof.
    intros winners Hk. pose proof share_positive as S. rewrite <- whole.
    replace (exp (epsilon / INR k) ^ k) with (exp (epsilon / INR k) ^ length winners) by (rewrite Hk; reflexivity).
    apply (peeled_private (exp (epsilon / INR k)) (softmax (epsilon / INR k / Q2R span) t)
      (softmax (epsilon / INR k / Q2R span) t') all); try (apply Rlt_le, exp_pos); try apply incl_refl;
      intros some r Hs Hr.
    - apply softmax_not_negative; assumption.
    - apply softmax_not_negative; assumption.
    - apply softmax_of_span; try assumption. apply subset_moves. assumption.
  Qed.
End Lists.
