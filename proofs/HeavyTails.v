(** Exact heavy-tailed noise: integers decide whether a proposal is accepted, and decide it rightly for all of its
    bits that were not drawn.

    |Z| has a density proportional to h(z) = 1/(1 + z^gamma), gamma >= 2, or 1/(1 + z^2)^2 (gamma 0: Student t with three
    degrees of freedom over sqrt 3). Of z = (1 - U)/U, a share (1 + z)^2 h(z) / C is accepted: V C bottom(U) <= top(U).
    Python: [dpselect.kernel.samplers.heavy_families]. *)
Require Import Reals ZArith Lia Lra Psatz.
Open Scope R_scope.

(** The ratio (1 + z)^2 h(z) in U, as a quotient of polynomials. *)
Definition top (gamma : nat) (u : R) : R :=
  match gamma with O => u ^ 2 | _ => u ^ (gamma - 2) end.

Definition bottom (gamma : nat) (u : R) : R :=
  match gamma with O => (u ^ 2 + (1 - u) ^ 2) ^ 2 | _ => u ^ gamma + (1 - u) ^ gamma end.

Lemma ratio_t : forall u, 0 < u < 1 ->
  let z := (1 - u) / u in (1 + z) ^ 2 / (1 + z ^ 2) ^ 2 = top 0 u / bottom 0 u.
Proof.
  intros u H z. unfold z, top, bottom.
  assert (P : 0 < u ^ 2 + (1 - u) ^ 2) by nra.
  replace (1 + (1 - u) / u) with (/ u) by (field; lra).
  replace (1 + ((1 - u) / u) ^ 2) with ((u ^ 2 + (1 - u) ^ 2) / u ^ 2) by (field; lra).
  generalize dependent (u ^ 2 + (1 - u) ^ 2). intros r Hr. field. lra.
Qed.

Lemma ratio_cauchy : forall gamma u, (2 <= gamma)%nat -> 0 < u < 1 ->
  let z := (1 - u) / u in (1 + z) ^ 2 / (1 + z ^ gamma) = top gamma u / bottom gamma u.
Proof.
  intros gamma u Hg H z. destruct gamma as [|[|g]]; try lia. unfold z, top, bottom.
  replace (S (S g) - 2)%nat with g by lia.
  assert (P : 0 < u ^ S (S g)) by (apply pow_lt; lra). assert (P' : 0 < (1 - u) ^ S (S g)) by (apply pow_lt; lra).
  assert (E : ((1 - u) / u) ^ S (S g) = (1 - u) ^ S (S g) / u ^ S (S g)).
  { unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. reflexivity. }
  rewrite E. replace (1 + (1 - u) / u) with (/ u) by (field; lra).
  replace (u ^ S (S g)) with (u ^ g * u ^ 2) in * by (simpl; ring).
  assert (0 < u ^ g) by (apply pow_lt; lra). field. repeat split; nra.
Qed.

(** ** C is large enough: no share exceeds 1 *)
Lemma ceiling_t : forall u, 0 <= u <= 1 -> top 0 u <= 729 / 500 * bottom 0 u.
Proof.
  intros u [H1 H2]. unfold top, bottom.
  assert (K : u <= 12074 / 10000 * (u ^ 2 + (1 - u) ^ 2)).
  { pose proof (pow2_ge_0 (u - 70706 / 100000)). simpl in *. lra. }
  assert (0 <= u ^ 2 + (1 - u) ^ 2) by nra.
  assert (u ^ 2 <= (12074 / 10000 * (u ^ 2 + (1 - u) ^ 2)) ^ 2) by (apply pow_incr; lra). nra.
Qed.

(** THEOREM. C that is at least ((n + i + 1)/n)^2 / (1 + (i/n)^gamma) for each of n cells is at least (1 + z)^2 h(z)
    for every z. *)
Theorem ceiling_cauchy : forall gamma n c, (2 <= gamma)%nat -> (0 < n)%nat ->
  (forall i, (i < n)%nat -> (1 + INR (S i) / INR n) ^ 2 <= c * (1 + (INR i / INR n) ^ gamma)) ->
  forall z, 0 <= z -> (1 + z) ^ 2 <= c * (1 + z ^ gamma).
Proof.
  intros gamma n c Hg Hn H z Hz. assert (N : 0 < INR n) by (apply lt_0_INR; assumption).
  assert (C : 2 <= c).
  { assert (L : (n - 1 < n)%nat) by lia. specialize (H (n - 1)%nat L).
    replace (S (n - 1)) with n in H by lia. replace (INR n / INR n) with 1 in H by (field; lra).
    set (x := INR (n - 1) / INR n) in *.
    assert (0 <= x <= 1).
    { unfold x. split; [apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat; assumption]|].
      apply Rmult_le_reg_r with (INR n); [assumption|]. replace (INR (n - 1) / INR n * INR n) with (INR (n - 1)) by (field; lra).
      rewrite Rmult_1_l. apply le_INR. lia. }
    assert (0 <= x ^ gamma) by (apply pow_le; lra).
    assert (x ^ gamma <= 1) by (rewrite <- (pow1 gamma); apply pow_incr; lra). nra. }
  destruct (Rle_lt_dec 1 z) as [Z|Z].
  - assert (z ^ 2 <= z ^ gamma) by (apply Rle_pow; [assumption | lia]).
    assert ((1 + z) ^ 2 <= 2 * (1 + z ^ 2)) by nra. nra.
  - (* The cell of z. *)
    destruct (archimed (z * INR n)) as [A B]. set (k := up (z * INR n)) in *.
    assert (0 <= z * INR n) by (apply Rmult_le_pos; lra).
    assert (K : (0 < k)%Z) by (apply lt_IZR; lra).
    assert (K' : (k <= Z.of_nat n)%Z).
    { apply Z.lt_succ_r. apply lt_IZR. unfold Z.succ. rewrite plus_IZR, <- INR_IZR_INZ. nra. }
    assert (I : (Z.to_nat (k - 1) < n)%nat) by lia. specialize (H _ I).
    set (i := Z.to_nat (k - 1)) in *.
    assert (E : INR i = IZR k - 1) by (unfold i; rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR by lia; reflexivity).
    assert (L : INR i / INR n <= z).
    { apply Rmult_le_reg_r with (INR n); [assumption|]. replace (INR i / INR n * INR n) with (INR i) by (field; lra). lra. }
    assert (U : z <= INR (S i) / INR n).
    { apply Rmult_le_reg_r with (INR n); [assumption|]. rewrite S_INR.
      replace ((INR i + 1) / INR n * INR n) with (INR i + 1) by (field; lra). lra. }
    assert (P : 0 <= INR i / INR n) by (apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat; assumption]).
    assert ((1 + z) ^ 2 <= (1 + INR (S i) / INR n) ^ 2) by (apply pow_incr; lra).
    assert ((INR i / INR n) ^ gamma <= z ^ gamma) by (apply pow_incr; lra). nra.
