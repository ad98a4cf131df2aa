(** What is paid for is enough: adaptive draws from one allowance, and from parts of the data that share no record.

    A program sees all outcomes so far and chooses the next question, its price, and the part it is about; or lends what
    is left to parts, or takes it back. Python: [dpselect.kernel.privacy_filter.PrivacyFilter], [dpselect.release.open_session],
    [dpselect.ledger]. *)
Require Import QArith Qminmax Reals Qreals Lra Lqa Lia List Arith.
Require Selection.
Import ListNotations.
Open Scope Q_scope.

Section Composition.
  Variables record answer : Type.

  Definition database := list record.

  (** y is x with the record z more, or one fewer. *)
  Definition differ_by (z : record) (x y : database) : Prop :=
    exists before after, (x = before ++ after /\ y = before ++ z :: after) \/
                         (y = before ++ after /\ x = before ++ z :: after).

  Definition part_of (part : record -> nat) (i : nat) (x : database) : database :=
    filter (fun z => Nat.eqb (part z) i) x.

  (** ** Questions *)
  Record question := { price : Q; law : database -> answer -> R; }.

  Definition private (epsilon : Q) (chance : database -> R) : Prop :=
    forall z x y, differ_by z x y -> (chance x <= exp (Q2R epsilon) * chance y)%R.

  Definition sound (q : question) : Prop :=
    0 < price q /\ (forall x a, 0 <= law q x a)%R /\ forall a, private (price q) (fun x => law q x a).

  (** ** What is left: of the whole, or of each part that it was lent to, by the path of parts to it *)
  Inductive allowance :=
  | Whole (held : Q)
  | Lent (held : Q) (part : record -> nat) (count : nat) (parts : nat -> allowance).

  Definition update (parts : nat -> allowance) (i : nat) (a : allowance) : nat -> allowance :=
    fun j => if Nat.eqb j i then a else parts j.

  Fixpoint lowest (f : nat -> Q) (n : nat) (otherwise : Q) : Q :=
    match n with O => otherwise | S k => Qmin (f k) (lowest f k otherwise) end.

  (** What is left along the branch that took most. *)
  Fixpoint least (a : allowance) : Q :=
    match a with
    | Whole held => held
    | Lent held _ count parts => lowest (fun i => least (parts i)) count held
    end.

  (** A draw takes its price from the part it is about, if as much is left there. *)
  Fixpoint take (path : list nat) (epsilon : Q) (a : allowance) : option allowance :=
    match path, a with
    | [], Whole held => if Qlt_le_dec held epsilon then None else Some (Whole (held - epsilon))
    | i :: path, Lent held part count parts =>
      if Nat.ltb i count then
        match take path epsilon (parts i) with
        | Some after => Some (Lent held part count (update parts i after))
        | None => None
        end
      else None
    | _, _ => None
    end.

  (** Every part gets what the whole has, and the whole gives nothing meanwhile. *)
  Fixpoint lend (path : list nat) (part : record -> nat) (count : nat) (a : allowance) : option allowance :=
    match path, a with
    | [], Whole held => Some (Lent held part count (fun _ => Whole held))
    | i :: path, Lent held part' count' parts =>
      if Nat.ltb i count' then
        match lend path part count (parts i) with
        | Some after => Some (Lent held part' count' (update parts i after))
        | None => None
        end
      else None
    | _, _ => None
    end.

  (** When the block of the parts ends, the whole keeps the least that is left of any. *)
  Fixpoint take_back (path : list nat) (a : allowance) : option allowance :=
    match path, a with
    | [], Lent _ _ _ _ => Some (Whole (least a))
    | i :: path, Lent held part count parts =>
      if Nat.ltb i count then
        match take_back path (parts i) with
        | Some after => Some (Lent held part count (update parts i after))
        | None => None
        end
      else None
    | _, _ => None
    end.

  (** The records that a path of parts leads to. *)
  Fixpoint seen (path : list nat) (a : allowance) (x : database) : database :=
    match path, a with
    | i :: path, Lent _ part _ parts => seen path (parts i) (part_of part i x)
    | _, _ => x
    end.

  (** ** Programs *)
  Inductive action :=
  | Ask (path : list nat) (q : question)
  | Lend (path : list nat) (part : record -> nat) (count : nat)
  | Take_back (path : list nat)
  | Stop.

  Inductive event := Answered (a : answer) | Done | Refused.

  (** Pr[these are the next events], on database x. *)
  Fixpoint run (program : list event -> action) (a : allowance) (x : database) (past next : list event) : R :=
    match next with
    | [] => 1
    | e :: rest =>
      match program past, e with
      | Ask path q, Answered b =>
        match take path (price q) a with
        | Some after => (law q (seen path a x) b * run program after x (past ++ [e]) rest)%R
        | None => 0%R
        end
      | Ask path q, Refused =>
        match take path (price q) a with Some _ => 0%R | None => run program a x (past ++ [e]) rest end
      | Lend path part count, Done =>
        match lend path part count a with Some after => run program after x (past ++ [e]) rest | None => 0%R end
      | Lend path part count, Refused =>
        match lend path part count a with Some _ => 0%R | None => run program a x (past ++ [e]) rest end
      | Take_back path, Done =>
        match take_back path a with Some after => run program after x (past ++ [e]) rest | None => 0%R end
      | Take_back path, Refused =>
        match take_back path a with Some _ => 0%R | None => run program a x (past ++ [e]) rest end
      | _, _ => 0%R
      end
    end.

  (** ** The record z can still lose this much *)
  Fixpoint at_stake (z : record) (a : allowance) : Q :=
    match a with
    | Whole held => held
    | Lent _ part count parts => if Nat.ltb (part z) count then at_stake z (parts (part z)) else least a
    end.

  Fixpoint leads_to (z : record) (path : list nat) (a : allowance) : bool :=
    match path, a with
    | i :: path, Lent _ part _ parts => Nat.eqb (part z) i && leads_to z path (parts i)
    | _, _ => true
    end.

  Fixpoint not_negative (a : allowance) : Prop :=
    match a with
    | Whole held => 0 <= held
    | Lent held _ _ parts => 0 <= held /\ forall i, not_negative (parts i)
    end.

  Lemma lowest_below : forall f n otherwise i, (i < n)%nat -> lowest f n otherwise <= f i.
  Proof.
    induction n as [|n IH]; intros otherwise i H; [lia|]. simpl.
    destruct (Nat.eq_dec i n) as [->|E]; [apply Q.le_min_l|].
    apply Qle_trans with (lowest f n otherwise); [apply Q.le_min_r | apply IH; lia].
  Qed.

  Lemma lowest_otherwise : forall f n otherwise, lowest f n otherwise <= otherwise.
  Proof.
    induction n as [|n IH]; intros otherwise; simpl; [lra|].
    apply Qle_trans with (lowest f n otherwise); [apply Q.le_min_r | apply IH].
  Qed.

  Lemma lowest_mono : forall f g n otherwise, (forall i, f i <= g i) -> lowest f n otherwise <= lowest g n otherwise.
  Proof.
    induction n as [|n IH]; intros otherwise H; simpl; [lra|].
    apply Q.min_le_compat; [apply H | apply IH; assumption].
  Qed.

  Lemma lowest_at_least : forall f n otherwise k, k <= otherwise -> (forall i, k <= f i) -> k <= lowest f n otherwise.
  Proof. induction n as [|n IH]; intros; simpl; [assumption|]. apply Q.min_glb; auto. Qed.

  Lemma least_at_stake : forall z a, least a <= at_stake z a.
  Proof.
    induction a as [held|held part count parts IH]; [simpl; lra|]. simpl at_stake.
    destruct (Nat.ltb_spec (part z) count) as [H|H]; [|apply Qle_refl].
    apply Qle_trans with (least (parts (part z))); [|apply IH].
    simpl. apply (lowest_below (fun i => least (parts i))). assumption.
  Qed.

  Lemma least_not_negative : forall a, not_negative a -> 0 <= least a.
  Proof.
    induction a as [held|held part count parts IH]; simpl; [tauto|]. intros [H P].
    apply lowest_at_least; auto.
  Qed.

  Lemma at_stake_not_negative : forall z a, not_negative a -> 0 <= at_stake z a.
  Proof. intros z a H. apply Qle_trans with (least a); [apply least_not_negative; assumption | apply least_at_stake]. Qed.

  (** One part changed: what holds of the part holds of the whole. *)
  Lemma step_in : forall z held part count parts i after,
    (i < count)%nat -> least after <= least (parts i) -> at_stake z after <= at_stake z (parts i) ->
    (forall j, not_negative (parts j)) -> not_negative after -> 0 <= held ->
    let whole := Lent held part count parts in let whole' := Lent held part count (update parts i after) in
    least whole' <= least whole /\ at_stake z whole' <= at_stake z whole /\ not_negative whole'.
  Proof.
    intros z held part count parts i after Hi Hl Hs Hp Ha H0 whole whole'.
    assert (L : least whole' <= least whole).
    { apply lowest_mono. intros j. unfold update. destruct (Nat.eqb_spec j i) as [->|E]; [assumption | lra]. }
    split; [assumption|]. split.
    - unfold whole, whole' in *. simpl at_stake. destruct (Nat.ltb_spec (part z) count) as [H|H]; [|exact L].
      unfold update. destruct (Nat.eqb_spec (part z) i) as [E|E]; [rewrite E; assumption | lra].
    - split; [assumption|]. intros j. unfold update. destruct (Nat.eqb j i); auto.
  Qed.

  Lemma take_pays : forall z path epsilon a after, 0 < epsilon -> not_negative a -> take path epsilon a = Some after ->
    least after <= least a /\ not_negative after /\ at_stake z after <= at_stake z a /\
    (leads_to z path a = true -> at_stake z after + epsilon <= at_stake z a).
  Proof.
    intros z path epsilon a. revert path.
    induction a as [held|held part count parts IH]; intros [|i path] after He Hn H; simpl in H; try discriminate.
    - destruct (Qlt_le_dec held epsilon); [discriminate|]. injection H as <-. simpl in *. repeat split; try lra; intros; lra.
    - destruct (Nat.ltb_spec i count) as [Hi|Hi]; [|discriminate].
      destruct (take path epsilon (parts i)) as [b|] eqn:E; [|discriminate]. injection H as <-.
      destruct Hn as [H0 Hp]. destruct (IH i path b He (Hp i) E) as [A [B [C D]]].
      destruct (step_in z held part count parts i b Hi A C Hp B H0) as [S1 [S2 S3]].
      repeat split; try assumption; try apply S3. intros L.
      simpl in L. apply andb_prop in L. destruct L as [L1 L2]. apply Nat.eqb_eq in L1. specialize (D L2).
      simpl at_stake. rewrite L1. destruct (Nat.ltb_spec i count); [|lia]. unfold update. rewrite Nat.eqb_refl. assumption.
  Qed.

  Lemma lend_keeps : forall z path part count a after, not_negative a -> lend path part count a = Some after ->
    least after <= least a /\ not_negative after /\ at_stake z after <= at_stake z a.
  Proof.
    intros z path part count a. revert path.
    induction a as [held|held part' count' parts IH]; intros [|i path] after Hn H; simpl in H; try discriminate.
    - injection H as <-. assert (L : lowest (fun _ => held) count held <= held) by apply lowest_otherwise.
      repeat split; simpl in *; try assumption; try (intros; assumption).
      destruct (Nat.ltb (part z) count); [lra | assumption].
    - destruct (Nat.ltb_spec i count') as [Hi|Hi]; [|discriminate].
      destruct (lend path part count (parts i)) as [b|] eqn:E; [|discriminate]. injection H as <-.
      destruct Hn as [H0 Hp]. destruct (IH i path b (Hp i) E) as [A [B C]].
      destruct (step_in z held part' count' parts i b Hi A C Hp B H0) as [S1 [S2 S3]]. auto.
  Qed.

  Lemma take_back_keeps : forall z path a after, not_negative a -> take_back path a = Some after ->
    least after <= least a /\ not_negative after /\ at_stake z after <= at_stake z a.
  Proof.
    intros z path a. revert path.
    induction a as [held|held part count parts IH]; intros [|i path] after Hn H; simpl in H; try discriminate.
    - injection H as <-. repeat split.
      + simpl. lra.
      + apply (least_not_negative (Lent held part count parts)). assumption.
      + apply (least_at_stake z (Lent held part count parts)).
    - destruct (Nat.ltb_spec i count) as [Hi|Hi]; [|discriminate].
      destruct (take_back path (parts i)) as [b|] eqn:E; [|discriminate]. injection H as <-.
      destruct Hn as [H0 Hp]. destruct (IH i path b (Hp i) E) as [A [B C]].
      destruct (step_in z held part count parts i b Hi A C Hp B H0) as [S1 [S2 S3]]. auto.
  Qed.

  (** ** A record is in one part *)
  Lemma part_differs : forall z part x y i, differ_by z x y ->
    (part z = i -> differ_by z (part_of part i x) (part_of part i y)) /\
    (part z <> i -> part_of part i x = part_of part i y).
  Proof.
    intros z part x y i [l [r H]]. unfold part_of. split; intros E.
    - exists (filter (fun z => Nat.eqb (part z) i) l), (filter (fun z => Nat.eqb (part z) i) r).
      destruct H as [[-> ->]|[-> ->]]; [left | right]; rewrite !filter_app; simpl; rewrite E, Nat.eqb_refl; auto.
    - apply Nat.eqb_neq in E. destruct H as [[-> ->]|[-> ->]]; rewrite !filter_app; simpl; rewrite E; reflexivity.
  Qed.

  Lemma seen_differs : forall z path a x y, differ_by z x y ->
    (leads_to z path a = true -> differ_by z (seen path a x) (seen path a y)) /\
    (leads_to z path a = false -> seen path a x = seen path a y).
  Proof.
    intros z path. induction path as [|i path IH]; intros a x y H; [simpl; split; [auto | discriminate]|].
    destruct a as [held|held part count parts]; [simpl; split; [auto | discriminate]|]. simpl.
    destruct (part_differs z part x y i H) as [P N].
    destruct (Nat.eqb_spec (part z) i) as [E|E]; simpl.
    - apply IH, P, E.
    - split; [discriminate|]. intros _. rewrite (N E). reflexivity.
  Qed.

  Lemma run_not_negative : forall program, (forall past path q, program past = Ask path q -> sound q) ->
    forall next a x past, (0 <= run program a x past next)%R.
  Proof.
    intros program Hq. induction next as [|e rest IH]; intros a x past; simpl; [Lra.lra|].
    destruct (program past) as [path q|path part count|path|] eqn:E; destruct e; try Lra.lra.
    - destruct (take path (price q) a); [|Lra.lra]. apply Rmult_le_pos; [|apply IH].
      destruct (Hq _ _ _ E) as [_ [P _]]. apply P.
    - destruct (take path (price q) a); [Lra.lra | apply IH].
    - destruct (lend path part count a); [apply IH | Lra.lra].
    - destruct (lend path part count a); [Lra.lra | apply IH].
    - destruct (take_back path a); [apply IH | Lra.lra].
    - destruct (take_back path a); [Lra.lra | apply IH].
  Qed.

  Lemma exp_mono : forall p q, p <= q -> (exp (Q2R p) <= exp (Q2R q))%R.
  Proof. intros p q H. apply Selection.exp_le, Qle_Rle, H. Qed.

  Lemma at_most : forall p q u v, p <= q -> (0 <= v)%R -> (u <= exp (Q2R p) * v)%R -> (u <= exp (Q2R q) * v)%R.
  Proof.
    intros p q u v H Hv Hu. apply Rle_trans with (1 := Hu). apply Rmult_le_compat_r; [assumption | apply exp_mono, H].
  Qed.

  (** Whatever is at stake for the one record bounds what any transcript says about it. *)
  Lemma run_private : forall program, (forall past path q, program past = Ask path q -> sound q) ->
    forall z x y, differ_by z x y -> forall next a past, not_negative a ->
    (run program a x past next <= exp (Q2R (at_stake z a)) * run program a y past next)%R.
  Proof.
    intros program Hq z x y Hxy. induction next as [|e rest IH]; intros a past Ha; simpl.
    - rewrite Rmult_1_r, <- exp_0, <- RMicromega.Q2R_0. apply exp_mono, at_stake_not_negative, Ha.
    - assert (N := run_not_negative program Hq rest).
      destruct (program past) as [path q|path part count|path|] eqn:E; destruct e as [b| |]; try Lra.lra.
      + destruct (take path (price q) a) as [after|] eqn:T; [|Lra.lra].
        destruct (Hq _ _ _ E) as [Pq [Lq Sq]]. destruct (take_pays z path (price q) a after Pq Ha T) as [_ [Na [W G]]].
        destruct (seen_differs z path a x y Hxy) as [D D'].
        specialize (IH after (past ++ [Answered b]) Na). specialize (N after y (past ++ [Answered b])).
        destruct (leads_to z path a).
        * specialize (G eq_refl). specialize (Sq b z _ _ (D eq_refl)). pose proof (Lq (seen path a y) b).
          apply Rle_trans with (exp (Q2R (price q)) * law q (seen path a y) b *
            (exp (Q2R (at_stake z after)) * run program after y (past ++ [Answered b]) rest))%R.
          { apply Rmult_le_compat; [apply Lq | apply run_not_negative; assumption | assumption | assumption]. }
          replace (exp (Q2R (price q)) * law q (seen path a y) b *
            (exp (Q2R (at_stake z after)) * run program after y (past ++ [Answered b]) rest))%R
            with (exp (Q2R (price q)) * exp (Q2R (at_stake z after)) *
                  (law q (seen path a y) b * run program after y (past ++ [Answered b]) rest))%R by ring.
          rewrite <- exp_plus, <- Q2R_plus. apply Rmult_le_compat_r; [apply Rmult_le_pos; assumption|].
          apply exp_mono. lra.
        * rewrite (D' eq_refl). pose proof (Lq (seen path a y) b).
          apply (at_most _ _ _ _ W) in IH; [|assumption].
          replace (exp (Q2R (at_stake z a)) *
            (law q (seen path a y) b * run program after y (past ++ [Answered b]) rest))%R
            with (law q (seen path a y) b *
            (exp (Q2R (at_stake z a)) * run program after y (past ++ [Answered b]) rest))%R by ring.
          apply Rmult_le_compat_l; assumption.
      + destruct (take path (price q) a); [Lra.lra | apply IH; assumption].
      + destruct (lend path part count a) as [after|] eqn:T; [|Lra.lra].
        destruct (lend_keeps z path part count a after Ha T) as [_ [Na W]]. apply (at_most _ _ _ _ W); auto.
      + destruct (lend path part count a); [Lra.lra | apply IH; assumption].
      + destruct (take_back path a) as [after|] eqn:T; [|Lra.lra].
        destruct (take_back_keeps z path a after Ha T) as [_ [Na W]]. apply (at_most _ _ _ _ W); auto.
      + destruct (take_back path a); [Lra.lra | apply IH; assumption].
  Qed.

  (** THEOREM (a session). Whatever a program draws from an allowance of E, one after the other or side by side in parts,
      and however it chooses, is E-differentially private for one record more or fewer. *)
  Theorem opened_private : forall program, (forall past path q, program past = Ask path q -> sound q) ->
    forall paid transcript, 0 <= paid -> private paid (fun x => run program (Whole paid) x [] transcript).
  Proof. intros program Hq paid transcript Hp z x y H. apply run_private with (z := z) (a := Whole paid); assumption. Qed.

  (** For every set of transcripts, too. *)
  Definition chance_of (chance : database -> list event -> R) (set : list (list event)) (x : database) : R :=
    fold_right (fun transcript total => chance x transcript + total)%R 0%R set.

  Lemma sets_private : forall epsilon chance, (forall transcript, private epsilon (fun x => chance x transcript)) ->
    forall set, private epsilon (chance_of chance set).
  Proof.
    intros epsilon chance H set z x y Hxy. induction set as [|transcript set IH]; simpl; [Lra.lra|].
    specialize (H transcript z x y Hxy). simpl in H. Lra.lra.
  Qed.

  (** Databases that are n records apart. *)
  Inductive apart : nat -> database -> database -> Prop :=
  | Same : forall x, apart 0 x x
  | Next : forall n z x y w, apart n x y -> differ_by z y w -> apart (S n) x w.

  (** THEOREM (persons). Draws that protect one record with E / n protect persons of at most n records with E. *)
  Theorem persons_private : forall chance share n x y, private share chance -> apart n x y ->
    (chance x <= exp (INR n * Q2R share) * chance y)%R.
  Proof.
    intros chance share n x y H A. induction A as [x|n z x y w A IH D].
    - simpl. rewrite Rmult_0_l, exp_0. Lra.lra.
    - specialize (H z y w D). rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, Rmult_assoc.
      apply Rle_trans with (1 := IH). apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | assumption].
  Qed.
End Composition.

(** ** The ledger
    A release of a session is itself one question, whose answer is its transcript: a ledger that refuses what exceeds
    its total is an allowance again. *)
Section Ledger.
  Variables record answer : Type.

  Definition release (program : list (event answer) -> action record answer) (paid : Q) : question record (list (event answer)) :=
    {| price := paid; law := fun x transcript => run record answer program (Whole record paid) x [] transcript |}.

  Lemma release_sound : forall program paid, 0 < paid ->
    (forall past path q, program past = Ask record answer path q -> sound record answer q) ->
    sound record (list (event answer)) (release program paid).
  Proof.
    intros program paid Hp Hq. split; [assumption|]. split.
    - intros x a. apply run_not_negative. assumption.
    - intros a. apply opened_private; [assumption | simpl; lra].
  Qed.

  (** THEOREM (the ledger's sum). Releases whose promises add up to at most the total, each chosen after all before it,
      are private together with the total. *)
  Theorem ledger_private : forall (curator : list (event (list (event answer))) -> action record (list (event answer))),
    (forall past path q, curator past = Ask _ _ path q ->
      exists program paid, q = release program paid /\ 0 < paid /\
      forall past path q, program past = Ask record answer path q -> sound record answer q) ->
    forall total transcript, 0 <= total ->
    private record total (fun x => run record _ curator (Whole record total) x [] transcript).
  Proof.
    intros curator H. apply opened_private. intros past path q E.
    destruct (H past path q E) as [program [paid [-> [Hp Hq]]]]. apply release_sound; assumption.
  Qed.
End Ledger.
