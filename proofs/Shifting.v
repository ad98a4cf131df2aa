(** Shifted local dampening is a closed form, and moves by at most one unit between neighbours.

    Python: [dpselect.mechanisms.shifted_local_dampening.shift]. *)
Require Import QArith Qabs Lqa Lia.
Require Import Dampening.
Open Scope Q_scope.

(** Sum of the first n sensitivities. *)
Fixpoint total (n : nat) (d : nat -> Q) : Q := match n with O => 0 | S k => d O + total k (shift d) end.

(** C(x, r): how much less sensitive this database is than the worst, summed up to the public reach. *)
Definition slack (n : nat) (c : Q) (d : nat -> Q) : Q := inject_Z (Z.of_nat n) * c - total n d.

(** The direction is a public choice. *)
Inductive direction := Growing | Shrinking.

(** (u - C) / c or (u + C) / c. *)
Definition shifted (w : direction) (n : nat) (c : Q) (d : nat -> Q) (u : Q) : Q :=
  match w with
  | Growing => (u - slack n c d) / c
  | Shrinking => (u + slack n c d) / c
  end.

Lemma total_nonneg : forall n d, (forall t, 0 <= d t) -> 0 <= total n d.
Proof.
  induction n as [|n IH]; intros d Hd; simpl; [lra|].
  assert (0 <= total n (shift d)) by (apply IH; intros t; apply Hd). specialize (Hd O). lra.
Qed.

Lemma damp_far : forall n c d w, 0 < c -> (forall t, 0 <= d t) -> total n d <= w ->
  damp n c d w == inject_Z (Z.of_nat n) + (w - total n d) / c.
Proof.
  induction n as [|n IH]; intros c d w Hc Hd Hw.
  - simpl. field. lra.
  - change (damp (S n) c d w) with (if Qlt_le_dec w (d O) then w / d O else 1 + damp n c (shift d) (w - d O)).
    change (total (S n) d) with (d O + total n (shift d)) in *.
    assert (0 <= total n (shift d)) by (apply total_nonneg; intros t; apply Hd).
    destruct (Qlt_le_dec w (d O)) as [H1|H1]; [lra|].
    rewrite IH; [| assumption | intros t; apply Hd | lra].
    rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. field. lra.
Qed.

(** THEOREM (closed form). From a shift beyond b(reach) on, dampening u - s *equals* (u - C)/c less the public
    constant s/c, and dampening u + s equals (u + C)/c plus s/c: no limit is needed, and no zero is met. *)
Theorem shifted_growing : forall z n c d u s, 0 < c -> (forall t, 0 <= d t) -> u < s -> total n d <= s - u ->
  D z n c d (u - s) == shifted Growing n c d u - s / c.
Proof.
  intros z n c d u s Hc Hd Hus Hs. unfold D, shifted.
  destruct (Qcompare_spec (u - s) 0) as [H|H|H]; try lra.
  setoid_replace (- damp n c d (- (u - s))) with (- (inject_Z (Z.of_nat n) + (- (u - s) - total n d) / c)).
  - unfold slack. field. lra.
  - rewrite damp_far; [reflexivity | assumption | assumption | lra].
Qed.

Theorem shifted_shrinking : forall z n c d u s, 0 < c -> (forall t, 0 <= d t) -> 0 < u + s -> total n d <= u + s ->
  D z n c d (u + s) == shifted Shrinking n c d u + s / c.
Proof.
  intros z n c d u s Hc Hd Hus Hs. unfold D, shifted.
  destruct (Qcompare_spec (u + s) 0) as [H|H|H]; try lra.
  rewrite damp_far by assumption. unfold slack. field. lra.
Qed.

(** With one flat sensitivity c the shifted score is u / c: the exponential mechanism. *)
Lemma total_flat : forall n c, total n (fun _ => c) == inject_Z (Z.of_nat n) * c.
Proof.
  induction n as [|n IH]; intros c; [simpl; ring|].
  change (total (S n) (fun _ => c)) with (c + total n (fun _ => c)). rewrite IH.
  rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. ring.
Qed.

Lemma total_step : forall n d e, (forall t, e t <= d (S t)) -> total n e <= total n (shift d).
Proof.
  induction n as [|n IH]; intros d e H; simpl; [lra|].
  assert (total n (shift e) <= total n (shift (shift d))) by (apply IH; intros t; apply H).
  pose proof (H O). change (shift d O) with (d 1%nat). lra.
Qed.

Lemma total_last : forall n d, total (S n) d == total n d + d n.
Proof.
  induction n as [|n IH]; intros d; [simpl; ring|].
  change (total (S (S n)) d) with (d O + total (S n) (shift d)).
  change (total (S n) d) with (d O + total n (shift d)).
  rewrite IH. unfold shift at 2. ring.
Qed.

(** C(x) - C(y) <= c - delta(x, 0): what gives the shifted score its unit bound. *)
Lemma slack_moves : forall n c d e, (forall t, 0 <= d t <= c) -> (forall t, 0 <= e t <= c) ->
  (forall t, e t <= d (S t)) -> slack n c d - slack n c e <= c - d O.
Proof.
  intros n c d e Hd He H. destruct n as [|n]; [unfold slack; simpl; specialize (Hd O); lra|]. unfold slack.
  pose proof (total_last n e) as L. pose proof (total_step n d e H) as T.
  assert (F : total (S n) d == d O + total n (shift d)) by reflexivity.
  specialize (He n). generalize dependent (total (S n) d). generalize dependent (total (S n) e). intros.
  generalize (inject_Z (Z.of_nat (S n)) * c). intros. lra.
Qed.

(** THEOREM (unit bound of shifted dampening). For admissible sensitivities it moves by at most 1. *)
Theorem shifted_unit_bound : forall w n c d e u v, 0 < c -> sane c d -> sane c e -> admissible_pair d e u v ->
  Qabs (shifted w n c d u - shifted w n c e v) <= 1.
Proof.
  intros w n c d e u v Hc [Hd _] [He _] [A1d [A1e [A2d A2e]]].
  apply Qabs_Qle_condition in A1d. apply Qabs_Qle_condition in A1e.
  assert (slack n c d - slack n c e <= c - d O) by (apply slack_moves; assumption).
  assert (slack n c e - slack n c d <= c - e O) by (apply slack_moves; assumption).
  apply Qabs_Qle_condition. destruct w; unfold shifted.
  - setoid_replace ((u - slack n c d) / c - (v - slack n c e) / c)
      with ((u - v - (slack n c d - slack n c e)) / c) by (field; lra).
    split; [apply Qle_shift_div_l | apply Qle_shift_div_r]; (assumption || lra).
  - setoid_replace ((u + slack n c d) / c - (v + slack n c e) / c)
      with ((u - v + (slack n c d - slack n c e)) / c) by (field; lra).
    split; [apply Qle_shift_div_l | apply Qle_shift_div_r]; (assumption || lra).
Qed.
