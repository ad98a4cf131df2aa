(** Exact coins: prefixes of a uniform number decide rightly, whatever bits are still to come.

    A coin shows heads where U < p, p = e^(-gap rate). Python: [dpselect.kernel.bernoulli_exp.settle], [dpselect.kernel.bernoulli_exp.flip]. *)
Require Import Reals QArith Qreals Lra Lia ZArith.
From Coquelicot Require Import Rcomplements.
Open Scope R_scope.

(** What the first bits of U say, p lying between low and high. *)
Definition says (low high : Q) (prefix bits : Z) : option bool :=
  if Qle_bool (inject_Z (prefix + 1) / inject_Z (2 ^ bits)) low then Some true
  else if Qle_bool high (inject_Z prefix / inject_Z (2 ^ bits)) then Some false
  else None.

(** U begins with these bits. *)
Definition begins (u : R) (prefix bits : Z) : Prop := IZR prefix / IZR (2 ^ bits) <= u < (IZR prefix + 1) / IZR (2 ^ bits).

Lemma pow_positive : forall bits, (0 <= bits)%Z -> (0 < 2 ^ bits)%Z.
Proof. intros. apply Z.pow_pos_nonneg; lia. Qed.

Lemma Q2R_over : forall k bits, (0 <= bits)%Z ->
  Q2R (inject_Z k / inject_Z (2 ^ bits)) = IZR k / IZR (2 ^ bits).
Proof.
  intros k bits H. pose proof (pow_positive bits H).
  rewrite Q2R_div by (intros E; unfold Qeq in E; simpl in E; lia).
  unfold Q2R, inject_Z, Rdiv. simpl. rewrite !Rinv_1, !Rmult_1_r. reflexivity.
Qed.

Lemma says_right : forall low high p u prefix bits answer, (0 <= bits)%Z -> Q2R low <= p <= Q2R high ->
  begins u prefix bits -> says low high prefix bits = Some answer -> if answer then u < p else p <= u.
Proof.
  intros low high p u prefix bits answer Hb [Hl Hh] [B B'] H. unfold says in H.
  destruct (Qle_bool (inject_Z (prefix + 1) / inject_Z (2 ^ bits)) low) eqn:E.
  - injection H as <-. apply Qle_bool_iff, Qle_Rle in E. rewrite Q2R_over, plus_IZR in E by assumption. lra.
  - destruct (Qle_bool high (inject_Z prefix / inject_Z (2 ^ bits))) eqn:F; [|discriminate].
    injection H as <-. apply Qle_bool_iff, Qle_Rle in F. rewrite Q2R_over in F by assumption. lra.
Qed.

(** Every round draws 64 bits more, and encloses p more narrowly. *)
Fixpoint settle (rounds : nat) (words : nat -> Z) (enclosed : nat -> Q * Q) (prefix bits : Z) : option bool :=
  match rounds with
  | O => None
  | S more =>
    let prefix := (prefix * 2 ^ 64 + words O)%Z in
    let bits := (bits + 64)%Z in
    match says (fst (enclosed O)) (snd (enclosed O)) prefix bits with
    | Some answer => Some answer
    | None => settle more (fun i => words (S i)) (fun i => enclosed (S i)) prefix bits
    end
  end.

(** U begins with the prefix and goes on with the words. *)
Fixpoint goes_on (rounds : nat) (words : nat -> Z) (u : R) (prefix bits : Z) : Prop :=
  begins u prefix bits /\
  match rounds with
  | O => True
  | S more => goes_on more (fun i => words (S i)) u (prefix * 2 ^ 64 + words O)%Z (bits + 64)%Z
  end.

(** THEOREM (settled coins). Whatever round ends it, the answer is U < p: the coin has the chance p, exactly. *)
Theorem settle_right : forall p rounds words enclosed prefix bits u answer, (0 <= bits)%Z ->
  (forall i, Q2R (fst (enclosed i)) <= p <= Q2R (snd (enclosed i))) ->
  goes_on rounds words u prefix bits -> settle rounds words enclosed prefix bits = Some answer ->
  if answer then u < p else p <= u.
Proof.
  intros p. induction rounds as [|rounds IH]; intros words enclosed prefix bits u answer Hb He G H; [discriminate|].
  destruct G as [_ G]. cbn [settle] in H. cbv zeta in H.
  destruct (says (fst (enclosed O)) (snd (enclosed O)) (prefix * 2 ^ 64 + words O) (bits + 64)) as [b|] eqn:E.
  - injection H as ->. apply (says_right _ _ p u _ _ answer) in E; try assumption; try apply He; [lia|].
    destruct rounds; apply G.
  - apply (IH (fun i => words (S i)) (fun i => enclosed (S i)) (prefix * 2 ^ 64 + words O)%Z (bits + 64)%Z u answer);
      try assumption; [lia|]. intros i. apply He.
Qed.

(** THEOREM (a guard). A threshold that floats make of P = 2^32 p, raised by the guard g and wrong by at most a share e of
    itself: a prefix above it is a certain tail, and one below it by 3 g is a certain head. *)
Theorem guard_right : forall P T g e e' k, 0 <= P -> 0 < g <= 1 / 8 -> Rabs e <= g / 8 -> Rabs e' <= g / 8 ->
  T = P * (1 + g) * (1 + e) ->
  (T < k -> P < k) /\ (k + 1 <= T * (1 - 3 * g) * (1 + e') -> k + 1 <= P).
Proof.
  intros P T g e e' k HP [G G'] He He' HT. apply Rabs_le_between in He. apply Rabs_le_between in He'.
  assert (F : 1 <= (1 + g) * (1 + e)) by nra.
  assert (H : (1 + g) * (1 + e) * ((1 - 3 * g) * (1 + e')) <= 1).
  { assert (A : (1 + g) * (1 + e) <= (1 + g) * (1 + g / 8)) by nra.
    assert (B : (1 - 3 * g) * (1 + e') <= (1 - 3 * g) * (1 + g / 8)) by nra.
    assert (0 <= (1 - 3 * g) * (1 + e')) by nra.
    apply Rle_trans with ((1 + g) * (1 + g / 8) * ((1 - 3 * g) * (1 + g / 8))).
    - apply Rmult_le_compat; lra.
    - nra. }
  split; intros K.
  - assert (P * 1 <= P * ((1 + g) * (1 + e))) by (apply Rmult_le_compat_l; assumption). lra.
  - assert (P * ((1 + g) * (1 + e) * ((1 - 3 * g) * (1 + e'))) <= P * 1) by (apply Rmult_le_compat_l; assumption).
    rewrite HT in K. lra.
Qed.
