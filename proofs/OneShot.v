(** One pass for the ordered list of the k best: exponential noise is added once, and the k largest are named.

    With noise - ln U, U uniform on (0, 1], score + noise is - ln (U / w) for the weight w = e^score: the winner has the
    smallest key U / w, which is uniform on (0, 1/w]. *)
Require Import Reals QArith Qreals Lra Lia List.
From Coquelicot Require Import Coquelicot.
Require Import Ticks Flips PermuteAndFlip Selection Peeling.
Import ListNotations.
Open Scope R_scope.

(** Coquelicot's integrals live in a space whose numbers are real. *)
Ltac in_reals := match goal with |- @eq _ ?a ?b => change (@eq R a b) end.

(** Pr[all keys of the losers exceed x]. *)
Fixpoint beyond (l : list R) (x : R) : R :=
  match l with
  | [] => 1
  | w :: l => Rmax 0 (1 - w * x) * beyond l x
  end.

(** Pr[keys of the earlier winners rise up to x]; the latest comes first in the list. *)
Fixpoint before (winners : list R) (x : R) : R :=
  match winners with
  | [] => 1
  | w :: earlier => RInt (fun y => w * before earlier y) 0 (Rmin x (/ w))
  end.

(** Pr[ordered list]: the key of the last winner lies beyond those of the earlier ones and below those of the losers. *)
Definition one_shot (winners losers : list R) : R :=
  match winners with
  | [] => 1
  | last :: earlier => RInt (fun y => last * before earlier y * beyond losers y) 0 (/ last)
  end.

(** ** Everything is continuous, so every integral exists *)
Lemma continuous_Rmin : forall k (x : R), continuous (fun x => Rmin x k) x.
Proof.
  intros k x. apply (continuous_ext (fun x => / 2 * (x + k - Rabs (x - k)))).
  - intros y. unfold Rmin, Rabs. destruct (Rle_dec y k); destruct (Rcase_abs (y - k)); lra.
  - apply (continuous_mult (fun _ => / 2) (fun x => x + k - Rabs (x - k))); [apply continuous_const|].
    apply (continuous_minus (fun x => x + k) (fun x => Rabs (x - k))).
    + apply (continuous_plus (fun x => x) (fun _ => k)); [apply continuous_id | apply continuous_const].
    + apply (continuous_Rabs_comp (fun x => x - k)).
      apply (continuous_minus (fun x => x) (fun _ => k)); [apply continuous_id | apply continuous_const].
Qed.

Lemma continuous_beyond : forall l (x : R), continuous (beyond l) x.
Proof.
  induction l as [|w l IH]; intros x; simpl; [apply continuous_const|].
  apply (continuous_mult (fun x => Rmax 0 (1 - w * x)) (beyond l)); [|apply IH].
  apply (continuous_ext (fun x => 1 - w * x - Rmin (1 - w * x) 0)).
  - intros y. unfold Rmin, Rmax. destruct (Rle_dec (1 - w * y) 0); destruct (Rle_dec 0 (1 - w * y)); lra.
  - assert (L : continuous (fun x => 1 - w * x) x).
    { apply (continuous_minus (fun _ => 1) (fun x => w * x)); [apply continuous_const|].
      apply (continuous_mult (fun _ => w) (fun x => x)); [apply continuous_const | apply continuous_id]. }
    apply (continuous_minus (fun x => 1 - w * x) (fun x => Rmin (1 - w * x) 0)); [assumption|].
    apply (continuous_comp (fun x => 1 - w * x) (fun y => Rmin y 0)); [assumption | apply continuous_Rmin].
Qed.

Lemma integrable : forall f : R -> R, (forall x, continuous f x) -> forall a b, ex_RInt f a b.
Proof. intros f H a b. apply (ex_RInt_continuous f). intros. apply H. Qed.

Lemma continuous_before : forall winners (x : R), continuous (before winners) x.
Proof.
  induction winners as [|w earlier IH]; intros x; simpl; [apply continuous_const|].
  assert (C : forall y, continuous (fun y => w * before earlier y) y).
  { intros y. apply (continuous_mult (fun _ => w) (before earlier)); [apply continuous_const | apply IH]. }
  apply (continuous_comp (fun x => Rmin x (/ w)) (fun z => RInt (fun y => w * before earlier y) 0 z));
    [apply continuous_Rmin|].
  apply (continuous_RInt_1 (fun y => w * before earlier y) 0).
  apply filter_forall. intros z. apply (RInt_correct (fun y => w * before earlier y)). apply integrable. assumption.
Qed.

Lemma continuous_last : forall last earlier l (x : R), continuous (fun y => last * before earlier y * beyond l y) x.
Proof.
  intros last earlier l x.
  apply (continuous_mult (fun y => last * before earlier y) (beyond l)); [|apply continuous_beyond].
  apply (continuous_mult (fun _ => last) (before earlier)); [apply continuous_const | apply continuous_before].
Qed.

(** ** Privacy *)
Lemma RInt_longer : forall (f g : R -> R) k a b, (forall x, continuous f x) -> (forall x, continuous g x) ->
  0 <= a <= b -> 0 <= k -> (forall x, 0 <= x -> 0 <= g x) -> (forall x, 0 <= x -> f x <= k * g x) ->
  RInt f 0 a <= k * RInt g 0 b.
Proof.
  intros f g k a b Cf Cg [Ha Hab] Hk Pg H.
  pose proof (integrable f Cf) as If. pose proof (integrable g Cg) as Ig.
  assert (E : RInt (fun x => k * g x) 0 a = k * RInt g 0 a) by (apply (RInt_scal g 0 a k); apply Ig).
  assert (S : RInt f 0 a <= RInt (fun x => k * g x) 0 a).
  { apply RInt_le; [assumption | apply If | apply (ex_RInt_scal g); apply Ig | intros x Hx; apply H; lra]. }
  pose proof (RInt_Chasles g 0 a b (Ig _ _) (Ig _ _)) as C. unfold plus in C. simpl in C.
  assert (0 <= RInt g a b) by (apply RInt_ge_0; [assumption | apply Ig | intros x Hx; apply Pg; lra]).
  rewrite E in S. apply Rle_trans with (1 := S). apply Rmult_le_compat_l; lra.
Qed.

Lemma beyond_not_negative : forall l x, 0 <= beyond l x.
Proof.
  induction l as [|w l IH]; intros x; simpl; [lra|]. apply Rmult_le_pos; [apply Rmax_l | apply IH].
Qed.

(** Lower weights leave losers further behind. *)
Lemma beyond_falls : forall l l' x, 0 <= x -> Forall2 (fun w w' => w' <= w) l l' -> beyond l x <= beyond l' x.
Proof.
  intros l l' x Hx H. induction H as [|w w' l l' Hw H IH]; simpl; [lra|].
  apply Rmult_le_compat; [apply Rmax_l | apply beyond_not_negative | | assumption].
  apply Rle_max_compat_l. assert (w' * x <= w * x) by (apply Rmult_le_compat_r; assumption). lra.
Qed.

(** Between neighbours, measured from the largest move, weights fall by a factor of at most a. *)
Definition falls (a w w' : R) : Prop := 0 < w' /\ w' <= w /\ w <= a * w'.

Lemma before_not_negative : forall winners x, (forall w, In w winners -> 0 < w) -> 0 <= x -> 0 <= before winners x.
Proof.
  induction winners as [|w earlier IH]; intros x P Hx; simpl; [lra|].
  assert (W := P w (or_introl eq_refl)). assert (0 < / w) by (apply Rinv_0_lt_compat; assumption).
  assert (0 <= Rmin x (/ w)) by (apply Rmin_glb; lra).
  assert (C : forall y, continuous (fun y => w * before earlier y) y).
  { intros y. apply (continuous_mult (fun _ => w) (before earlier)); [apply continuous_const | apply continuous_before]. }
  apply RInt_ge_0; [assumption | apply integrable; assumption|].
  intros y Hy. apply Rmult_le_pos; [lra|]. apply IH; [|lra]. intros q Hq. apply P. right. assumption.
Qed.

Lemma falls_positive : forall a l l', Forall2 (falls a) l l' ->
  (forall w, In w l -> 0 < w) /\ (forall w, In w l' -> 0 < w).
Proof.
  intros a l l' H. induction H as [|w w' l l' [P [L U]] H [IH IH']]; [split; intros w []|].
  split; intros q [<-|Hq]; auto; lra.
Qed.

Lemma before_private : forall a l l', 1 <= a -> Forall2 (falls a) l l' ->
  forall x, 0 <= x -> before l x <= a ^ length l * before l' x.
Proof.
  intros a l l' Ha H. induction H as [|w w' l l' [P [L U]] H IH]; intros x Hx; simpl; [lra|].
  destruct (falls_positive a l l' H) as [_ Pos].
  assert (C : forall k m y, continuous (fun y => k * before m y) y).
  { intros k m y. apply (continuous_mult (fun _ => k) (before m)); [apply continuous_const | apply continuous_before]. }
  assert (A : 0 <= a ^ length l) by (apply pow_le; lra).
  assert (I : 0 < / w) by (apply Rinv_0_lt_compat; lra).
  assert (I' : / w <= / w') by (apply Rinv_le_contravar; assumption).
  apply RInt_longer; try apply C.
  - split; [apply Rmin_glb; lra|]. apply Rle_min_compat_l. assumption.
  - apply Rmult_le_pos; [lra | assumption].
  - intros y Hy. apply Rmult_le_pos; [lra|]. apply before_not_negative; assumption.
  - intros y Hy. specialize (IH y Hy). pose proof (before_not_negative l' y Pos Hy).
    replace (a * a ^ length l * (w' * before l' y)) with (a * w' * (a ^ length l * before l' y)) by ring.
    destruct (falls_positive a l _ H) as [Pos' _]. pose proof (before_not_negative l y Pos' Hy).
    apply Rmult_le_compat; lra.
Qed.

(** Every probability of an ordered list of k moves by at most a^k. *)
Lemma one_shot_falls : forall a winners winners' losers losers', 1 <= a ->
  Forall2 (falls a) winners winners' -> Forall2 (fun w w' => w' <= w) losers losers' ->
  one_shot winners losers <= a ^ length winners * one_shot winners' losers'.
Proof.
  intros a winners winners' losers losers' Ha H Hl. destruct H as [|w w' l l' [P [L U]] H]; simpl; [lra|].
  destruct (falls_positive a l l' H) as [Pos Pos'].
  assert (A : 0 <= a ^ length l) by (apply pow_le; lra).
  assert (I : 0 < / w) by (apply Rinv_0_lt_compat; lra).
  assert (I' : / w <= / w') by (apply Rinv_le_contravar; assumption).
  apply RInt_longer; try apply continuous_last; [lra | apply Rmult_le_pos; lra | |].
  - intros y Hy. apply Rmult_le_pos; [|apply beyond_not_negative].
    apply Rmult_le_pos; [lra|]. apply before_not_negative; assumption.
  - intros y Hy. pose proof (before_private a l l' Ha H y Hy). pose proof (beyond_falls losers losers' y Hy Hl).
    pose proof (before_not_negative l y Pos Hy). pose proof (before_not_negative l' y Pos' Hy).
    replace (a * a ^ length l * (w' * before l' y * beyond losers' y))
      with (a * w' * (a ^ length l * before l' y) * beyond losers' y) by ring.
    apply Rmult_le_compat; [apply Rmult_le_pos; lra | apply beyond_not_negative | | assumption].
    apply Rmult_le_compat; lra.
Qed.

(** ** Measured from another point, weights give the same law *)
Lemma beyond_scaled : forall k l x, beyond (map (Rmult k) l) x = beyond l (k * x).
Proof.
  induction l as [|w l IH]; intros x; simpl; [reflexivity|]. rewrite IH. f_equal. f_equal. ring.
Qed.

Lemma RInt_scaled : forall (f : R -> R) k b, (forall x, continuous f x) ->
  RInt (fun y => k * f (k * y)) 0 b = RInt f 0 (k * b).
Proof.
  intros f k b C. pose proof (RInt_comp_lin f k 0 0 b) as E.
  replace (k * 0 + 0) with 0 in E by ring. replace (k * b + 0) with (k * b) in E by ring.
  rewrite <- E by (apply integrable; assumption).
  apply RInt_ext. intros x _. rewrite Rplus_0_r. reflexivity.
Qed.

Lemma Rmin_scaled : forall k a b, 0 < k -> k * Rmin a b = Rmin (k * a) (k * b).
Proof.
  intros k a b Hk. unfold Rmin. destruct (Rle_dec a b) as [H|H]; destruct (Rle_dec (k * a) (k * b)) as [H'|H'];
    try reflexivity; exfalso.
  - apply H'. apply Rmult_le_compat_l; lra.
  - apply H. apply Rmult_le_reg_l with k; assumption.
Qed.

Lemma before_scaled : forall k winners x, 0 < k -> (forall w, In w winners -> 0 < w) ->
  before (map (Rmult k) winners) x = before winners (k * x).
Proof.
  intros k winners x Hk. revert x. induction winners as [|w l IH]; intros x P; simpl; [reflexivity|].
  assert (W := P w (or_introl eq_refl)).
  rewrite (RInt_ext _ (fun y => k * (w * before l (k * y)))).
  - rewrite (RInt_scaled (fun y => w * before l y)).
    + f_equal. rewrite Rmin_scaled by assumption. f_equal. field. lra.
    + intros y. apply (continuous_mult (fun _ => w) (before l)); [apply continuous_const | apply continuous_before].
  - intros y _. rewrite IH by (intros q Hq; apply P; right; assumption). in_reals. ring.
Qed.

Lemma one_shot_scaled : forall k winners losers, 0 < k -> (forall w, In w winners -> 0 < w) ->
  one_shot (map (Rmult k) winners) (map (Rmult k) losers) = one_shot winners losers.
Proof.
  intros k [|w l] losers Hk P; simpl; [reflexivity|]. assert (W := P w (or_introl eq_refl)).
  rewrite (RInt_ext _ (fun y => k * (w * before l (k * y) * beyond losers (k * y)))).
  - rewrite (RInt_scaled (fun y => w * before l y * beyond losers y)) by (intros; apply continuous_last).
    f_equal. field. lra.
  - intros y _. rewrite before_scaled, beyond_scaled; [in_reals; ring | assumption |]. intros q Hq. apply P. right. assumption.
Qed.

(** ** From ticks *)
Definition losers (some winners : list nat) : list nat :=
  filter (fun s => if in_dec Nat.eq_dec s winners then false else true) some.

Definition one_shot_list (rate : R) (t : nat -> Z) (some winners : list nat) : R :=
  one_shot (map (fun r => weight rate 0 (t r)) (rev winners)) (map (fun r => weight rate 0 (t r)) (losers some winners)).

Lemma Forall2_map : forall (P : R -> R -> Prop) (f g : nat -> R) l, (forall r, In r l -> P (f r) (g r)) ->
  Forall2 P (map f l) (map g l).
Proof.
  induction l as [|r l IH]; intros H; simpl; constructor; [apply H; left; reflexivity|].
  apply IH. intros s Hs. apply H. right. assumption.
Qed.

Lemma one_shot_measured : forall rate c t some winners,
  one_shot (map (fun r => weight rate c (t r)) (rev winners)) (map (fun r => weight rate c (t r)) (losers some winners)) =
  one_shot_list rate t some winners.
Proof.
  intros rate c t some winners. unfold one_shot_list.
  assert (E : forall l, map (fun r => weight rate c (t r)) l =
    map (Rmult (exp (- (rate * c)))) (map (fun r => weight rate 0 (t r)) l)).
  { intros l. rewrite map_map. apply map_ext. intros r. unfold weight. rewrite <- exp_plus. f_equal. ring. }
  rewrite !E. apply one_shot_scaled; [apply exp_pos|].
  intros w Hw. apply in_map_iff in Hw. destruct Hw as [r [<- _]]. apply exp_pos.
Qed.

Section Span.
  Variables (span : Q) (epsilon : R) (some : list nat) (t t' : nat -> Z) (k : nat).
  Hypothesis span_positive : (0 < span)%Q.
  Hypothesis epsilon_positive : 0 < epsilon.
  Hypothesis k_positive : (0 < k)%nat.
  Hypothesis moved : moves_within span (fun r => In r some) t t'.

  (** THEOREM (one-shot lists). Exponential noise once, of scale k span / epsilon: the ordered list of the k largest is
      epsilon-private. *)
  Theorem one_shot_private : forall winners, length winners = k -> incl winners some ->
    one_shot_list (epsilon / INR k / Q2R span) t some winners <=
    exp epsilon * one_shot_list (epsilon / INR k / Q2R span) t' some winners.
  Proof.
    intros winners Hk Hw. pose proof (share_positive epsilon k epsilon_positive k_positive) as S.
    assert (Hrate := rate_positive span _ span_positive S). assert (Hspan := rate_span span (epsilon / INR k) span_positive).
    set (rate := epsilon / INR k / Q2R span) in *.
    destruct (moves_in_reals _ _ _ _ moved) as [low H].
    rewrite <- (one_shot_measured rate 0 t), <- (one_shot_measured rate (low + Q2R span) t').
    assert (G : forall r, In r some ->
      falls (exp (epsilon / INR k)) (weight rate 0 (t r)) (weight rate (low + Q2R span) (t' r))).
    { intros r Hr. specialize (H r Hr). unfold falls, weight. rewrite <- exp_plus.
      assert (rate * (IZR (t r) + low) <= rate * IZR (t' r)) by (apply Rmult_le_compat_l; lra).
      assert (rate * IZR (t' r) <= rate * (IZR (t r) + low + Q2R span)) by (apply Rmult_le_compat_l; lra).
      repeat split; [apply exp_pos | apply exp_le | apply exp_le]; lra. }
    replace (exp epsilon) with (exp (epsilon / INR k) ^ length (map (fun r => weight rate 0 (t r)) (rev winners))).
    - apply one_shot_falls.
      + apply exp_at_least_one. lra.
      + apply Forall2_map. intros r Hr. apply G, Hw, in_rev. assumption.
      + apply Forall2_map. intros r Hr. apply filter_In in Hr. apply G. tauto.
    - rewrite map_length, rev_length, Hk. apply whole. assumption.
  Qed.
End Span.

(** ** A list of one *)
Lemma beyond_prod : forall l top x, 0 <= x -> x <= / top -> 0 < top -> (forall w, In w l -> 0 <= w <= top) ->
  beyond l x = prod l x.
Proof.
  induction l as [|w l IH]; intros top x Hx Hxt Ht H; simpl; [reflexivity|].
  rewrite (IH top) by (try assumption; intros q Hq; apply H; right; assumption). f_equal.
  destruct (H w (or_introl eq_refl)) as [W W']. apply Rmax_right.
  assert (w * x <= top * / top) by (apply Rmult_le_compat; lra). rewrite Rinv_r in H0 by lra. lra.
Qed.

Lemma beyond_zero : forall l top x, 0 < top -> / top <= x -> In top l -> beyond l x = 0.
Proof.
  induction l as [|w l IH]; intros top x Ht Hx H; simpl; [destruct H|]. destruct H as [->|H].
  - rewrite Rmax_left; [ring|]. assert (top * / top <= top * x) by (apply Rmult_le_compat_l; lra).
    rewrite Rinv_r in H by lra. lra.
  - rewrite (IH top) by assumption. ring.
Qed.

(** THEOREM. A list of one is permute-and-flip. *)
Theorem one_shot_of_one : forall top w l, 0 < w <= top -> (forall v, In v l -> 0 <= v <= top) -> In top (w :: l) ->
  one_shot [w] l = law top w l.
Proof.
  intros top w l [Hw Ht] Hl Hin. unfold one_shot, law. simpl before.
  assert (C : forall x, continuous (fun y => w * 1 * beyond l y) x).
  { intros x. apply (continuous_mult (fun _ => w * 1) (beyond l)); [apply continuous_const | apply continuous_beyond]. }
  assert (I : / top <= / w) by (apply Rinv_le_contravar; lra).
  assert (T : 0 < / top) by (apply Rinv_0_lt_compat; lra).
  pose proof (RInt_Chasles _ 0 (/ top) (/ w) (integrable _ C _ _) (integrable _ C _ _)) as E.
  unfold plus in E. simpl in E. rewrite <- E. clear E.
  assert (A : @eq R (RInt (fun y => w * 1 * beyond l y) 0 (/ top)) (w * RInt (prod l) 0 (/ top))).
  { assert (S : @eq R (RInt (fun y => w * prod l y) 0 (/ top)) (w * RInt (prod l) 0 (/ top))).
    - apply (RInt_scal (prod l) 0 (/ top) w). apply integrable. apply continuous_prod.
    - rewrite <- S. apply RInt_ext. intros x [Hx Hx']. rewrite Rmin_left in Hx by lra. rewrite Rmax_right in Hx' by lra.
      rewrite (beyond_prod l top) by (try assumption; lra). in_reals. ring. }
  assert (B : @eq R (RInt (fun y => w * 1 * beyond l y) (/ top) (/ w)) 0).
  { destruct Hin as [->|Hin]; [rewrite RInt_point; reflexivity|].
    rewrite (RInt_ext _ (fun _ => 0)).
    - rewrite RInt_const. unfold scal. simpl. unfold mult. simpl. in_reals. ring.
    - intros x [Hx Hx']. rewrite Rmin_left in Hx by lra. rewrite (beyond_zero l top) by (try assumption; lra).
      in_reals. ring. }
  rewrite A, B. ring.
Qed.
