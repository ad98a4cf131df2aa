(** Scaling all heavy-tailed noises up by a factor g raises no probability by more than g^3 (Student t), or g^(gamma - 1).

    Python: [dpselect.mechanisms.smooth.heavy_tail.HeavyTail.power]. *)
Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** The density of |Z| but for a constant; gamma 0 is Student t with three degrees of freedom over sqrt 3. *)
Definition density (gamma : nat) (z : R) : R :=
  match gamma with O => / (1 + z ^ 2) ^ 2 | _ => / (1 + z ^ gamma) end.

Definition cost (gamma : nat) : nat := match gamma with O => 3 | S k => k end.

Lemma density_up : forall gamma g z, 1 <= g -> 0 <= z ->
  0 <= / g * density gamma (z / g) <= g ^ cost gamma * density gamma z.
Proof.
  intros gamma g z Hg Hz. assert (G : 0 < / g) by (apply Rinv_0_lt_compat; lra). unfold density, cost.
  destruct gamma as [|k].
  - assert (Q1 : 0 < 1 + z ^ 2) by nra. assert (Q2 : 0 < g ^ 2 + z ^ 2) by nra.
    replace (/ g * / (1 + (z / g) ^ 2) ^ 2) with (g ^ 3 * / (g ^ 2 + z ^ 2) ^ 2) by (field; repeat split; nra).
    assert (0 < g ^ 3) by (apply pow_lt; lra).
    assert (0 < / (g ^ 2 + z ^ 2) ^ 2) by (apply Rinv_0_lt_compat, pow_lt; assumption).
    split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [lra|].
    apply Rinv_le_contravar; [apply pow_lt; assumption|]. apply pow_incr. nra.
  - assert (P : 0 < g ^ S k) by (apply pow_lt; lra). assert (Pk : 0 < g ^ k) by (apply pow_lt; lra).
    assert (Z : 0 <= z ^ S k) by (apply pow_le; assumption).
    assert (One : 1 <= g ^ S k) by (rewrite <- (pow1 (S k)); apply pow_incr; lra).
    assert (E : / g * / (1 + (z / g) ^ S k) = g ^ k * / (g ^ S k + z ^ S k)).
    { unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. simpl (g ^ S k) in *. field. repeat split; try lra. }
    rewrite E. assert (0 < / (g ^ S k + z ^ S k)) by (apply Rinv_0_lt_compat; lra).
    split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

(** THEOREM (dilation upwards). [behind z] is the chance that all rivals stay behind a noise of z, and [behind' z] the
    same with scaled noises, which is smaller: what a candidate can win with noise of at most b rises by g^3 at most. *)
Theorem dilation_up : forall gamma g b behind behind', 1 <= g -> 0 <= b ->
  (forall z, 0 <= z -> 0 <= behind' z <= behind z) ->
  ex_RInt (fun z => density gamma z * behind z) 0 b ->
  ex_RInt (fun z => / g * density gamma (z / g) * behind' z) 0 b ->
  RInt (fun z => / g * density gamma (z / g) * behind' z) 0 b <=
  g ^ cost gamma * RInt (fun z => density gamma z * behind z) 0 b.
Proof.
  intros gamma g b w w' Hg Hb H I I'.
  assert (E : RInt (fun z => g ^ cost gamma * (density gamma z * w z)) 0 b =
    g ^ cost gamma * RInt (fun z => density gamma z * w z) 0 b)
    by (apply (RInt_scal (fun z => density gamma z * w z)); assumption).
  rewrite <- E. apply RInt_le; [assumption | assumption | apply (ex_RInt_scal (fun z => density gamma z * w z)); assumption|].
  intros z Hz. destruct (density_up gamma g z Hg) as [A B]; [lra|]. destruct (H z) as [C D]; [lra|].
  rewrite <- Rmult_assoc. apply Rmult_le_compat; assumption.
Qed.
