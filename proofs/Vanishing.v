(** What proposals leave open vanishes: a constant over the number of prefixes of U, and two over those of V. *)
Require Import Reals Lra Lia ZArith List Arith.
Require Import HeavyTails Prefixes Proposals.
Open Scope R_scope.

Section Vanishing.
  Variables (gamma : nat) (numerator denominator : Z) (bits coin : nat).
  Hypothesis gamma_fits : gamma <> 1%nat.
  Hypothesis numerator_positive : (0 < numerator)%Z.
  Hypothesis denominator_positive : (0 < denominator)%Z.
  Hypothesis some_bits : (0 < bits)%nat.

  Let c := IZR numerator / IZR denominator.
  Let cells := prefixes bits.
  Let sides := prefixes coin.
  Let power : nat := match gamma with O => 4%nat | _ => gamma end.

  (** Below every bottom between two neighbouring cells. *)
  Let least := (/ 4) ^ power.

  Let c_positive : 0 < c := c_positive numerator denominator numerator_positive denominator_positive.
  Let cells_positive : 0 < INR cells := real_cells bits.
  Let sides_positive : 0 < INR sides := real_sides coin.

  Lemma least_positive : 0 < least.
  Proof. apply pow_lt. lra. Qed.

  Lemma half : / INR cells <= / 2.
  Proof.
    apply Rinv_le_contravar; [lra|]. replace 2 with (INR 2) by reflexivity. apply le_INR. unfold cells, prefixes.
    destruct bits as [|n]; [lia|]. simpl. pose proof (prefixes_positive n). unfold prefixes in *. lia.
  Qed.

  Lemma bottom_least : forall a b, 0 <= a -> b <= 1 -> a <= b -> b - a = / INR cells -> least <= between b a gamma.
  Proof.
    intros a b Ha Hb Hab W. pose proof half as H. unfold between, least, power. destruct gamma as [|g].
    - change 4%nat with (2 * 2)%nat. rewrite pow_mult. apply pow_incr. split; [apply pow_le; lra|].
      destruct (Rle_lt_dec (/ 4) a) as [L|L].
      + assert ((/ 4) ^ 2 <= a ^ 2) by (apply pow_incr; lra). pose proof (pow2_ge_0 (1 - b)). lra.
      + assert ((/ 4) ^ 2 <= (1 - b) ^ 2) by (apply pow_incr; lra). pose proof (pow2_ge_0 a). lra.
    - destruct (Rle_lt_dec (/ 4) a) as [L|L].
      + assert ((/ 4) ^ S g <= a ^ S g) by (apply pow_incr; lra).
        assert (0 <= (1 - b) ^ S g) by (apply pow_le; lra). lra.
      + assert ((/ 4) ^ S g <= (1 - b) ^ S g) by (apply pow_incr; lra).
        assert (0 <= a ^ S g) by (apply pow_le; lra). lra.
  Qed.

  (** How far the bottom moves from one cell to the next is bounded by what adds up. *)
  Definition risen (x : R) : R :=
    match gamma with O => 4 * (x ^ 2 - (1 - x) ^ 2) | S _ => x ^ gamma - (1 - x) ^ gamma end.

  Lemma between_moves : forall a b, 0 <= a -> a <= b -> b <= 1 ->
    0 <= between a b gamma - between b a gamma <= risen b - risen a.
  Proof.
    intros a b Ha Hab Hb. unfold between, risen. destruct gamma as [|g].
    - assert (A : a ^ 2 <= b ^ 2 <= 1) by (split; [apply pow_incr; lra | rewrite <- (pow1 2); apply pow_incr; lra]).
      assert (B : (1 - b) ^ 2 <= (1 - a) ^ 2 <= 1)
        by (split; [apply pow_incr; lra | rewrite <- (pow1 2); apply pow_incr; lra]).
      assert (A0 : 0 <= a ^ 2) by apply pow2_ge_0. assert (B0 : 0 <= (1 - b) ^ 2) by apply pow2_ge_0.
      set (x := b ^ 2 + (1 - a) ^ 2). set (y := a ^ 2 + (1 - b) ^ 2).
      assert (0 <= y <= x) by (unfold x, y; lra). assert (x <= 2) by (unfold x; lra).
      replace (4 * (b ^ 2 - (1 - b) ^ 2) - 4 * (a ^ 2 - (1 - a) ^ 2)) with (4 * (x - y)) by (unfold x, y; ring).
      assert (E : x ^ 2 - y ^ 2 = (x + y) * (x - y)) by ring. rewrite E. split.
      + apply Rmult_le_pos; lra.
      + apply Rmult_le_compat_r; lra.
    - assert (a ^ S g <= b ^ S g) by (apply pow_incr; lra).
      assert ((1 - b) ^ S g <= (1 - a) ^ S g) by (apply pow_incr; lra). lra.
  Qed.

  Definition bounded_by (x : R) : R := (top gamma x / least + risen x / least ^ 2) / c.

  Lemma top_between : forall x, 0 <= x <= 1 -> 0 <= top gamma x <= 1.
  Proof.
    intros x H. unfold top. destruct gamma as [|g]; (split; [apply pow_le; lra|]).
    - rewrite <- (pow1 2). apply pow_incr. lra.
    - rewrite <- (pow1 (S g - 2)). apply pow_incr. lra.
  Qed.

  Lemma enclosed : forall a b, 0 <= a -> a <= b -> b <= 1 -> b - a = / INR cells ->
    let low := top gamma a / (c * between a b gamma) in let high := top gamma b / (c * between b a gamma) in
    low <= high /\ high - low <= bounded_by b - bounded_by a.
  Proof.
    intros a b Ha Hab Hb W low high. pose proof least_positive as L.
    pose proof (bottom_least a b Ha Hb Hab W) as S. pose proof (between_moves a b Ha Hab Hb) as M.
    assert (Ta : 0 <= top gamma a <= 1) by (apply top_between; lra).
    assert (T : top gamma a <= top gamma b) by (apply top_grows; lra).
    set (large := between a b gamma) in *. set (small := between b a gamma) in *.
    assert (E : high - low = ((top gamma b - top gamma a) / small + top gamma a * (large - small) / (small * large)) / c).
    { unfold high, low. field. repeat split; lra. }
    assert (I : / small <= / least) by (apply Rinv_le_contravar; assumption).
    assert (J : / (small * large) <= / least ^ 2).
    { apply Rinv_le_contravar; [apply pow_lt; assumption|]. simpl. rewrite Rmult_1_r. apply Rmult_le_compat; lra. }
    assert (K : 0 <= / c) by (apply Rlt_le, Rinv_0_lt_compat; assumption).
    assert (I0 : 0 < / small) by (apply Rinv_0_lt_compat; lra).
    assert (J0 : 0 < / (small * large)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
    assert (A : 0 <= (top gamma b - top gamma a) / small <= (top gamma b - top gamma a) / least).
    { split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_l; lra]. }
    assert (B : 0 <= top gamma a * (large - small) / (small * large) <= (risen b - risen a) / least ^ 2).
    { assert (0 <= top gamma a * (large - small)) by (apply Rmult_le_pos; lra).
      assert (top gamma a * (large - small) <= 1 * (large - small)) by (apply Rmult_le_compat_r; lra).
      split; [apply Rmult_le_pos; lra | apply Rmult_le_compat; lra]. }
    assert (F : bounded_by b - bounded_by a =
      ((top gamma b - top gamma a) / least + (risen b - risen a) / least ^ 2) / c).
    { unfold bounded_by. field. split; lra. }
    assert (N : 0 <= high - low) by (rewrite E; apply Rmult_le_pos; lra).
    split; [lra|]. rewrite E, F. apply Rmult_le_compat_r; lra.
  Qed.

  (** What a cell and a side that are left open lie between. *)
  Lemma open_side : forall k v, (k < cells)%nat -> cell_says gamma numerator denominator bits coin k v = None ->
    let a := INR k / INR cells in let b := INR (S k) / INR cells in
    top gamma a / (c * between a b gamma) * INR sides <= INR v + 1 /\
    INR v <= top gamma b / (c * between b a gamma) * INR sides.
  Proof.
    intros k v Hk H a b. destruct (inside gamma bits coin gamma_fits k Hk) as [Ia Ib]. fold cells a b in Ia, Ib.
    assert (W : b - a = / INR cells) by (unfold a, b; rewrite S_INR; field; lra).
    assert (J : 0 < / INR cells) by (apply Rinv_0_lt_compat; assumption).
    assert (Hab : a <= b) by lra.
    pose proof least_positive as L. pose proof (bottom_least a b Ia Ib Hab W) as S.
    pose proof (between_moves a b Ia Hab Ib) as M.
    assert (Sizes : (0 <= Z.of_nat bits /\ 0 <= Z.of_nat coin /\ 0 <= Z.of_nat v)%Z) by lia.
    assert (D : 0 < IZR denominator) by (apply IZR_lt; assumption).
    assert (N : 0 < IZR numerator) by (apply IZR_lt; assumption).
    assert (P : 0 < INR cells ^ power) by (apply pow_lt; assumption).
    assert (Ea : IZR (Z.of_nat k) / IZR (2 ^ Z.of_nat bits) = a) by (rewrite prefixes_real, <- INR_IZR_INZ; reflexivity).
    assert (Eb : IZR (Z.of_nat k + 1) / IZR (2 ^ Z.of_nat bits) = b)
      by (rewrite prefixes_real, plus_IZR, <- INR_IZR_INZ, <- S_INR; reflexivity).
    unfold cell_says, decide in H.
    destruct (Z.leb_spec ((Z.of_nat v + 1) * numerator * scaled_bottom gamma (Z.of_nat bits) (Z.of_nat k + 1) (Z.of_nat k))
      (scaled_top gamma (Z.of_nat bits) (Z.of_nat k) * denominator * 2 ^ Z.of_nat coin)) as [|X]; [discriminate|].
    destruct (Z.leb_spec (scaled_top gamma (Z.of_nat bits) (Z.of_nat k + 1) * denominator * 2 ^ Z.of_nat coin)
      (Z.of_nat v * numerator * scaled_bottom gamma (Z.of_nat bits) (Z.of_nat k) (Z.of_nat k + 1))) as [|Y]; [discriminate|].
    clear H. apply IZR_lt in X. apply IZR_lt in Y.
    rewrite !mult_IZR, plus_IZR, (top_scaled gamma _ _ _ gamma_fits Sizes), (bottom_scaled gamma _ _ _ gamma_fits Sizes),
      Ea, Eb, !prefixes_real, <- INR_IZR_INZ in X.
    rewrite !mult_IZR, (top_scaled gamma _ _ _ gamma_fits Sizes), (bottom_scaled gamma _ _ _ gamma_fits Sizes),
      Ea, Eb, !prefixes_real, <- INR_IZR_INZ in Y.
    fold cells sides power in X, Y. set (large := between a b gamma) in *. set (small := between b a gamma) in *.
    assert (0 < large) by lra. assert (0 < small) by lra.
    split.
    - apply Rmult_le_reg_r with (INR cells ^ power * IZR numerator * large);
        [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption|].
      replace (top gamma a / (c * large) * INR sides * (INR cells ^ power * IZR numerator * large))
        with (top gamma a * INR cells ^ power * IZR denominator * INR sides) by (unfold c; field; repeat split; lra). lra.
    - apply Rmult_le_reg_r with (INR cells ^ power * IZR numerator * small);
        [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption|].
      replace (top gamma b / (c * small) * INR sides * (INR cells ^ power * IZR numerator * small))
        with (top gamma b * INR cells ^ power * IZR denominator * INR sides) by (unfold c; field; repeat split; lra). lra.
  Qed.

  Lemma open_cell : forall k, (k < cells)%nat -> open_mass gamma numerator denominator bits coin k <=
    (bounded_by (INR (S k) / INR cells) - bounded_by (INR k / INR cells) + 2 / INR sides) / INR cells.
  Proof.
    intros k Hk. destruct (inside gamma bits coin gamma_fits k Hk) as [Ia Ib]. fold cells in Ia, Ib.
    set (a := INR k / INR cells) in *. set (b := INR (S k) / INR cells) in *.
    assert (W : b - a = / INR cells) by (unfold a, b; rewrite S_INR; field; lra).
    assert (J : 0 < / INR cells) by (apply Rinv_0_lt_compat; assumption).
    assert (Hab : a <= b) by lra. destruct (enclosed a b Ia Hab Ib W) as [Low High].
    unfold open_mass. apply Rmult_le_compat_r; [lra|].
    apply Rle_trans with (top gamma b / (c * between b a gamma) - top gamma a / (c * between a b gamma) + 2 / INR sides);
      [|lra].
    apply Prefixes.open_mass; [apply prefixes_positive | assumption|].
    intros v Hv. apply (open_side k v Hk Hv).
  Qed.

  Lemma over_telescopes : forall many from, (from + many <= cells)%nat ->
    over (open_mass gamma numerator denominator bits coin) from many <=
    (bounded_by (INR (from + many) / INR cells) - bounded_by (INR from / INR cells) + INR many * (2 / INR sides)) / INR cells.
  Proof.
    induction many as [|n IH]; intros from H; cbn [over].
    - rewrite Nat.add_0_r. simpl INR. right. field. lra.
    - assert (Hf : (from < cells)%nat) by lia. specialize (IH (S from)).
      replace (S from + n)%nat with (from + S n)%nat in IH by lia. specialize (IH H).
      pose proof (open_cell from Hf) as O. rewrite (S_INR n).
      unfold Rdiv in *. rewrite Rmult_plus_distr_r in *. lra.
  Qed.

  Lemma risen_in_all : risen 1 - risen 0 <= 8.
  Proof.
    unfold risen. generalize gamma. intros [|g]; [simpl; lra|].
    replace (1 - 1) with 0 by ring. replace (1 - 0) with 1 by ring. rewrite !pow1, !pow_i by lia. lra.
  Qed.

  (** THEOREM (the open mass vanishes). *)
  Theorem open_vanishes : over (open_mass gamma numerator denominator bits coin) 0 cells <=
    (/ least + 8 / least ^ 2) / c / INR cells + 2 / INR sides.
  Proof.
    pose proof (over_telescopes cells 0 (le_n _)) as O. rewrite Nat.add_0_l in O.
    replace (INR cells / INR cells) with 1 in O by (field; lra).
    replace (INR 0 / INR cells) with 0 in O by (simpl; field; lra).
    assert (B : bounded_by 1 - bounded_by 0 <= (/ least + 8 / least ^ 2) / c).
    { pose proof least_positive as L. destruct (top_between 1) as [T T']; [lra|]. destruct (top_between 0) as [U U']; [lra|].
      pose proof risen_in_all as R.
      replace (bounded_by 1 - bounded_by 0) with
        (((top gamma 1 - top gamma 0) * / least + (risen 1 - risen 0) * / least ^ 2) / c)
        by (unfold bounded_by; field; lra).
      assert (0 < / least) by (apply Rinv_0_lt_compat; assumption).
      assert (0 < / least ^ 2) by (apply Rinv_0_lt_compat, pow_lt; assumption).
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption|].
      apply Rplus_le_compat; [|apply Rmult_le_compat_r; lra].
      rewrite <- (Rmult_1_l (/ least)) at 2. apply Rmult_le_compat_r; lra. }
    apply Rle_trans with (1 := O).
    replace ((bounded_by 1 - bounded_by 0 + INR cells * (2 / INR sides)) / INR cells)
      with ((bounded_by 1 - bounded_by 0) / INR cells + 2 / INR sides) by (field; split; lra).
    apply Rplus_le_compat_r. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption | assumption].
  Qed.
End Vanishing.
