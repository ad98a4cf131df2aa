(** Uniform candidates, one after the other, until a coin shows heads: the exponential mechanism.

    Python: [dpselect.kernel.samplers.exponential]. *)
Require Import QArith Lqa Lia List.
Require Import Exponential.
Import ListNotations.
Open Scope Q_scope.

(** Pr[r is returned within n trials]: a trial tries each of [size] candidates alike, and r's coin has the chance w r. *)
Fixpoint returned (w : nat -> Q) (some : list nat) (r n : nat) : Q :=
  let size := inject_Z (Z.of_nat (length some)) in
  match n with
  | O => 0
  | S n => w r / size + (1 - weighed w some / size) * returned w some r n
  end.

(** Pr[no coin of n trials shows heads]. *)
Fixpoint open (w : nat -> Q) (some : list nat) (n : nat) : Q :=
  match n with
  | O => 1
  | S n => (1 - weighed w some / inject_Z (Z.of_nat (length some))) * open w some n
  end.

(** THEOREM (rejection). Within n trials each candidate is returned with its share of what is decided, and what is open
    falls geometrically: given that it ends, the law is the exponential mechanism's. *)
Theorem rejection : forall w some r n, some <> [] -> 0 < weighed w some ->
  returned w some r n == exponential w some r * (1 - open w some n).
Proof.
  intros w some r n Hs Hw. unfold exponential.
  assert (L : 0 < inject_Z (Z.of_nat (length some))).
  { change 0 with (inject_Z 0). rewrite <- Zlt_Qlt. destruct some; [congruence | simpl; lia]. }
  induction n as [|n IH]; simpl; [ring|]. rewrite IH. field. split; lra.
Qed.
