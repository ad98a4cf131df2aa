(** From ticks to probabilities: both samplers are private for every span, among any of the candidates.

    The coin of candidate r is exp(-rate (best - t r)), with rate = epsilon / span.
    Python: [dpselect.kernel.units.UnitScores.rate], [dpselect.kernel.samplers]. *)
Require Import Reals QArith Qreals Lra Lia List ZArith.
Require Import Ticks Flips PermuteAndFlip.
Import ListNotations.
Open Scope R_scope.

(** ** The laws *)
Definition best (t : nat -> Z) (some : list nat) : Z :=
  match some with
  | [] => 0%Z
  | r :: rest => fold_right (fun s top => Z.max (t s) top) (t r) rest
  end.

Definition coin (rate : R) (t : nat -> Z) (top : Z) (r : nat) : R := exp (- (rate * IZR (top - t r))).

(** Pr[r]: the coins of all candidates are flipped, and one of the heads is returned. *)
Definition permute_and_flip (rate : R) (t : nat -> Z) (some : list nat) (r : nat) : R :=
  flip_all (coin rate t (best t some) r) (map (coin rate t (best t some)) (remove Nat.eq_dec r some)).

(** Pr[r]: proportional to the coin of r. *)
Definition softmax (rate : R) (t : nat -> Z) (some : list nat) (r : nat) : R :=
  coin rate t (best t some) r / sum (map (coin rate t (best t some)) some).

Lemma best_bounds : forall t some r, In r some -> (t r <= best t some)%Z.
Proof.
  intros t [|q some] r H; [destruct H|]. simpl.
  assert (G : forall l, (t q <= fold_right (fun s top => Z.max (t s) top) (t q) l)%Z)
    by (induction l as [|s l IH]; simpl; lia).
  destruct H as [<-|H]; [apply G|]. clear G. induction some as [|s some IH]; [destruct H|].
  simpl. destruct H as [<-|H]; [lia|]. specialize (IH H). lia.
Qed.

Lemma best_attained : forall t some r, In r some -> exists s, In s some /\ best t some = t s.
Proof.
  intros t [|q some] r H; [destruct H|]. clear r H. simpl.
  induction some as [|s some [x [Hx E]]]; simpl; [exists q; auto|].
  destruct (Z.max_spec (t s) (fold_right (fun s top => Z.max (t s) top) (t q) some)) as [[_ ->]|[_ ->]].
  - exists x. destruct Hx; auto.
  - exists s. auto.
Qed.

(** ** Weights
    On a neighbour they are measured from the middle of the interval of all moves. *)
Definition weight (rate c : R) (ticks : Z) : R := exp (rate * (IZR ticks - c)).

(** From the series, which needs no excluded middle. *)
Lemma exp_at_least_one : forall x, 0 <= x -> 1 <= exp x.
Proof.
  intros x H. unfold exp. destruct (exist_exp x) as [l Hl]. simpl.
  pose proof (sum_incr (fun i => / INR (fact i) * x ^ i) 0 l Hl) as I. simpl in I.
  replace 1 with (/ 1 * 1) by field. apply I. intros n.
  apply Rmult_le_pos; [|apply pow_le; assumption]. apply Rlt_le, Rinv_0_lt_compat. apply INR_fact_lt_0.
Qed.

Lemma exp_le : forall x y, x <= y -> exp x <= exp y.
Proof.
  intros x y H. replace y with (x + (y - x)) by ring. rewrite exp_plus.
  rewrite <- (Rmult_1_r (exp x)) at 1. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
  apply exp_at_least_one. lra.
Qed.

Lemma coin_weight : forall rate c t top r, coin rate t top r = weight rate c (t r) / weight rate c top.
Proof.
  intros. unfold coin, weight, Rdiv. rewrite <- exp_Ropp, <- exp_plus, minus_IZR. f_equal. ring.
Qed.

Lemma weight_mono : forall rate c x y, 0 < rate -> (x <= y)%Z -> weight rate c x <= weight rate c y.
Proof.
  intros rate c x y Hr H. apply IZR_le in H. apply exp_le. apply Rmult_le_compat_l; lra.
Qed.

Lemma IZR_inject : forall z, Q2R (inject_Z z) = IZR z.
Proof. intros z. unfold Q2R, inject_Z. simpl. field. Qed.

