(** Sliding one-sided Student t noise (three degrees of freedom, over sqrt 3): by how much a tail probability moves.

    Up to z = 4 interval arithmetic decides; beyond, the density alone does.
    Python: [dpselect.mechanisms.smooth.slides]. *)
Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Import ListNotations.
Open Scope R_scope.

(** Pr[Z > x], Z of density (4/pi) / (1 + z^2)^2 on z >= 0. *)
Definition tail (x : R) : R := 1 - 2 / PI * (atan x + x / (1 + x * x)).

Lemma above_one : forall x, 1 + x * x <> 0.
Proof. intros x. apply Rgt_not_eq. nra. Qed.

Lemma tail_derivative : forall x, is_derive tail x (- (4 / PI) * / (1 + x * x) ^ 2).
Proof.
  intros x. assert (P := PI_RGT_0). unfold tail. auto_derive; [nra|]. field. split; [nra | lra].
Qed.

Lemma atan_below : forall x, 0 < x -> atan x <= x.
Proof.
  intros x Hx. destruct (MVT_gen atan 0 x (fun y => / (1 + y ^ 2))) as [y [_ E]].
  - intros y _. auto_derive; [trivial | field; nra].
  - intros y _. apply continuity_pt_filterlim, (ex_derive_continuous atan). auto_derive. trivial.
  - rewrite atan_0, !Rminus_0_r in E. rewrite E.
    assert (/ (1 + y ^ 2) <= 1).
    { rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; [lra|]. pose proof (pow2_ge_0 y). lra. }
    assert (/ (1 + y ^ 2) * x <= 1 * x) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** The tail vanishes. *)
Lemma tail_bounded : forall x, 0 < x -> tail x <= 2 / PI * / x.
Proof.
  intros x Hx. assert (P := PI_RGT_0). unfold tail.
  assert (A : atan x = PI / 2 - atan (/ x)) by (rewrite atan_inv by assumption; lra).
  assert (B := atan_below (/ x) (Rinv_0_lt_compat x Hx)).
  assert (C : 0 < x / (1 + x * x)) by (apply Rdiv_lt_0_compat; nra).
  rewrite A. assert (D : 0 < 2 / PI) by (apply Rdiv_lt_0_compat; lra).
  replace (1 - 2 / PI * (PI / 2 - atan (/ x) + x / (1 + x * x)))
    with (2 / PI * (atan (/ x) - x / (1 + x * x))) by (field; split; nra).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma atan_above : forall y, 0 < y -> y / (1 + y * y) <= atan y.
