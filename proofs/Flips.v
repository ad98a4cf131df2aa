(** Flipping every coin and taking a uniform head is permute-and-flip.

    A candidate's own coin shows heads with probability p, the others' with those of the list l.
    Python: [dpselect.kernel.samplers.permute_and_flip]. *)
Require Import Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

(** E of f(number of heads) when the coins of l are flipped independently. *)
Fixpoint expect (l : list R) (f : nat -> R) : R :=
  match l with
  | [] => f O
  | q :: l => q * expect l (fun h => f (S h)) + (1 - q) * expect l f
  end.

(** All coins are flipped: one's own head, then uniform among all heads. *)
Definition flip_all (p : R) (l : list R) : R := p * expect l (fun h => / (INR h + 1)).

(** Every way to take one element out of a list. *)
Fixpoint picks (l : list R) : list (R * list R) :=
  match l with
  | [] => []
  | q :: l => (q, l) :: map (fun c => (fst c, q :: snd c)) (picks l)
  end.

Fixpoint sum (l : list R) : R := match l with [] => 0 | x :: l => x + sum l end.

(** As published (McKenna and Sheldon 2020): pick one of the remaining candidates uniformly, flip its
    coin, return it on heads, else go on without it. *)
Fixpoint sequential (fuel : nat) (p : R) (l : list R) : R :=
  match fuel with
  | O => 0
  | S k => (p + sum (map (fun c => (1 - fst c) * sequential k p (snd c)) (picks l))) / (INR (length l) + 1)
  end.

Lemma expect_ext : forall l f g, (forall h, (h <= length l)%nat -> f h = g h) -> expect l f = expect l g.
Proof.
  induction l as [|q l IH]; intros f g H; simpl.
  - apply H. simpl. lia.
  - rewrite (IH (fun h => f (S h)) (fun h => g (S h))), (IH f g); [reflexivity | |];
      intros h Hh; apply H; simpl; lia.
Qed.

Lemma expect_plus : forall l f g, expect l (fun h => f h + g h) = expect l f + expect l g.
Proof. induction l as [|q l IH]; intros f g; simpl; [reflexivity|]. rewrite !IH. ring. Qed.

Lemma expect_scale : forall l k f, expect l (fun h => k * f h) = k * expect l f.
Proof. induction l as [|q l IH]; intros k f; simpl; [reflexivity|]. rewrite !IH. ring. Qed.

Lemma expect_const : forall l k, expect l (fun _ => k) = k.
Proof. induction l as [|q l IH]; intros k; simpl; [reflexivity|]. rewrite !IH. ring. Qed.

Lemma sum_map_ext : forall (A : Type) (l : list A) f g, (forall x, In x l -> f x = g x) ->
  sum (map f l) = sum (map g l).
Proof.
  induction l as [|x l IH]; intros f g H; simpl; [reflexivity|].
  rewrite (H x) by (left; reflexivity). rewrite (IH f g); [reflexivity|]. intros y Hy. apply H. right. assumption.
Qed.

Lemma sum_map_plus : forall (A : Type) (l : list A) f g,
  sum (map (fun x => f x + g x) l) = sum (map f l) + sum (map g l).
Proof. induction l as [|x l IH]; intros f g; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_map_scale : forall (A : Type) (l : list A) k f, sum (map (fun x => k * f x) l) = k * sum (map f l).
Proof. induction l as [|x l IH]; intros k f; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma picks_length : forall l c, In c (picks l) -> S (length (snd c)) = length l.
Proof.
  induction l as [|q l IH]; simpl; intros c H; [contradiction|].
  destruct H as [<-|H]; [reflexivity|].
  apply in_map_iff in H. destruct H as [d [<- Hd]]. simpl. rewrite (IH d Hd). reflexivity.
Qed.

(** Taking one candidate out and seeing tails is counting the tails. *)
Lemma tails_counted : forall l f,
  sum (map (fun c => (1 - fst c) * expect (snd c) f) (picks l)) =
  expect l (fun h => (INR (length l) - INR h) * f h).
Proof.
  induction l as [|q l IH]; intros f.
  - simpl. ring.
  - cbn [picks map sum fst snd expect]. rewrite map_map.
    rewrite (sum_map_ext _ (picks l) _
      (fun c => q * ((1 - fst c) * expect (snd c) (fun h => f (S h))) + (1 - q) * ((1 - fst c) * expect (snd c) f)))
      by (intros c _; simpl; ring).
    rewrite sum_map_plus, !sum_map_scale, !IH.
    rewrite (expect_ext l (fun h => (INR (length (q :: l)) - INR (S h)) * f (S h))
                          (fun h => (INR (length l) - INR h) * f (S h)))
      by (intros h _; cbn [length]; rewrite !S_INR; ring).
    rewrite (expect_ext l (fun h => (INR (length (q :: l)) - INR h) * f h)
                          (fun h => (INR (length l) - INR h) * f h + f h))
      by (intros h _; cbn [length]; rewrite !S_INR; ring).
    rewrite expect_plus. ring.
Qed.

(** THEOREM. Flipping all coins and taking a uniform head is permute-and-flip. *)
Theorem flip_all_is_permute_and_flip : forall l p, sequential (S (length l)) p l = flip_all p l.
Proof.
  assert (H : forall n l p, length l = n -> sequential (S n) p l = flip_all p l).
  { induction n as [|n IH]; intros l p Hl.
    - destruct l; [|discriminate]. simpl. unfold flip_all. simpl. field.
    - change (sequential (S (S n)) p l) with
        ((p + sum (map (fun c => (1 - fst c) * sequential (S n) p (snd c)) (picks l))) / (INR (length l) + 1)).
      rewrite (sum_map_ext _ (picks l) _
        (fun c => p * ((1 - fst c) * expect (snd c) (fun h => / (INR h + 1))))).
      + rewrite sum_map_scale, tails_counted. unfold flip_all.
        assert (E : 1 + expect l (fun h => (INR (length l) - INR h) * / (INR h + 1)) =
                    (INR (length l) + 1) * expect l (fun h => / (INR h + 1))).
        { transitivity (expect l (fun h => 1 + (INR (length l) - INR h) * / (INR h + 1))).
          - rewrite (expect_plus l (fun _ => 1)), expect_const. reflexivity.
          - rewrite <- expect_scale. apply expect_ext. intros h _. pose proof (pos_INR h). field. lra. }
        pose proof (pos_INR (length l)).
        replace (p + p * expect l (fun h => (INR (length l) - INR h) * / (INR h + 1)))
          with (p * (1 + expect l (fun h => (INR (length l) - INR h) * / (INR h + 1)))) by ring.
        rewrite E. field. lra.
      + intros c Hc. rewrite IH.
        * unfold flip_all. ring.
        * pose proof (picks_length l c Hc). lia. }
  intros l p. apply H. reflexivity.
Qed.

(** ** Somebody is returned *)
Lemma heads_counted : forall l f,
  sum (map (fun c => fst c * expect (snd c) f) (picks l)) = expect l (fun h => INR h * f (pred h)).
Proof.
  induction l as [|q l IH]; intros f.
  - simpl. ring.
  - cbn [picks map sum fst snd expect]. rewrite map_map.
    rewrite (sum_map_ext _ (picks l) _
      (fun c => q * (fst c * expect (snd c) (fun h => f (S h))) + (1 - q) * (fst c * expect (snd c) f)))
      by (intros c _; simpl; ring).
    rewrite sum_map_plus, !sum_map_scale, !IH.
    rewrite (expect_ext l (fun h => INR (S h) * f (pred (S h))) (fun h => INR h * f (S (pred h)) + f h)).
    + rewrite expect_plus. ring.
    + intros [|h] _; rewrite ?S_INR; simpl pred; simpl (INR 0); ring.
Qed.

Lemma nobody : forall l, expect l (fun h => match h with O => 1 | _ => 0 end) = fold_right (fun q p => (1 - q) * p) 1 l.
Proof.
  induction l as [|q l IH]; simpl; [reflexivity|]. rewrite expect_const, IH. ring.
Qed.

(** THEOREM. The chances of all candidates add up to that of a head at all; and the best candidate's coin is sure. *)
Theorem flip_all_adds_up : forall l, In 1 l -> sum (map (fun c => flip_all (fst c) (snd c)) (picks l)) = 1.
Proof.
  intros l H. unfold flip_all. rewrite heads_counted.
  rewrite (expect_ext l _ (fun h => 1 + -1 * match h with O => 1 | _ => 0 end)).
  - rewrite expect_plus, expect_const, expect_scale, nobody.
    assert (Z : fold_right (fun q p => (1 - q) * p) 1 l = 0).
    { induction l as [|q l IH]; simpl; [destruct H|]. destruct H as [->|H]; [ring|]. rewrite IH by assumption. ring. }
    rewrite Z. ring.
  - intros [|h] _; [simpl; ring|]. simpl pred. rewrite S_INR. pose proof (pos_INR h). field. lra.
Qed.
