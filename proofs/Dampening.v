(** Local dampening moves by at most one unit between neighbours, whatever a score of zero means.

    Numbers are rationals, so every definition computes; [Reference.v] extracts them.
    Python: [dpselect.mechanisms.local_dampening.dampen]. *)
Require Import QArith Qabs Lqa Lia.
Open Scope Q_scope.

(** What delta is one step further away. *)
Definition shift (d : nat -> Q) : nat -> Q := fun t => d (S t).

(** D of a score u >= 0: n public steps are walked, and from there on delta is the public ceiling c. *)
Fixpoint damp (n : nat) (c : Q) (d : nat -> Q) (u : Q) : Q :=
  match n with
  | O => u / c
  | S k => if Qlt_le_dec u (d O) then u / d O else 1 + damp k c (shift d) (u - d O)
  end.

(** T: how many zeros delta starts with, at most the public reach. *)
Fixpoint leading (n : nat) (d : nat -> Q) : nat :=
  match n with
  | O => O
  | S k => if Qeq_dec (d O) 0 then S (leading k (shift d)) else O
  end.

(** What a score of zero means: a public fact about the score. *)
Inductive zero := Best | Worst | Neutral.

Definition at_zero (z : zero) (n : nat) (d : nat -> Q) : Q :=
  match z with
  | Best => inject_Z (Z.of_nat (leading n d))
  | Worst => - inject_Z (Z.of_nat (leading n d))
  | Neutral => 0
  end.

(** D is odd in u where u is not zero. *)
Definition D (z : zero) (n : nat) (c : Q) (d : nat -> Q) (u : Q) : Q :=
  match Qcompare u 0 with
  | Eq => at_zero z n d
  | Gt => damp n c d u
  | Lt => - damp n c d (- u)
  end.

Lemma div_mult : forall a b, 0 < b -> a / b * b == a.
Proof. intros. field. lra. Qed.

Lemma div_nonneg : forall a b, 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros a b Ha Hb. apply Qle_shift_div_l; lra. Qed.

Lemma div_le : forall a b k, 0 < b -> a <= k * b -> a / b <= k.
Proof. intros. apply Qle_shift_div_r; lra. Qed.

Lemma div_mono : forall a a' b, 0 < b -> a <= a' -> a / b <= a' / b.
Proof.
  intros. apply Qle_shift_div_l; [assumption|]. rewrite div_mult by assumption. assumption.
Qed.

Lemma div_anti : forall a b b', 0 <= a -> 0 < b -> b <= b' -> a / b' <= a / b.
Proof.
  intros a b b' Ha Hb Hbb. apply Qle_shift_div_r; [lra|].
  setoid_replace a with (a / b * b) at 1 by (symmetry; apply div_mult; assumption).
  assert (0 <= a / b) by (apply div_nonneg; assumption).
  setoid_rewrite Qmult_comm. apply Qmult_le_compat_r; assumption.
Qed.

Lemma damp_nonneg : forall n c d u, 0 < c -> (forall t, 0 <= d t) -> 0 <= u -> 0 <= damp n c d u.
Proof.
  induction n as [|n IH]; intros c d u Hc Hd Hu; simpl.
  - apply div_nonneg; assumption.
  - destruct (Qlt_le_dec u (d O)) as [H|H].
    + apply div_nonneg; lra.
    + assert (0 <= damp n c (shift d) (u - d O)).
      { apply IH; [assumption | intros t; apply Hd | lra]. }
      lra.
Qed.

(** More score, more dampened score. *)
Lemma damp_mono : forall n c d u v, 0 < c -> (forall t, 0 <= d t) -> 0 <= u -> u <= v ->
  damp n c d u <= damp n c d v.
Proof.
  induction n as [|n IH]; intros c d u v Hc Hd Hu Huv; simpl.
  - apply div_mono; assumption.
  - destruct (Qlt_le_dec u (d O)) as [H|H]; destruct (Qlt_le_dec v (d O)) as [H'|H'].
    + apply div_mono; lra.
    + assert (0 <= damp n c (shift d) (v - d O)).
      { apply damp_nonneg; [assumption | intros t; apply Hd | lra]. }
      assert (u / d O <= 1) by (apply div_le; lra). lra.
    + lra.
    + assert (damp n c (shift d) (u - d O) <= damp n c (shift d) (v - d O)).
      { apply IH; [assumption | intros t; apply Hd | lra | lra]. }
      lra.