Qed.

(** ** What the integers say *)
Section Decide.
  Open Scope Z_scope.
  Variables (gamma : nat) (numerator denominator : Z).

  Definition scaled_top (bits k : Z) : Z :=
    match gamma with O => k ^ 2 * 2 ^ (2 * bits) | _ => k ^ Z.of_nat (gamma - 2) * 2 ^ (2 * bits) end.

  (** bottom at an end of U for u and at the other for 1 - u. *)
  Definition scaled_bottom (bits k l : Z) : Z :=
    match gamma with
    | O => (k ^ 2 + (2 ^ bits - l) ^ 2) ^ 2
    | _ => k ^ Z.of_nat gamma + (2 ^ bits - l) ^ Z.of_nat gamma
    end.

  (** All U in [least, most] / 2^bits with V in [v, v + 1] / 2^coin are accepted, none, or some. *)
  Definition decide (least most v bits coin : Z) : option bool :=
    if (v + 1) * numerator * scaled_bottom bits most least <=? scaled_top bits least * denominator * 2 ^ coin then
      Some true
    else if scaled_top bits most * denominator * 2 ^ coin <=? v * numerator * scaled_bottom bits least most then
      Some false
    else None.
End Decide.

Definition between (a b : R) (gamma : nat) : R :=
  match gamma with O => (b ^ 2 + (1 - a) ^ 2) ^ 2 | _ => b ^ gamma + (1 - a) ^ gamma end.

Lemma bottom_between : forall gamma a b u, 0 <= a <= u -> u <= b <= 1 ->
  0 <= between b a gamma /\ between b a gamma <= bottom gamma u <= between a b gamma.
