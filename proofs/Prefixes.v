(** The law of what prefixes decide: the decided mass is at most the law, which is at most the decided and the open mass;
    and the open mass vanishes.

    No measure theory: at every depth there are finitely many prefixes, and all of them weigh the same. *)
Require Import Reals QArith Qreals Lra Lia ZArith List Arith.
From Coquelicot Require Import Coquelicot.
Require Import Coins HeavyTails.
Import ListNotations.
Open Scope R_scope.

(** ** Counting *)
Lemma smallest : forall l : list nat, l <> [] -> exists a, In a l /\ forall k, In k l -> (a <= k)%nat.
Proof.
  induction l as [|k l IH]; intros H; [congruence|]. destruct l as [|k' l].
  - exists k. split; [left; reflexivity|]. intros j [<-|[]]. lia.
  - destruct IH as [a [Ha Hl]]; [discriminate|]. destruct (Nat.le_ge_cases k a).
    + exists k. split; [left; reflexivity|]. intros j [<-|Hj]; [lia|]. specialize (Hl j Hj). lia.
    + exists a. split; [right; assumption|]. intros j [<-|Hj]; auto.
Qed.

Lemma largest : forall l : list nat, l <> [] -> exists b, In b l /\ forall k, In k l -> (k <= b)%nat.
Proof.
  induction l as [|k l IH]; intros H; [congruence|]. destruct l as [|k' l].
  - exists k. split; [left; reflexivity|]. intros j [<-|[]]. lia.
  - destruct IH as [a [Ha Hl]]; [discriminate|]. destruct (Nat.le_ge_cases a k).
    + exists k. split; [left; reflexivity|]. intros j [<-|Hj]; [lia|]. specialize (Hl j Hj). lia.
    + exists a. split; [right; assumption|]. intros j [<-|Hj]; auto.
Qed.

(** Different integers in an interval are at most its length and one. *)
Lemma counted : forall l low high, NoDup l -> (forall k, In k l -> low <= INR k <= high) -> low <= high + 1 ->
  INR (length l) <= high - low + 1.
Proof.
  intros l low high N H Hlh. destruct l as [|k l]; [simpl; lra|]. set (all := k :: l) in *.
  assert (E : all <> []) by discriminate.
  destruct (smallest all E) as [a [Ha La]]. destruct (largest all E) as [b [Hb Lb]].
  assert (I : incl all (seq a (b - a + 1))).
  { intros j Hj. apply in_seq. specialize (La j Hj). specialize (Lb j Hj). lia. }
  apply (NoDup_incl_length N) in I. rewrite seq_length in I. apply le_INR in I.
  rewrite plus_INR, minus_INR in I by (apply La; assumption). change (INR 1) with 1 in I.
  pose proof (H a Ha). pose proof (H b Hb). lra.
Qed.

Section Law.
  Variables (size : nat) (p : R) (decided : nat -> option bool).
  Hypothesis size_positive : (0 < size)%nat.
  Hypothesis p_chance : 0 <= p <= 1.
  (** Prefixes 0 to size - 1; k stands for U in [k, k + 1] / size. *)
  Hypothesis heads_right : forall k, decided k = Some true -> INR k + 1 <= p * INR size.
  Hypothesis tails_right : forall k, decided k = Some false -> p * INR size <= INR k.

  Definition count (answer : option bool) : nat :=
    length (filter (fun k => match decided k, answer with
      | Some true, Some true => true | Some false, Some false => true | None, None => true | _, _ => false end) (seq 0 size)).

  Lemma all_counted : INR (count (Some true)) + INR (count (Some false)) + INR (count None) = INR size.
  Proof.
    rewrite <- !plus_INR. f_equal. unfold count. rewrite <- (seq_length size 0) at 4.
    induction (seq 0 size) as [|k l IH]; simpl; [reflexivity|]. destruct (decided k) as [[|]|]; simpl; lia.
  Qed.

  Lemma real_size : 0 < INR size.
  Proof. apply lt_0_INR. assumption. Qed.

  (** THEOREM (finite prefixes). Decided heads, over all prefixes, are at most the chance, which is at most the decided
      and the open ones. *)
  Theorem prefix_law :
    INR (count (Some true)) / INR size <= p <= (INR (count (Some true)) + INR (count None)) / INR size.
  Proof.
    pose proof real_size as S. pose proof all_counted as A.
    assert (H : INR (count (Some true)) <= p * INR size).
    { apply Rle_trans with (p * INR size - 1 - 0 + 1); [|lra]. apply counted.
      - apply NoDup_filter, seq_NoDup.
      - intros k Hk. apply filter_In in Hk. destruct Hk as [_ Hk].
        destruct (decided k) as [[|]|] eqn:E; try discriminate. pose proof (heads_right k E). pose proof (pos_INR k). lra.
      - pose proof (Rmult_le_pos p (INR size)). lra. }
    assert (T : INR (count (Some false)) <= INR size - p * INR size).
    { apply Rle_trans with (INR size - 1 - p * INR size + 1); [|lra]. apply counted.
      - apply NoDup_filter, seq_NoDup.
      - intros k Hk. apply filter_In in Hk. destruct Hk as [Hs Hk]. apply in_seq in Hs.
        destruct (decided k) as [[|]|] eqn:E; try discriminate. pose proof (tails_right k E).
        assert (L : (k + 1 <= size)%nat) by lia. apply le_INR in L. rewrite plus_INR in L. simpl in L. lra.
      - assert (p * INR size <= 1 * INR size) by (apply Rmult_le_compat_r; lra). lra. }
    split; apply Rmult_le_reg_r with (INR size); try assumption.
    - replace (INR (count (Some true)) / INR size * INR size) with (INR (count (Some true))) by (field; lra). lra.
    - replace ((INR (count (Some true)) + INR (count None)) / INR size * INR size)
        with (INR (count (Some true)) + INR (count None)) by (field; lra). lra.
  Qed.

  Variables low high : R.
  Hypothesis low_high : low <= high.
  Hypothesis open_between : forall k, decided k = None -> low * INR size <= INR k + 1 /\ INR k <= high * INR size.

  (** THEOREM. The open mass is at most the width of the enclosure and two prefixes. *)
  Theorem open_mass : INR (count None) / INR size <= high - low + 2 / INR size.
  Proof.
    pose proof real_size as S.
    assert (O : INR (count None) <= (high - low) * INR size + 2).
    { apply Rle_trans with (high * INR size - (low * INR size - 1) + 1); [|lra]. apply counted.
      - apply NoDup_filter, seq_NoDup.
      - intros k Hk. apply filter_In in Hk. destruct Hk as [_ Hk].
        destruct (decided k) as [[|]|] eqn:E; try discriminate. pose proof (open_between k E). lra.
      - assert (low * INR size <= high * INR size) by (apply Rmult_le_compat_r; lra). lra. }
    apply Rmult_le_reg_r with (INR size); [assumption|].
    replace (INR (count None) / INR size * INR size) with (INR (count None)) by (field; lra).
    replace ((high - low + 2 / INR size) * INR size) with ((high - low) * INR size + 2) by (field; lra). assumption.
  Qed.
End Law.

(** ** Coins *)
Definition coin_says (low high : Q) (bits k : nat) : option bool := says low high (Z.of_nat k) (Z.of_nat bits).

Definition prefixes (bits : nat) : nat := (2 ^ bits)%nat.

Lemma prefixes_positive : forall bits, (0 < prefixes bits)%nat.
Proof. intros. unfold prefixes. apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia. Qed.

Lemma prefixes_real : forall bits, IZR (2 ^ Z.of_nat bits) = INR (prefixes bits).
Proof. intros. unfold prefixes. rewrite INR_IZR_INZ, Nat2Z.inj_pow. reflexivity. Qed.

(** THEOREM (the law of a coin). With an enclosure of p at every depth, the chance of heads by that depth and the open
    rest enclose p, and the rest is at most the width of the enclosure and two prefixes: both laws are p. *)
Theorem coin_law : forall p low high bits, 0 <= p <= 1 -> Q2R low <= p <= Q2R high ->
  let heads := INR (count (prefixes bits) (coin_says low high bits) (Some true)) / INR (prefixes bits) in
  let rest := INR (count (prefixes bits) (coin_says low high bits) None) / INR (prefixes bits) in
  heads <= p <= heads + rest /\ rest <= Q2R high - Q2R low + 2 / INR (prefixes bits).
Proof.
  intros p low high bits Hp Hlh heads rest. assert (S := prefixes_positive bits).
  assert (R : 0 < INR (prefixes bits)) by (apply lt_0_INR; assumption).
  assert (B : (0 <= Z.of_nat bits)%Z) by lia.
  assert (Scale : forall x y, x / INR (prefixes bits) <= y <-> x <= y * INR (prefixes bits)).
  { intros x y. split; intros H.
    - apply Rmult_le_compat_r with (r := INR (prefixes bits)) in H; [|lra].
      replace (x / INR (prefixes bits) * INR (prefixes bits)) with x in H by (field; lra). assumption.
    - apply Rmult_le_reg_r with (INR (prefixes bits)); [assumption|].
      replace (x / INR (prefixes bits) * INR (prefixes bits)) with x by (field; lra). assumption. }
  assert (Scale' : forall x y, y <= x / INR (prefixes bits) <-> y * INR (prefixes bits) <= x).
  { intros x y. split; intros H.
    - apply Rmult_le_compat_r with (r := INR (prefixes bits)) in H; [|lra].
      replace (x / INR (prefixes bits) * INR (prefixes bits)) with x in H by (field; lra). assumption.
    - apply Rmult_le_reg_r with (INR (prefixes bits)); [assumption|].
      replace (x / INR (prefixes bits) * INR (prefixes bits)) with x by (field; lra). assumption. }
  assert (Low : forall k, Qle_bool (inject_Z (Z.of_nat k + 1) / inject_Z (2 ^ Z.of_nat bits)) low = true <->
    INR k + 1 <= Q2R low * INR (prefixes bits)).
  { intros k. rewrite Qle_bool_iff, <- Scale. rewrite <- prefixes_real, INR_IZR_INZ, <- plus_IZR, <- Q2R_over by assumption.
    split; [apply Qle_Rle | apply Rle_Qle]. }
  assert (High : forall k, Qle_bool high (inject_Z (Z.of_nat k) / inject_Z (2 ^ Z.of_nat bits)) = true <->
    Q2R high * INR (prefixes bits) <= INR k).
  { intros k. rewrite Qle_bool_iff, <- Scale'. rewrite <- prefixes_real, INR_IZR_INZ, <- Q2R_over by assumption.
    split; [apply Qle_Rle | apply Rle_Qle]. }
  assert (Mono : forall x y, x <= y -> x * INR (prefixes bits) <= y * INR (prefixes bits))
    by (intros; apply Rmult_le_compat_r; lra).
  split.
  - unfold heads, rest. rewrite <- Rdiv_plus_distr. apply prefix_law; try assumption;
      intros k H; unfold coin_says, says in H;
      destruct (Qle_bool (inject_Z (Z.of_nat k + 1) / inject_Z (2 ^ Z.of_nat bits)) low) eqn:E; try discriminate.
    + apply Low in E. pose proof (Mono (Q2R low) p). lra.
    + destruct (Qle_bool high (inject_Z (Z.of_nat k) / inject_Z (2 ^ Z.of_nat bits))); discriminate.
    + destruct (Qle_bool high (inject_Z (Z.of_nat k) / inject_Z (2 ^ Z.of_nat bits))) eqn:F; [|discriminate].
      apply High in F. pose proof (Mono p (Q2R high)). lra.
  - apply open_mass; try assumption; [lra|]. intros k H. unfold coin_says, says in H.
    destruct (Qle_bool (inject_Z (Z.of_nat k + 1) / inject_Z (2 ^ Z.of_nat bits)) low) eqn:E; [discriminate|].
    destruct (Qle_bool high (inject_Z (Z.of_nat k) / inject_Z (2 ^ Z.of_nat bits))) eqn:F; [discriminate|].
    split.
    + destruct (Rle_lt_dec (Q2R low * INR (prefixes bits)) (INR k + 1)) as [L|L]; [assumption|].
      assert (G : Qle_bool (inject_Z (Z.of_nat k + 1) / inject_Z (2 ^ Z.of_nat bits)) low = true) by (apply Low; lra).
      congruence.
    + destruct (Rle_lt_dec (INR k) (Q2R high * INR (prefixes bits))) as [L|L]; [assumption|].
      assert (G : Qle_bool high (inject_Z (Z.of_nat k) / inject_Z (2 ^ Z.of_nat bits)) = true) by (apply High; lra).
      congruence.
Qed.