Qed.

(** More sensitivity, less dampened score; the walk of f is one step shorter than that of e. *)
Lemma damp_anti : forall n c e f v, 0 < c -> (forall t, 0 <= e t <= c) -> (forall t, 0 <= f t) ->
  (forall t, e t <= f t) -> 0 <= v -> damp n c f v <= damp (S n) c e v.
Proof.
  induction n as [|n IH]; intros c e f v Hc He Hf Hef Hv.
  - simpl. destruct (Qlt_le_dec v (e O)) as [H|H].
    + apply div_anti; [assumption | lra | apply He].
    + apply div_le; [assumption|].
      setoid_replace ((1 + (v - e O) / c) * c) with (c + (v - e O) / c * c) by ring.
      rewrite div_mult by assumption. specialize (He O). lra.
  - change (damp (S (S n)) c e v) with
      (if Qlt_le_dec v (e O) then v / e O else 1 + damp (S n) c (shift e) (v - e O)).
    change (damp (S n) c f v) with
      (if Qlt_le_dec v (f O) then v / f O else 1 + damp n c (shift f) (v - f O)).
    pose proof (Hef O) as H0. pose proof (He O) as He0.
    destruct (Qlt_le_dec v (f O)) as [H|H]; destruct (Qlt_le_dec v (e O)) as [H'|H'].
    + apply div_anti; lra.
    + assert (v / f O <= 1) by (apply div_le; lra).
      assert (0 <= damp (S n) c (shift e) (v - e O)).
      { apply damp_nonneg; [assumption | intros t; apply He | lra]. }
      lra.
    + lra.
    + assert (damp n c (shift f) (v - f O) <= damp (S n) c (shift e) (v - f O)).
      { apply IH; [assumption | intros t; apply He | intros t; apply Hf | intros t; apply Hef | lra]. }
      assert (damp (S n) c (shift e) (v - f O) <= damp (S n) c (shift e) (v - e O)).
      { apply damp_mono; [assumption | intros t; apply He | lra | lra]. }
      lra.
Qed.

(** One side of the unit bound, both scores >= 0: needs A2 on one side and u <= v + delta(0) only. *)
Lemma damp_unit : forall n c d e u v, 0 < c ->
  (forall t, 0 <= d t <= c) -> (forall t, 0 <= e t <= c) -> (forall t, e t <= d (S t)) ->
  0 <= u -> 0 <= v -> u <= v + d O ->
  damp n c d u <= 1 + damp n c e v.
Proof.
  intros n c d e u v Hc Hd He Hde Hu Hv Huv.
  assert (Hev : 0 <= damp n c e v) by (apply damp_nonneg; [assumption | intros t; apply He | assumption]).
  destruct n as [|n].
  - simpl. apply div_le; [assumption|].
    setoid_replace ((1 + v / c) * c) with (c + v / c * c) by ring.
    rewrite div_mult by assumption. specialize (Hd O). lra.
  - change (damp (S n) c d u) with (if Qlt_le_dec u (d O) then u / d O else 1 + damp n c (shift d) (u - d O)).
    destruct (Qlt_le_dec u (d O)) as [H|H].
    + assert (u / d O <= 1) by (apply div_le; lra). lra.
    + assert (damp n c (shift d) (u - d O) <= damp n c (shift d) v).
      { apply damp_mono; [assumption | intros t; apply Hd | lra | lra]. }
      assert (damp n c (shift d) v <= damp (S n) c e v).
      { apply damp_anti; [assumption | assumption | intros t; apply Hd | intros t; apply Hde | assumption]. }
      lra.
Qed.

(** A score no larger than delta(0) is dampened to at most its share of delta(0). *)
Lemma damp_small : forall n c d u, 0 < c -> (forall t, 0 <= d t <= c) -> (forall t, d t <= d (S t)) ->
  0 < u -> u <= d O -> damp n c d u <= u / d O.
