(** The proved definitions as a program: what reference.ml computes vectors with.

    Laws over reals are extracted as their twins over rationals, which are proved equal here. *)
Require Import QArith Qreals Reals Lra Lqa List ZArith.
Require Import Dampening Shifting Ticks Exponential Releases Coins HeavyTails Flips OneShotReference.
Require Extraction.
Require ExtrOcamlBasic ExtrOcamlNatInt.
Import ListNotations.
Open Scope Q_scope.

Fixpoint expect_rational (l : list Q) (f : nat -> Q) : Q :=
  match l with
  | [] => f O
  | q :: l => q * expect_rational l (fun h => f (S h)) + (1 - q) * expect_rational l f
  end.

Definition flip_all_rational (p : Q) (l : list Q) : Q := p * expect_rational l (fun h => / inject_Z (Z.of_nat h + 1)).

Lemma expect_real : forall l f g, (forall h, Q2R (f h) = g h) ->
  Q2R (expect_rational l f) = expect (map Q2R l) g.
Proof.
  induction l as [|q l IH]; intros f g H; simpl; [apply H|].
  rewrite Q2R_plus, !Q2R_mult, Q2R_minus, RMicromega.Q2R_1.
  rewrite (IH (fun h => f (S h)) (fun h => g (S h))) by (intros; apply H). rewrite (IH f g H). reflexivity.
Qed.

(** THEOREM. The law of flipping all coins over rationals is the one over reals. *)
Theorem flip_all_extracted : forall p l, Q2R (flip_all_rational p l) = flip_all (Q2R p) (map Q2R l).
Proof.
  intros p l. unfold flip_all_rational, flip_all. rewrite Q2R_mult. f_equal. apply expect_real. intros h.
  rewrite Q2R_inv by (intros E; unfold Qeq in E; simpl in E; pose proof (Zle_0_nat h); rewrite Z.mul_1_r in E;
    assert (0 < Z.of_nat h + 1)%Z by (apply Z.lt_succ_r; assumption); rewrite E in *; discriminate).
  unfold Q2R, inject_Z. simpl. rewrite Rinv_1, Rmult_1_r, plus_IZR, <- INR_IZR_INZ. reflexivity.
Qed.

(** Every candidate's chance, from all coins. *)
Fixpoint chances (before after : list Q) : list Q :=
  match after with
  | [] => []
  | p :: rest => Qred (flip_all_rational p (before ++ rest)) :: chances (before ++ [p]) rest
  end.

Definition softmax_rational (weights : list Q) : list Q :=
  map (fun r => Qred (exponential (fun s => nth s weights 0) (seq 0 (length weights)) r)) (seq 0 (length weights)).

Definition dampened (z : zero) (n : nat) (c : Q) (d : nat -> Q) (u : Q) : Q := Qred (D z n c d u).
Definition shifted_by (w : direction) (n : nat) (c : Q) (d : nat -> Q) (u : Q) : Q := Qred (shifted w n c d u).
Definition tick (T : Z) (bound q : Q) : Z := Qround.Qfloor (inject_Z T * clip bound q).

Extraction Language OCaml.
Set Warnings "-extraction-default-directory".
Extraction "definitions.ml" dampened shifted_by tick chances softmax_rational decide after settle
  one_shot_rational Qred.