Proof.
  intros y Hy. set (f := fun x => atan x - x / (1 + x * x)).
  destruct (MVT_gen f 0 y (fun x => 2 * x ^ 2 / (1 + x * x) ^ 2)) as [z [_ E]].
  - intros x _. unfold f. auto_derive; [nra|]. field. nra.
  - intros x _. apply continuity_pt_filterlim, (ex_derive_continuous f). unfold f. auto_derive. nra.
  - unfold f in E. rewrite atan_0 in E. replace (0 / (1 + 0 * 0)) with 0 in E by field.
    assert (0 <= 2 * z ^ 2 / (1 + z * z) ^ 2).
    { apply Rmult_le_pos; [nra|]. apply Rlt_le, Rinv_0_lt_compat, pow_lt. nra. }
    assert (0 <= 2 * z ^ 2 / (1 + z * z) ^ 2 * (y - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma tail_not_negative : forall x, 0 < x -> 0 <= tail x.
Proof.
  intros x Hx. assert (P := PI_RGT_0). unfold tail.
  assert (A : atan x = PI / 2 - atan (/ x)) by (rewrite atan_inv by assumption; lra).
  assert (B := atan_above (/ x) (Rinv_0_lt_compat x Hx)).
  replace (/ x / (1 + / x * / x)) with (x / (1 + x * x)) in B by (field; split; nra).
  rewrite A. assert (D : 0 < 2 / PI) by (apply Rdiv_lt_0_compat; lra).
  replace (1 - 2 / PI * (PI / 2 - atan (/ x) + x / (1 + x * x)))
    with (2 / PI * (atan (/ x) - x / (1 + x * x))) by (field; split; nra).
  apply Rmult_le_pos; lra.
Qed.

(** Where the density falls by less than e^epsilon over s, from some place on, so does the tail. *)
Lemma far : forall epsilon s place, 0 <= s -> 0 < place ->
  (forall z, place <= z -> (1 + (z + s) * (z + s)) ^ 2 <= exp epsilon * (1 + z * z) ^ 2) ->
  forall z, place <= z -> tail z <= exp epsilon * tail (z + s).
Proof.
  intros epsilon s place Hs Hp H. assert (P := PI_RGT_0). assert (E := exp_pos epsilon).
  set (gap := fun z => tail z - exp epsilon * tail (z + s)).
  set (slope := fun z => - (4 / PI) * / (1 + z * z) ^ 2 + exp epsilon * (4 / PI) * / (1 + (z + s) * (z + s)) ^ 2).
  assert (D : forall z, is_derive gap z (slope z)).
  { intros z. unfold gap, slope, tail. auto_derive; [repeat split; apply above_one|].
    field. repeat split; try apply above_one; lra. }
  assert (Up : forall z, place <= z -> 0 <= slope z).
  { intros z Hz. specialize (H z Hz). unfold slope.
    assert (A : 0 < (1 + z * z) ^ 2) by (apply pow_lt; nra).
    assert (B : 0 < (1 + (z + s) * (z + s)) ^ 2) by (apply pow_lt; nra).
    assert (F : / (1 + z * z) ^ 2 <= exp epsilon * / (1 + (z + s) * (z + s)) ^ 2).
    { apply Rmult_le_reg_r with ((1 + z * z) ^ 2 * (1 + (z + s) * (z + s)) ^ 2); [apply Rmult_lt_0_compat; assumption|].
      replace (/ (1 + z * z) ^ 2 * ((1 + z * z) ^ 2 * (1 + (z + s) * (z + s)) ^ 2)) with ((1 + (z + s) * (z + s)) ^ 2)
        by (field; nra).
      replace (exp epsilon * / (1 + (z + s) * (z + s)) ^ 2 * ((1 + z * z) ^ 2 * (1 + (z + s) * (z + s)) ^ 2))
        with (exp epsilon * (1 + z * z) ^ 2) by (field; nra). assumption. }
    assert (G : 0 < 4 / PI) by (apply Rdiv_lt_0_compat; lra).
    assert (4 / PI * / (1 + z * z) ^ 2 <= 4 / PI * (exp epsilon * / (1 + (z + s) * (z + s)) ^ 2))
      by (apply Rmult_le_compat_l; lra). lra. }
  assert (Mono : forall x y, place <= x -> x <= y -> gap x <= gap y).
  { intros x y Hx Hxy. destruct (MVT_gen gap x y slope) as [z [Z F]].
    - intros w _. apply D.
    - intros w _. apply continuity_pt_filterlim, (ex_derive_continuous gap). eexists. apply D.
    - rewrite Rmin_left, Rmax_right in Z by assumption. assert (0 <= slope z) by (apply Up; lra). nra. }
  intros z Hz. destruct (Rle_lt_dec (gap z) 0) as [L|L]; [unfold gap in L; lra|]. exfalso.
  (* Far enough, the tail is smaller than the gap at z. *)
  set (w := z + 2 / PI * / gap z + 1).
  assert (Q : 0 < 2 / PI) by (apply Rdiv_lt_0_compat; lra).
  assert (I : 0 < / gap z) by (apply Rinv_0_lt_compat; assumption).
  assert (QI : 0 < 2 / PI * / gap z) by (apply Rmult_lt_0_compat; assumption).
  assert (W : 0 < w) by (unfold w; lra).
  assert (M : gap z <= gap w) by (apply Mono; unfold w; lra).
  pose proof (tail_bounded w W) as T.
  assert (N : 0 <= tail (w + s)) by (apply tail_not_negative; lra).
  assert (U : gap w <= tail w).
  { unfold gap. assert (0 <= exp epsilon * tail (w + s)) by (apply Rmult_le_pos; lra). lra. }
  assert (R : gap z * w <= 2 / PI).
  { assert (S : gap z <= 2 / PI * / w) by lra. apply Rmult_le_compat_r with (r := w) in S; [|lra].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r in S by lra. assumption. }
  assert (F : gap z * (2 / PI * / gap z) = 2 / PI) by (field; split; lra).
  assert (gap z * w = gap z * z + 2 / PI + gap z) by (unfold w; rewrite !Rmult_plus_distr_l, F; ring).
  assert (0 < gap z * z) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** Up to z = p by intervals, and beyond by the density. *)
Ltac slides p := intros z Hz; destruct (Rle_lt_dec z p) as [L|L];
  [ apply Rminus_le_0; unfold tail; interval with (i_bisect z, i_taylor z, i_prec 60, i_depth 40)
  | apply far with (place := p); [lra | lra | intros w Hw | lra] ].

(** e^epsilon is a square, so two squares are compared. *)
Lemma squares : forall epsilon a x y, 0 <= x -> 0 <= y -> a <= exp (epsilon / 2) -> x <= a * y ->
  x ^ 2 <= exp epsilon * y ^ 2.
Proof.
  intros epsilon a x y Hx Hy Ha H.
  assert (E : exp epsilon = exp (epsilon / 2) ^ 2) by (simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; field).
  rewrite E, <- Rpow_mult_distr. apply pow_incr. split; [assumption|].
  apply Rle_trans with (1 := H). apply Rmult_le_compat_r; assumption.
Qed.

Lemma slide_quarter : forall z, 0 <= z -> tail z <= exp (1 / 4) * tail (z + 13604 / 100000).
Proof.
  slides 3. apply squares with (a := 1133 / 1000); [nra | nra | interval | nra].
Qed.

Lemma slide_half : forall z, 0 <= z -> tail z <= exp (1 / 2) * tail (z + 27279 / 100000).
Proof.
  slides 2. apply squares with (a := 1284 / 1000); [nra | nra | interval | nra].
Qed.

Lemma slide_one : forall z, 0 <= z -> tail z <= exp 1 * tail (z + 55113 / 100000).
Proof.
  slides 2. apply squares with (a := 1648 / 1000); [nra | nra | interval | nra].
Qed.

Lemma slide_two : forall z, 0 <= z -> tail z <= exp 2 * tail (z + 11475 / 10000).
Proof.
  slides 2. apply squares with (a := 2718 / 1000); [nra | nra | interval | nra].
Qed.

Lemma slide_five : forall z, 0 <= z -> tail z <= exp 5 * tail (z + 3877 / 1000).
Proof.
  slides 2. apply squares with (a := 1218 / 100); [nra | nra | interval | nra].
Qed.

(** By epsilon, how far noise may be slid: within 2/100,000 of the largest shift. *)
Definition shifts : list (R * R) :=
  [(1 / 4, 13604 / 100000); (1 / 2, 27279 / 100000); (1, 55113 / 100000); (2, 11475 / 10000); (5, 3877 / 1000)].

(** THEOREM (slide). Sliding by a shift of the table moves no tail probability by more than e^epsilon. *)
Theorem slide : forall epsilon s, In (epsilon, s) shifts -> forall z, 0 <= z -> tail z <= exp epsilon * tail (z + s).
Proof.
  intros epsilon s H. simpl in H.
  repeat (destruct H as [H|H]; [injection H as <- <-|]); [| | | | | destruct H];
    [apply slide_quarter | apply slide_half | apply slide_one | apply slide_two | apply slide_five].
Qed.