Proof.
  intros n c d u Hc Hd Hm Hu Hud. pose proof (Hd O) as H0. destruct n as [|n].
  - simpl. apply div_anti; lra.
  - change (damp (S n) c d u) with (if Qlt_le_dec u (d O) then u / d O else 1 + damp n c (shift d) (u - d O)).
    destruct (Qlt_le_dec u (d O)) as [H|H]; [lra|].
    assert (E : u - d O == 0) by lra.
    assert (E1 : u / d O == 1) by (setoid_replace u with (d O) by lra; field; lra).
    destruct n as [|n].
    + simpl. setoid_replace ((u - d O) / c) with 0 by (rewrite E; field; lra). lra.
    + change (damp (S n) c (shift d) (u - d O)) with
        (if Qlt_le_dec (u - d O) (shift d O) then (u - d O) / shift d O
         else 1 + damp n c (shift (shift d)) (u - d O - shift d O)).
      assert (0 < shift d O) by (unfold shift; specialize (Hm O); lra).
      destruct (Qlt_le_dec (u - d O) (shift d O)) as [H2|H2]; [|lra].
      setoid_replace ((u - d O) / shift d O) with 0 by (rewrite E; field; lra). lra.
Qed.

(** The sensitivity of a database, as the mechanism sees it: between 0 and the public ceiling, and
    delta(x,t+1) >= delta(x,t). *)
Definition sane (c : Q) (d : nat -> Q) : Prop := (forall t, 0 <= d t <= c) /\ (forall t, d t <= d (S t)).

(** Admissibility of neighbours: A1 on both sides, A2 in both directions. *)
Definition admissible_pair (d e : nat -> Q) (u v : Q) : Prop :=
  Qabs (u - v) <= d O /\ Qabs (u - v) <= e O /\ (forall t, e t <= d (S t)) /\ (forall t, d t <= e (S t)).

Lemma mixed : forall n c d e u w, 0 < c -> sane c d -> sane c e ->
  0 < u -> 0 < w -> u + w <= d O -> u + w <= e O -> damp n c d u + damp n c e w <= 1.
Proof.
  intros n c d e u w Hc [Hd Hdm] [He Hem] Hu Hw H1 H2.
  assert (damp n c d u <= u / d O) by (apply damp_small; (assumption || lra)).
  assert (damp n c e w <= w / e O) by (apply damp_small; (assumption || lra)).
  assert (u / d O <= u / (u + w)) by (apply div_anti; lra).
  assert (w / e O <= w / (u + w)) by (apply div_anti; lra).
  assert (u / (u + w) + w / (u + w) == 1) by (field; lra).
  lra.
Qed.

Lemma zero_side : forall n c d u, 0 < c -> sane c d -> 0 < u -> u <= d O -> damp n c d u <= 1.
Proof.
  intros n c d u Hc [Hd Hm] Hu H.
  assert (damp n c d u <= u / d O) by (apply damp_small; assumption).
  assert (u / d O <= 1) by (apply div_le; lra). lra.
Qed.

(** ** Zero *)
Lemma leading_moves : forall n d e, (forall t, 0 <= d t) -> (forall t, 0 <= e t) -> (forall t, e t <= d (S t)) ->
  (leading n d <= S (leading n e))%nat.
Proof.
  induction n as [|n IH]; intros d e Hd He H; simpl; [lia|].
  destruct (Qeq_dec (d O) 0) as [_|_]; [|lia].
  destruct n as [|n]; [simpl; lia|].
  destruct (Qeq_dec (e O) 0) as [_|E].
  - apply le_n_S. apply (IH (shift d) (shift e)); intros t; [apply Hd | apply He | apply H].
  - change (leading (S n) (shift d)) with (if Qeq_dec (d 1%nat) 0 then S (leading n (shift (shift d))) else O).
    destruct (Qeq_dec (d 1%nat) 0) as [F|_]; [|lia].
    exfalso. apply E. specialize (H O). specialize (He O). lra.
Qed.

(** Two scores of zero: T moves by at most one. *)
Lemma zeros : forall z n d e, (forall t, 0 <= d t) -> (forall t, 0 <= e t) ->
  (forall t, e t <= d (S t)) -> (forall t, d t <= e (S t)) ->
  -(1) <= at_zero z n d - at_zero z n e <= 1.