Lemma moves_in_reals : forall span some t t', moves_within span some t t' ->
  exists low, forall r, some r -> low <= IZR (t' r) - IZR (t r) <= low + Q2R span.
Proof.
  intros span some t t' [low H]. exists (Q2R low). intros r Hr. destruct (H r Hr) as [A B].
  apply Qle_Rle in A. apply Qle_Rle in B. rewrite Q2R_plus in B. rewrite IZR_inject, minus_IZR in A, B. lra.
Qed.

Section Span.
  Variables (span : Q) (epsilon : R) (some : list nat) (t t' : nat -> Z).
  Hypothesis span_positive : (0 < span)%Q.
  Hypothesis epsilon_positive : 0 < epsilon.
  Hypothesis moved : moves_within span (fun r => In r some) t t'.

  Let rate := epsilon / Q2R span.

  Lemma span_real : 0 < Q2R span.
  Proof. apply Qlt_Rlt in span_positive. rewrite RMicromega.Q2R_0 in span_positive. assumption. Qed.

  Lemma rate_positive : 0 < rate.
  Proof. apply Rmult_lt_0_compat; [assumption|]. apply Rinv_0_lt_compat, span_real. Qed.

  Lemma rate_span : rate * Q2R span = epsilon.
  Proof. pose proof span_real. unfold rate. field. lra. Qed.

  (** Measured from c, no weight moves by more than e^(epsilon/2). *)
  Lemma centred : exists c, forall r, In r some ->
    weight rate 0 (t r) <= exp (epsilon / 2) * weight rate c (t' r) /\
    weight rate c (t' r) <= exp (epsilon / 2) * weight rate 0 (t r).
  Proof.
    destruct (moves_in_reals _ _ _ _ moved) as [low H]. exists (low + Q2R span / 2). intros r Hr.
    specialize (H r Hr). pose proof rate_positive. pose proof rate_span. unfold weight. rewrite <- !exp_plus.
    assert (rate * (IZR (t r) + low) <= rate * IZR (t' r)) by (apply Rmult_le_compat_l; lra).
    assert (rate * IZR (t' r) <= rate * (IZR (t r) + low + Q2R span)) by (apply Rmult_le_compat_l; lra).
    split; apply exp_le; lra.
  Qed.

  Lemma flip_all_weights : forall c u r, permute_and_flip rate u some r =
    law (weight rate c (best u some)) (weight rate c (u r))
        (map (fun s => weight rate c (u s)) (remove Nat.eq_dec r some)).
  Proof.
    intros c u r. rewrite <- flip_all_law by apply exp_pos. unfold permute_and_flip. f_equal; [apply coin_weight|].
    rewrite map_map. apply map_ext. intros s. apply coin_weight.
  Qed.

  (** THEOREM. Permute-and-flip from ticks that move within one interval of length span is epsilon-private. *)
  Theorem permute_and_flip_of_span : forall r, In r some ->
    permute_and_flip rate t' some r <= exp epsilon * permute_and_flip rate t some r.
  Proof.
    intros r Hr. destruct centred as [c H].
    rewrite (flip_all_weights c t'), (flip_all_weights 0 t).
    replace (exp epsilon) with (exp (epsilon / 2) * exp (epsilon / 2)) by (rewrite <- exp_plus; f_equal; field).
    assert (P : forall k z, 0 < weight rate k z) by (intros; apply exp_pos).
    assert (others : forall s, In s (remove Nat.eq_dec r some) -> In s some)
      by (intros s Hs; apply in_remove in Hs; tauto).
    pose proof rate_positive.
    apply permute_and_flip_private; try apply P.
    - apply exp_at_least_one. lra.
    - apply H. assumption.
    - assert (G : forall l, (forall s, In s l -> In s some) ->
        Forall2 (fun w w' => w <= exp (epsilon / 2) * w') (map (fun s => weight rate 0 (t s)) l)
                (map (fun s => weight rate c (t' s)) l)).
      { induction l as [|s l IH]; intros Hl; simpl; constructor.
        - apply H, Hl. left. reflexivity.
        - apply IH. intros q Hq. apply Hl. right. assumption. }
      apply G, others.
    - destruct (best_attained t some r Hr) as [s [Hs E]]. rewrite E.
      apply Rle_trans with (exp (epsilon / 2) * weight rate c (t' s)); [apply H; assumption|].
      apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]. apply weight_mono; [assumption|].
      apply best_bounds. assumption.
    - intros w Hw. apply in_map_iff in Hw. destruct Hw as [s [<- Hs]]. split; [apply Rlt_le, P|].
      apply weight_mono; [assumption|]. apply best_bounds. auto.
    - intros w Hw. apply in_map_iff in Hw. destruct Hw as [s [<- Hs]]. split; [apply Rlt_le, P|].
      apply weight_mono; [assumption|]. apply best_bounds. auto.
    - apply Rlt_le, P.
  Qed.

  Lemma softmax_weights : forall c u r, softmax rate u some r =
    weight rate c (u r) / sum (map (fun s => weight rate c (u s)) some).
  Proof.
    intros c u r. unfold softmax. rewrite coin_weight with (c := c).
    assert (P : 0 < weight rate c (best u some)) by apply exp_pos. revert P.
    set (top := weight rate c (best u some)). intros P.
    assert (N : forall l, sum (map (coin rate u (best u some)) l) =
      / top * sum (map (fun s => weight rate c (u s)) l)).
    { induction l as [|s l IH]; simpl; [ring|]. rewrite IH, coin_weight with (c := c). fold top. unfold Rdiv. ring. }
    rewrite N. unfold Rdiv. rewrite Rinv_mult, Rinv_inv.
    set (W := sum (map (fun s => weight rate c (u s)) some)).
    replace (weight rate c (u r) * / top * (top * / W)) with (weight rate c (u r) * / W * (/ top * top)) by ring.
    rewrite Rinv_l by lra. ring.
  Qed.

  Lemma weights_add_up : forall c (u : nat -> Z) l r, In r l -> 0 < sum (map (fun s => weight rate c (u s)) l).
  Proof.
    assert (P : forall c z, 0 < weight rate c z) by (intros; apply exp_pos).
    assert (N : forall c (u : nat -> Z) l, 0 <= sum (map (fun s => weight rate c (u s)) l))
      by (induction l as [|s l IH]; simpl; [lra|]; pose proof (P c (u s)); lra).
    intros c u [|s l] r H; [destruct H|]. simpl. pose proof (P c (u s)). pose proof (N c u l). lra.
  Qed.

  (** THEOREM. So is the exponential mechanism. *)
  Theorem softmax_of_span : forall r, In r some ->
    softmax rate t' some r <= exp epsilon * softmax rate t some r.
  Proof.
    intros r Hr. destruct centred as [c H].
    rewrite (softmax_weights c t'), (softmax_weights 0 t).
    set (W := sum (map (fun s => weight rate 0 (t s)) some)).
    set (W' := sum (map (fun s => weight rate c (t' s)) some)).
    set (a := exp (epsilon / 2)) in *. assert (A : 0 < a) by apply exp_pos.
    assert (P : 0 < W) by (apply (weights_add_up 0 t some r); assumption).
    assert (P' : 0 < W') by (apply (weights_add_up c t' some r); assumption).
    assert (S : forall l, (forall s, In s l -> In s some) ->
      sum (map (fun s => weight rate 0 (t s)) l) <= a * sum (map (fun s => weight rate c (t' s)) l)).
    { induction l as [|s l IH]; intros Hl; simpl; [lra|].
      destruct (H s (Hl s (or_introl eq_refl))) as [B _].
      assert (G := IH (fun q Hq => Hl q (or_intror Hq))). lra. }
    specialize (S some (fun s Hs => Hs)). fold W W' in S.
    replace (exp epsilon) with (a * a) by (unfold a; rewrite <- exp_plus; f_equal; field).
    destruct (H r Hr) as [_ B]. set (w := weight rate 0 (t r)) in *. set (w' := weight rate c (t' r)) in *.
    assert (0 < w) by apply exp_pos. assert (0 < w') by apply exp_pos.
    apply Rmult_le_reg_r with (W' * W); [apply Rmult_lt_0_compat; assumption|].
    replace (w' / W' * (W' * W)) with (w' * W) by (field; lra).
    replace (a * a * (w / W) * (W' * W)) with (a * w * (a * W')) by (field; lra).
    apply Rmult_le_compat; lra.
  Qed.
End Span.