Proof.
  intros gamma a b u [Ha Hau] [Hub Hb]. unfold between, bottom. destruct gamma as [|g].
  - assert (a ^ 2 <= u ^ 2 <= b ^ 2) by (split; apply pow_incr; lra).
    assert ((1 - b) ^ 2 <= (1 - u) ^ 2 <= (1 - a) ^ 2) by (split; apply pow_incr; lra).
    pose proof (pow2_ge_0 a). pose proof (pow2_ge_0 (1 - b)).
    split; [apply pow_le; lra|]. split; apply pow_incr; lra.
  - assert (a ^ S g <= u ^ S g <= b ^ S g) by (split; apply pow_incr; lra).
    assert ((1 - b) ^ S g <= (1 - u) ^ S g <= (1 - a) ^ S g) by (split; apply pow_incr; lra).
    assert (0 <= a ^ S g) by (apply pow_le; lra). assert (0 <= (1 - b) ^ S g) by (apply pow_le; lra). lra.
Qed.

Lemma top_grows : forall gamma a u, 0 <= a <= u -> 0 <= top gamma a /\ top gamma a <= top gamma u.
Proof.
  intros gamma a u H. unfold top. destruct gamma as [|g]; (split; [apply pow_le | apply pow_incr]); lra.
Qed.