Proof.
  intros z n d e Hd He H H'.
  assert (A := leading_moves n d e Hd He H). assert (B := leading_moves n e d He Hd H').
  assert (A' : inject_Z (Z.of_nat (leading n d)) <= inject_Z (Z.of_nat (leading n e)) + 1)
    by (change 1 with (inject_Z 1); rewrite <- inject_Z_plus, <- Zle_Qle; lia).
  assert (B' : inject_Z (Z.of_nat (leading n e)) <= inject_Z (Z.of_nat (leading n d)) + 1)
    by (change 1 with (inject_Z 1); rewrite <- inject_Z_plus, <- Zle_Qle; lia).
  destruct z; simpl; lra.
Qed.

(** A score of zero beside one that is not: by A1 delta is positive at once, and D(0) is 0. *)
Lemma no_zeros : forall z n d, 0 < d O -> at_zero z n d == 0.
Proof.
  intros z n d H.
  assert (E : leading n d = O) by (destruct n; simpl; [|destruct (Qeq_dec (d O) 0); [lra|]]; reflexivity).
  destruct z; simpl; rewrite ?E; reflexivity.
Qed.

(** THEOREM (unit bound). For admissible sensitivities the dampened score moves by at most 1. *)
Theorem unit_bound : forall z n c d e u v, 0 < c -> sane c d -> sane c e -> admissible_pair d e u v ->
  Qabs (D z n c d u - D z n c e v) <= 1.
Proof.
  intros z n c d e u v Hc Hd He [A1d [A1e [A2d A2e]]].
  pose proof Hd as [Hd0 _]. pose proof He as [He0 _].
  apply Qabs_Qle_condition in A1d. apply Qabs_Qle_condition in A1e.
  apply Qabs_Qle_condition. unfold D.
  destruct (Qcompare_spec u 0) as [Hu|Hu|Hu]; destruct (Qcompare_spec v 0) as [Hv|Hv|Hv].
  - apply zeros; try assumption; intros t; [apply Hd0 | apply He0].
  - assert (Z := no_zeros z n d). assert (at_zero z n d == 0) by (apply Z; lra).
    assert (damp n c e (- v) <= 1) by (apply zero_side; (assumption || lra)).
    assert (0 <= damp n c e (- v)) by (apply damp_nonneg; [assumption | intros t; apply He0 | lra]). lra.
  - assert (Z := no_zeros z n d). assert (at_zero z n d == 0) by (apply Z; lra).
    assert (damp n c e v <= 1) by (apply zero_side; (assumption || lra)).
    assert (0 <= damp n c e v) by (apply damp_nonneg; [assumption | intros t; apply He0 | lra]). lra.
  - assert (Z := no_zeros z n e). assert (at_zero z n e == 0) by (apply Z; lra).
    assert (damp n c d (- u) <= 1) by (apply zero_side; (assumption || lra)).
    assert (0 <= damp n c d (- u)) by (apply damp_nonneg; [assumption | intros t; apply Hd0 | lra]). lra.
  - assert (damp n c d (- u) <= 1 + damp n c e (- v)) by (apply damp_unit; (assumption || lra)).
    assert (damp n c e (- v) <= 1 + damp n c d (- u)) by (apply damp_unit; (assumption || lra)). lra.
  - assert (damp n c e v + damp n c d (- u) <= 1) by (apply mixed; (assumption || lra)).
    assert (0 <= damp n c e v) by (apply damp_nonneg; [assumption | intros t; apply He0 | lra]).
    assert (0 <= damp n c d (- u)) by (apply damp_nonneg; [assumption | intros t; apply Hd0 | lra]). lra.
  - assert (Z := no_zeros z n e). assert (at_zero z n e == 0) by (apply Z; lra).
    assert (damp n c d u <= 1) by (apply zero_side; (assumption || lra)).
    assert (0 <= damp n c d u) by (apply damp_nonneg; [assumption | intros t; apply Hd0 | lra]). lra.
  - assert (damp n c d u + damp n c e (- v) <= 1) by (apply mixed; (assumption || lra)).
    assert (0 <= damp n c e (- v)) by (apply damp_nonneg; [assumption | intros t; apply He0 | lra]).
    assert (0 <= damp n c d u) by (apply damp_nonneg; [assumption | intros t; apply Hd0 | lra]). lra.
  - assert (damp n c d u <= 1 + damp n c e v) by (apply damp_unit; (assumption || lra)).
    assert (damp n c e v <= 1 + damp n c d u) by (apply damp_unit; (assumption || lra)). lra.
Qed.
