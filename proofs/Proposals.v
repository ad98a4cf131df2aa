(** The law of accepted proposals: what prefixes of U and V have decided, in any interval of U, is at most the integral
    of the share that is accepted, which is at most the decided and the open; and the open mass vanishes.

    So accepted U have a density proportional to (1 + z)^2 h(z), exactly.
    Python: [dpselect.kernel.samplers.heavy_families.settle]. *)
Require Import Reals Lra Lia ZArith List Arith.
From Coquelicot Require Import Coquelicot.
Require Import HeavyTails Prefixes.
Import ListNotations.
Open Scope R_scope.

Section Proposals.
  Variables (gamma : nat) (numerator denominator : Z) (bits coin : nat).
  Hypothesis gamma_fits : gamma <> 1%nat.
  Hypothesis numerator_positive : (0 < numerator)%Z.
  Hypothesis denominator_positive : (0 < denominator)%Z.

  Let c := IZR numerator / IZR denominator.
  Hypothesis enough : forall u, 0 <= u <= 1 -> top gamma u <= c * bottom gamma u.

  Let cells := prefixes bits.
  Let sides := prefixes coin.

  (** The share of proposals at U = u that is accepted. *)
  Definition share (u : R) : R := top gamma u / (c * bottom gamma u).

  Definition cell_says (k v : nat) : option bool :=
    decide gamma numerator denominator (Z.of_nat k) (Z.of_nat k + 1) (Z.of_nat v) (Z.of_nat bits) (Z.of_nat coin).

  Definition decided_mass (k : nat) : R := INR (count sides (cell_says k) (Some true)) / INR sides / INR cells.
  Definition open_mass (k : nat) : R := INR (count sides (cell_says k) None) / INR sides / INR cells.

  Fixpoint over (mass : nat -> R) (from many : nat) : R :=
    match many with O => 0 | S n => mass from + over mass (S from) n end.

  Lemma c_positive : 0 < c.
  Proof. apply Rdiv_lt_0_compat; apply IZR_lt; assumption. Qed.

  Lemma bottom_positive : forall u, 0 <= u <= 1 -> 0 < bottom gamma u.
  Proof.
    intros u H. unfold bottom. destruct gamma as [|g]; [apply pow_lt; nra|].
    assert (A : 0 <= u ^ S g) by (apply pow_le; lra). assert (B : 0 <= (1 - u) ^ S g) by (apply pow_le; lra).
    destruct (Req_dec u 0) as [->|E].
    - rewrite Rminus_0_r, pow1. lra.
    - assert (0 < u ^ S g) by (apply pow_lt; lra). lra.
  Qed.

  Lemma real_cells : 0 < INR cells.
  Proof. apply lt_0_INR, prefixes_positive. Qed.

  Lemma real_sides : 0 < INR sides.
  Proof. apply lt_0_INR, prefixes_positive. Qed.

  Lemma inside : forall k, (k < cells)%nat -> 0 <= INR k / INR cells /\ INR (S k) / INR cells <= 1.
  Proof.
    intros k H. pose proof real_cells. split.
    - apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat; assumption].
    - apply Rmult_le_reg_r with (INR cells); [assumption|].
      replace (INR (S k) / INR cells * INR cells) with (INR (S k)) by (field; lra). rewrite Rmult_1_l. apply le_INR. lia.
  Qed.

  (** What a decision about one cell and one side says of the share. *)
  Lemma cell_right : forall k v answer u, (k < cells)%nat ->
    INR k / INR cells <= u <= INR (S k) / INR cells -> cell_says k v = Some answer ->
    if answer then INR v + 1 <= share u * INR sides else share u * INR sides <= INR v.
  Proof.
    intros k v answer u Hk Hu H. pose proof real_cells. pose proof real_sides. pose proof c_positive.
    destruct (inside k Hk) as [I I']. assert (B : 0 < bottom gamma u) by (apply bottom_positive; lra).
    assert (CB : 0 < c * bottom gamma u) by (apply Rmult_lt_0_compat; assumption).
    assert (D : forall w, INR v / INR sides <= w <= (INR v + 1) / INR sides ->
      if answer then w * c * bottom gamma u <= top gamma u else top gamma u <= w * c * bottom gamma u).
    { intros w Hw. unfold c.
      apply (decide_right gamma numerator denominator (Z.of_nat k) (Z.of_nat k + 1) (Z.of_nat v)
        (Z.of_nat bits) (Z.of_nat coin)); try assumption; try lia.
      - rewrite prefixes_real, plus_IZR, <- INR_IZR_INZ, <- S_INR. assumption.
      - rewrite prefixes_real, <- INR_IZR_INZ. assumption.
      - apply Z.lt_pred_le. unfold cells, prefixes in Hk. apply inj_lt in Hk. rewrite Nat2Z.inj_pow in Hk.
        change (Z.of_nat 2) with 2%Z in Hk. lia. }
    unfold share. destruct answer.
    - specialize (D ((INR v + 1) / INR sides)). assert (L : INR v / INR sides <= (INR v + 1) / INR sides).
      { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption | lra]. }
      specialize (D (conj L (Rle_refl _))).
      apply Rmult_le_reg_r with (c * bottom gamma u / INR sides); [apply Rdiv_lt_0_compat; assumption|].
      replace (top gamma u / (c * bottom gamma u) * INR sides * (c * bottom gamma u / INR sides)) with (top gamma u)
        by (field; repeat split; lra).
      replace ((INR v + 1) * (c * bottom gamma u / INR sides)) with ((INR v + 1) / INR sides * c * bottom gamma u)
        by (field; lra). assumption.
    - specialize (D (INR v / INR sides)). assert (L : INR v / INR sides <= (INR v + 1) / INR sides).
      { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption | lra]. }
      specialize (D (conj (Rle_refl _) L)).
      apply Rmult_le_reg_r with (c * bottom gamma u / INR sides); [apply Rdiv_lt_0_compat; assumption|].
      replace (top gamma u / (c * bottom gamma u) * INR sides * (c * bottom gamma u / INR sides)) with (top gamma u)
        by (field; repeat split; lra).
      replace (INR v * (c * bottom gamma u / INR sides)) with (INR v / INR sides * c * bottom gamma u)
        by (field; lra). assumption.
  Qed.

  Lemma share_chance : forall u, 0 <= u <= 1 -> 0 <= share u <= 1.
  Proof.
    intros u H. pose proof c_positive. pose proof (bottom_positive u H). pose proof (enough u H).
    assert (CB : 0 < c * bottom gamma u) by (apply Rmult_lt_0_compat; assumption).
    assert (T : 0 <= top gamma u) by (unfold top; destruct gamma; apply pow_le; lra).
    unfold share. split.
    - apply Rmult_le_pos; [assumption | apply Rlt_le, Rinv_0_lt_compat; assumption].
    - apply Rmult_le_reg_r with (c * bottom gamma u); [assumption|].
      replace (top gamma u / (c * bottom gamma u) * (c * bottom gamma u)) with (top gamma u) by (field; lra). lra.
  Qed.

  Lemma cell_law : forall k u, (k < cells)%nat -> INR k / INR cells <= u <= INR (S k) / INR cells ->
    decided_mass k <= share u / INR cells <= decided_mass k + open_mass k.
  Proof.
    intros k u Hk Hu. pose proof real_cells. destruct (inside k Hk) as [I I'].
    assert (P : 0 <= share u <= 1) by (apply share_chance; lra).
    destruct (prefix_law sides (share u) (cell_says k) (prefixes_positive coin) P) as [A B].
    - intros v H'. apply (cell_right k v true u Hk Hu H').
    - intros v H'. apply (cell_right k v false u Hk Hu H').
    - unfold decided_mass, open_mass. assert (J : 0 <= / INR cells) by (apply Rlt_le, Rinv_0_lt_compat; assumption).
      split; [apply Rmult_le_compat_r; assumption|].
      rewrite <- Rdiv_plus_distr, <- Rdiv_plus_distr. apply Rmult_le_compat_r; assumption.
  Qed.

  Lemma continuous_pow : forall n (x : R), continuous (fun x => x ^ n) x.
  Proof.
    induction n as [|n IH]; intros x; simpl; [apply continuous_const|].
    apply (continuous_mult (fun x => x) (fun x => x ^ n)); [apply continuous_id | apply IH].
  Qed.

  Lemma continuous_share : forall u, 0 <= u <= 1 -> continuous share u.
  Proof.
    intros u H. pose proof c_positive. pose proof (bottom_positive u H).
    assert (T : forall x, continuous (top gamma) x) by (intros x; unfold top; destruct gamma; apply continuous_pow).
    assert (R : forall n x, continuous (fun x => (1 - x) ^ n) x).
    { intros n x. apply (continuous_comp (fun x => 1 - x) (fun y => y ^ n)); [|apply continuous_pow].
      apply (continuous_minus (fun _ => 1) (fun x => x)); [apply continuous_const | apply continuous_id]. }
    assert (B : forall x, continuous (bottom gamma) x).
    { intros x. unfold bottom. destruct gamma as [|g].
      - apply (continuous_comp (fun x => x ^ 2 + (1 - x) ^ 2) (fun y => y ^ 2)); [|apply continuous_pow].
        apply (continuous_plus (fun x => x ^ 2) (fun x => (1 - x) ^ 2)); [apply continuous_pow | apply R].
      - apply (continuous_plus (fun x => x ^ S g) (fun x => (1 - x) ^ S g)); [apply continuous_pow | apply R]. }
    unfold share, Rdiv. apply (continuous_mult (top gamma) (fun u => / (c * bottom gamma u))); [apply T|].
    apply (continuous_Rinv_comp (fun u => c * bottom gamma u)).
    - apply (continuous_mult (fun _ => c) (bottom gamma)); [apply continuous_const | apply B].
    - apply Rgt_not_eq, Rmult_lt_0_compat; assumption.
  Qed.

  Lemma integrable_share : forall a b, 0 <= a -> a <= b -> b <= 1 -> ex_RInt share a b.
  Proof.
    intros a b Ha Hab Hb. apply (ex_RInt_continuous share). intros x Hx.
    rewrite Rmin_left, Rmax_right in Hx by assumption. apply continuous_share. lra.
  Qed.

  Lemma one_cell : forall k, (k < cells)%nat ->
    decided_mass k <= RInt share (INR k / INR cells) (INR (S k) / INR cells) <= decided_mass k + open_mass k.
  Proof.
    intros k Hk. pose proof real_cells. destruct (inside k Hk) as [I I'].
    set (a := INR k / INR cells) in *. set (b := INR (S k) / INR cells) in *.
    assert (W : b - a = / INR cells) by (unfold a, b; rewrite S_INR; field; lra).
    assert (J : 0 < / INR cells) by (apply Rinv_0_lt_compat; assumption).
    assert (L : a <= b) by lra.
    assert (C : forall m, RInt (fun _ => m * INR cells) a b = m).
    { intros m. rewrite RInt_const, W. unfold scal. simpl. unfold mult. simpl. field. lra. }
    assert (S : forall u, a < u < b -> decided_mass k * INR cells <= share u <= (decided_mass k + open_mass k) * INR cells).
    { intros u Hu. assert (Hu' : a <= u <= b) by lra. destruct (cell_law k u Hk Hu') as [A B].
      assert (E : share u = share u / INR cells * INR cells) by (field; lra). rewrite E.
      split; apply Rmult_le_compat_r; lra. }
    split.
    - rewrite <- (C (decided_mass k)). apply RInt_le; [assumption | apply ex_RInt_const | |].
      + apply integrable_share; assumption.
      + intros u Hu. apply S. assumption.
    - rewrite <- (C (decided_mass k + open_mass k)). apply RInt_le; [assumption | | apply ex_RInt_const |].
      + apply integrable_share; assumption.
      + intros u Hu. apply S. assumption.
  Qed.

  (** THEOREM (the law of accepted proposals). In every interval of cells. *)
  Theorem proposal_law : forall many from, (from + many <= cells)%nat ->
    over decided_mass from many <= RInt share (INR from / INR cells) (INR (from + many) / INR cells) <=
    over decided_mass from many + over open_mass from many.
  Proof.
    pose proof real_cells as P.
    induction many as [|n IH]; intros from H; simpl over.
    - rewrite Nat.add_0_r, RInt_point. unfold zero. simpl. lra.
    - assert (Hf : (from < cells)%nat) by lia. specialize (IH (S from)).
      replace (S from + n)%nat with (from + S n)%nat in IH by lia. specialize (IH H).
      destruct (one_cell from Hf) as [A B]. destruct (inside from Hf) as [I I'].
      assert (M : INR (S from) / INR cells <= INR (from + S n) / INR cells).
      { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption|]. apply le_INR. lia. }
      assert (E : INR (from + S n) / INR cells <= 1).
      { apply Rmult_le_reg_r with (INR cells); [assumption|].
        replace (INR (from + S n) / INR cells * INR cells) with (INR (from + S n)) by (field; lra).
        rewrite Rmult_1_l. apply le_INR. assumption. }
      assert (L : INR from / INR cells <= INR (S from) / INR cells).
      { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption|]. apply le_INR. lia. }
      assert (Z : 0 <= INR (S from) / INR cells) by lra.
      assert (C : RInt share (INR from / INR cells) (INR (S from) / INR cells) +
        RInt share (INR (S from) / INR cells) (INR (from + S n) / INR cells) =
        RInt share (INR from / INR cells) (INR (from + S n) / INR cells)).
      { apply (RInt_Chasles share); apply integrable_share; assumption. }
      lra.
  Qed.
End Proposals.