Section Right.
  Variables (gamma : nat) (numerator denominator least most v bits coin : Z).
  Hypothesis gamma_fits : gamma <> 1%nat.
  Hypothesis numerator_positive : (0 < numerator)%Z.
  Hypothesis denominator_positive : (0 < denominator)%Z.
  Hypothesis sizes : (0 <= bits /\ 0 <= coin /\ 0 <= v)%Z.

  Let whole := IZR (2 ^ bits).
  Let side := IZR (2 ^ coin).

  Lemma whole_positive : 0 < whole.
  Proof using sizes. apply IZR_lt. apply Z.pow_pos_nonneg; [reflexivity | apply sizes]. Qed.

  Lemma side_positive : 0 < side.
  Proof using sizes. apply IZR_lt. apply Z.pow_pos_nonneg; [reflexivity | apply sizes]. Qed.

  Let power : nat := match gamma with O => 4%nat | _ => gamma end.

  Lemma IZR_pow : forall k n, IZR (k ^ Z.of_nat n) = IZR k ^ n.
  Proof using. intros. symmetry. apply pow_IZR. Qed.

  Lemma IZR_square : forall k, IZR (k ^ 2) = IZR k ^ 2.
  Proof using. intros k. apply (IZR_pow k 2). Qed.

  Lemma quotient_pow : forall x n, (x / whole) ^ n * whole ^ n = x ^ n.
  Proof using sizes.
    intros x n. pose proof whole_positive. rewrite <- Rpow_mult_distr. f_equal. field. lra.
  Qed.

  Lemma top_scaled : forall k, IZR (scaled_top gamma bits k) = top gamma (IZR k / whole) * whole ^ power.
  Proof.
    intros k. pose proof whole_positive. unfold scaled_top, top, power.
    assert (E : IZR (2 ^ (2 * bits)) = whole ^ 2).
    { unfold whole. replace (2 * bits)%Z with (bits * 2)%Z by ring. rewrite Z.pow_mul_r by lia.
      apply (IZR_pow (2 ^ bits) 2). }
    destruct gamma as [|[|g]]; try congruence.
    - rewrite mult_IZR, E, IZR_square, <- (quotient_pow (IZR k) 2). ring.
    - replace (S (S g) - 2)%nat with g by lia. rewrite mult_IZR, E, IZR_pow, <- (quotient_pow (IZR k) g). simpl. ring.
  Qed.

  Lemma bottom_scaled : forall k l,
    IZR (scaled_bottom gamma bits k l) = between (IZR l / whole) (IZR k / whole) gamma * whole ^ power.
  Proof.
    intros k l. pose proof whole_positive.
    assert (E : forall n, IZR ((2 ^ bits - l) ^ Z.of_nat n) = (1 - IZR l / whole) ^ n * whole ^ n).
    { intros n. rewrite IZR_pow, minus_IZR. fold whole. rewrite <- Rpow_mult_distr. f_equal. field. lra. }
    unfold scaled_bottom, between, power. destruct gamma as [|g].
    - rewrite IZR_square, plus_IZR, IZR_square, (E 2%nat : IZR ((2 ^ bits - l) ^ 2) = _), <- (quotient_pow (IZR k) 2). ring.
    - rewrite plus_IZR, E, IZR_pow, <- (quotient_pow (IZR k) (S g)). ring.
  Qed.

  Variables u w : R.
  Hypothesis u_inside : IZR least / whole <= u <= IZR most / whole.
  Hypothesis w_inside : IZR v / side <= w <= (IZR v + 1) / side.
  Hypothesis least_not_negative : (0 <= least)%Z.
  Hypothesis most_within : (most <= 2 ^ bits)%Z.

  Let c := IZR numerator / IZR denominator.

  (** THEOREM (acceptance). What the integers decide holds for every U and V whose first bits are these. *)
  Theorem decide_right : forall answer, decide gamma numerator denominator least most v bits coin = Some answer ->
    if answer then w * c * bottom gamma u <= top gamma u else top gamma u <= w * c * bottom gamma u.
  Proof.
    intros answer H. pose proof whole_positive. pose proof side_positive.
    assert (D : 0 < IZR denominator) by (apply IZR_lt; assumption).
    assert (N : 0 < IZR numerator) by (apply IZR_lt; assumption).
    assert (C : 0 < c) by (apply Rdiv_lt_0_compat; assumption).
    assert (W : 0 < whole ^ power) by (apply pow_lt; assumption).
    assert (A : 0 <= IZR least / whole).
    { apply Rmult_le_pos; [apply IZR_le; assumption | apply Rlt_le, Rinv_0_lt_compat; assumption]. }
    assert (B : IZR most / whole <= 1).
    { apply Rmult_le_reg_r with whole; [assumption|]. replace (IZR most / whole * whole) with (IZR most) by (field; lra).
      rewrite Rmult_1_l. apply IZR_le. assumption. }
    assert (V : 0 <= IZR v / side).
    { apply Rmult_le_pos; [apply IZR_le; lia | apply Rlt_le, Rinv_0_lt_compat; assumption]. }
    set (a := IZR least / whole) in *. set (b := IZR most / whole) in *.
    assert (Hau : 0 <= a <= u) by lra. assert (Hub : u <= b <= 1) by lra.
    destruct (bottom_between gamma a b u Hau Hub) as [P [Low High]].
    destruct (top_grows gamma a u Hau) as [T0 Ta]. assert (Hub' : 0 <= u <= b) by lra.
    destruct (top_grows gamma u b Hub') as [Tu Tb].
    unfold decide in H.
    destruct (Z.leb_spec ((v + 1) * numerator * scaled_bottom gamma bits most least)
      (scaled_top gamma bits least * denominator * 2 ^ coin)) as [L|_].
    - injection H as <-. apply IZR_le in L. rewrite !mult_IZR, plus_IZR, top_scaled, bottom_scaled in L. fold side a b in L.
      assert (L' : (IZR v + 1) / side * c * between a b gamma <= top gamma a).
      { apply Rmult_le_reg_r with (whole ^ power * IZR denominator * side);
          [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption|].
        replace ((IZR v + 1) / side * c * between a b gamma * (whole ^ power * IZR denominator * side))
          with ((IZR v + 1) * IZR numerator * (between a b gamma * whole ^ power)) by (unfold c; field; lra). lra. }
      apply Rle_trans with ((IZR v + 1) / side * c * between a b gamma); [|lra].
      apply Rmult_le_compat; [apply Rmult_le_pos; lra | lra | apply Rmult_le_compat_r; lra | assumption].
    - destruct (Z.leb_spec (scaled_top gamma bits most * denominator * 2 ^ coin)
        (v * numerator * scaled_bottom gamma bits least most)) as [L|_]; [|discriminate].
      injection H as <-. apply IZR_le in L. rewrite !mult_IZR, top_scaled, bottom_scaled in L. fold side a b in L.
      assert (L' : top gamma b <= IZR v / side * c * between b a gamma).
      { apply Rmult_le_reg_r with (whole ^ power * IZR denominator * side);
          [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption|].
        replace (IZR v / side * c * between b a gamma * (whole ^ power * IZR denominator * side))
          with (IZR v * IZR numerator * (between b a gamma * whole ^ power)) by (unfold c; field; lra). lra. }
      apply Rle_trans with (IZR v / side * c * between b a gamma); [lra|].
      apply Rmult_le_compat; [apply Rmult_le_pos; lra | assumption | apply Rmult_le_compat_r; lra | assumption].
  Qed.
End Right.

(** The noise z = (1 - U)/U falls with U, so its ends are those of U: how contenders are compared. *)
Lemma enclosure : forall u a b, 0 < a <= u -> u <= b <= 1 -> (1 - b) / b <= (1 - u) / u <= (1 - a) / a.
Proof.
  intros u a b [Ha Hau] [Hub Hb].
  replace ((1 - b) / b) with (/ b - 1) by (field; lra).
  replace ((1 - u) / u) with (/ u - 1) by (field; lra).
  replace ((1 - a) / a) with (/ a - 1) by (field; lra).
  split; apply Rplus_le_compat_r; apply Rinv_le_contravar; lra.
Qed.
