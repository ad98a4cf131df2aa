(** What is paid for by a rho is enough: adaptive draws that state a rho, or an epsilon that is priced in rho.

    A program sees all outcomes so far and chooses the next question and its price; what does not fit is refused. The
    Renyi divergence of order a of all that it sees is at most a times what was paid, for every order above 1.
    Python: [dpselect.release.concentrated_session], [dpselect.kernel.privacy_filter.PrivacyFilter], [dpselect.ledger.composition]. *)
Require Import QArith Reals Qreals Lra Lqa Lia List Arith.
Require Selection.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A} (f : A -> R) (l : list A) : R := match l with [] => 0 | x :: l => f x + sum f l end.

(** What an outcome of chance p, against q, adds to the mean of (p / q)^(a - 1). *)
Definition weight (a p q : R) : R := p * Rpower (p / q) (a - 1).

Section Sums.
  Context {A : Type}.

  Lemma sum_app : forall f (l m : list A), sum f (l ++ m) = sum f l + sum f m.
  Proof. intros f l m. induction l as [|x l IH]; simpl; [|rewrite IH]; ring. Qed.

  Lemma sum_le : forall f g (l : list A), (forall x, f x <= g x) -> sum f l <= sum g l.
  Proof. intros f g l H. induction l as [|x l IH]; simpl; [Lra.lra|]. specialize (H x). Lra.lra. Qed.

  Lemma sum_scaled : forall f c (l : list A), sum (fun x => f x * c) l = sum f l * c.
  Proof. intros f c l. induction l as [|x l IH]; simpl; [|rewrite IH]; ring. Qed.

  Lemma sum_ext : forall f g (l : list A), (forall x, f x = g x) -> sum f l = sum g l.
  Proof. intros f g l H. induction l as [|x l IH]; simpl; [|rewrite H, IH]; reflexivity. Qed.

  Lemma sum_not_negative : forall f (l : list A), (forall x, 0 <= f x) -> 0 <= sum f l.
  Proof. intros f l H. induction l as [|x l IH]; simpl; [Lra.lra|]. specialize (H x). Lra.lra. Qed.

  Lemma sum_flat_map : forall {B} f (g : B -> list A) l, sum f (flat_map g l) = sum (fun b => sum f (g b)) l.
  Proof. intros B f g l. induction l as [|b l IH]; simpl; [|rewrite sum_app, IH]; reflexivity. Qed.

  Lemma sum_map : forall {B} f (g : B -> A) l, sum f (map g l) = sum (fun b => f (g b)) l.
  Proof. intros B f g l. induction l as [|b l IH]; simpl; [|rewrite IH]; reflexivity. Qed.

  (** Some of the outcomes add up to no more than all. *)
  Lemma sum_incl : forall f (l m : list A), (forall x, 0 <= f x) -> NoDup l -> incl l m -> sum f l <= sum f m.
  Proof.
    intros f l. induction l as [|x l IH]; intros m H N I; [apply sum_not_negative; assumption|].
    inversion N as [|y k Hx Hl]. subst. destruct (in_split x m) as [m1 [m2 ->]]; [apply I; left; reflexivity|].
    assert (L : sum f l <= sum f (m1 ++ m2)).
    { apply IH; [assumption | assumption |]. intros z Hz. specialize (I z (or_intror Hz)).
      apply in_app_or in I. apply in_or_app. destruct I as [I|[I|I]]; auto. subst. contradiction. }
    rewrite sum_app in *. simpl. Lra.lra.
  Qed.
End Sums.

Lemma weight_not_negative : forall a p q, 0 <= p -> 0 <= weight a p q.
Proof. intros a p q H. apply Rmult_le_pos; [assumption|]. apply Rlt_le, exp_pos. Qed.

Lemma weight_zero : forall a q, weight a 0 q = 0.
Proof. intros. unfold weight. ring. Qed.

Lemma weight_product : forall a p q p' q', 0 <= p -> 0 <= p' -> (0 < p -> 0 < q) -> (0 < p' -> 0 < q') ->
  weight a (p * p') (q * q') = weight a p q * weight a p' q'.
Proof.
  intros a p q p' q' [P|P] [P'|P'] H H'; unfold weight; subst; try ring.
  specialize (H P). specialize (H' P').
  replace (p * p' / (q * q')) with (p / q * (p' / q')) by (field; split; Lra.lra).
  rewrite <- Rpower_mult_distr; [ring | apply Rdiv_lt_0_compat | apply Rdiv_lt_0_compat]; assumption.
Qed.

Section Concentrated.
  Variables database answer : Type.
  Variable near : database -> database -> Prop.
  Variable same : forall a b : answer, {a = b} + {a <> b}.

  (** rho-zCDP of a law of any outcomes: for every order, and every finite set of outcomes. *)
  Definition costs {outcome} (rho : Q) (law : database -> outcome -> R) : Prop :=
    (forall x o, 0 <= law x o) /\
    (forall x y o, near x y -> 0 < law x o -> 0 < law y o) /\
    forall a x y set, 1 < a -> near x y -> NoDup set ->
      sum (fun o => weight a (law x o) (law y o)) set <= exp (a * (a - 1) * Q2R rho).

  (** ** Questions with one of two prices *)
  Inductive payment := By_rho (rho : Q) | By_epsilon (shape : nat) (epsilon : Q).

  (** The rho of an epsilon, for each shape of a mechanism: [kernel/prices.py]. *)
  Variable price_in_rho : nat -> Q -> Q.

  Record question := { payment_of : payment; law : database -> answer -> R }.

  Definition price (q : question) : Q :=
    match payment_of q with By_rho rho => rho | By_epsilon shape epsilon => price_in_rho shape epsilon end.

  Definition sound (q : question) : Prop := costs (price q) (law q).

  Inductive action := Ask (q : question) | Stop.
  Inductive event := Answered (a : answer) | Refused.

  Definition program := list event -> action.

  (** Whether these are all next events, of a program that asks at most n questions. *)
  Fixpoint complete (n : nat) (p : program) (left : Q) (past next : list event) : bool :=
    match n, p past, next with
    | S n, Ask q, e :: rest =>
      match Qlt_le_dec left (price q), e with
      | right _, Answered _ => complete n p (left - price q) (past ++ [e]) rest
      | left _, Refused => complete n p left (past ++ [e]) rest
      | _, _ => false
      end
    | S _, Ask _, [] => false
    | _, _, [] => true
    | _, _, _ => false
    end.

  (** Pr[these are the next events], on database x. *)
  Fixpoint run (p : program) (left : Q) (x : database) (past next : list event) : R :=
    match next with
    | [] => 1
    | e :: rest =>
      match p past with
      | Ask q =>
        match Qlt_le_dec left (price q), e with
        | right _, Answered b => law q x b * run p (left - price q) x (past ++ [e]) rest
        | left _, Refused => run p left x (past ++ [e]) rest
        | _, _ => 0
        end
      | Stop => 0
      end
    end.

  (** What a release shows: one transcript of a program that has paid. *)
  Definition shown (n : nat) (p : program) (paid : Q) (x : database) (transcript : list event) : R :=
    if complete n p paid [] transcript then run p paid x [] transcript else 0.

  (** All transcripts whose answers lie in finite windows. *)
  Fixpoint leaves (n : nat) (p : program) (window : list event -> list answer) (left : Q) (past : list event)
    : list (list event) :=
    match n, p past with
    | S n, Ask q =>
      if Qlt_le_dec left (price q)
      then map (cons Refused) (leaves n p window left (past ++ [Refused]))
      else flat_map
        (fun b => map (cons (Answered b)) (leaves n p window (left - price q) (past ++ [Answered b]))) (window past)
    | _, _ => [[]]
    end.

  Section Program.
    Variable p : program.
    Hypothesis p_sound : forall past q, p past = Ask q -> sound q.

    Lemma run_not_negative : forall next left x past, 0 <= run p left x past next.
    Proof.
      induction next as [|e rest IH]; intros left x past; simpl; [Lra.lra|].
      destruct (p past) as [q|] eqn:E; [|Lra.lra].
      destruct (Qlt_le_dec left (price q)), e; try Lra.lra; [apply IH|].
      apply Rmult_le_pos; [|apply IH]. apply (p_sound _ _ E).
    Qed.

    Lemma run_positive : forall x y, near x y -> forall next left past,
      0 < run p left x past next -> 0 < run p left y past next.
    Proof.
      intros x y H. induction next as [|e rest IH]; intros left past; simpl; [tauto|].
      destruct (p past) as [q|] eqn:E; [|tauto].
      destruct (Qlt_le_dec left (price q)), e; try tauto; [apply IH|].
      destruct (p_sound _ _ E) as [P [S _]]. intros L.
      destruct (P x a) as [L1|L1]; [|rewrite <- L1, Rmult_0_l in L; Lra.lra].
      destruct (run_not_negative rest (left - price q)%Q x (past ++ [Answered a])) as [L2|L2];
        [|rewrite <- L2, Rmult_0_r in L; Lra.lra].
      apply Rmult_lt_0_compat; [apply (S x y a H L1) | apply IH, L2].
    Qed.

    (** Along every history the prices add up to at most what is left, and that bounds the mean. *)
    Lemma leaves_cost : forall a x y window, 1 < a -> near x y -> (forall past, NoDup (window past)) ->
      forall n left past, (0 <= left)%Q ->
      sum (fun next => weight a (run p left x past next) (run p left y past next)) (leaves n p window left past)
        <= exp (a * (a - 1) * Q2R left).
    Proof.
      intros a x y window Ha H W.
      assert (Pos : 0 < a * (a - 1)) by (apply Rmult_lt_0_compat; Lra.lra).
      assert (One : forall left, (0 <= left)%Q -> weight a 1 1 + 0 <= exp (a * (a - 1) * Q2R left)).
      { intros left L. unfold weight. replace (1 / 1) with 1 by field. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0.
        replace (1 * 1 + 0) with (exp 0) by (rewrite exp_0; ring). apply Selection.exp_le.
        apply Rmult_le_pos; [Lra.lra|]. rewrite <- RMicromega.Q2R_0. apply Qle_Rle, L. }
      induction n as [|n IH]; intros left past L; simpl; [apply One, L|].
      destruct (p past) as [q|] eqn:E; [|simpl; apply One, L].
      destruct (Qlt_le_dec left (price q)) as [F|F] eqn:D.
      - rewrite sum_map. simpl. rewrite E, D. apply IH, L.
      - destruct (p_sound _ _ E) as [P [S C]].
        rewrite sum_flat_map.
        apply Rle_trans with (sum (fun b => weight a (law q x b) (law q y b) *
          exp (a * (a - 1) * Q2R (left - price q))) (window past)).
        { apply sum_le. intros b. rewrite sum_map.
          rewrite (sum_ext _ (fun rest => weight a (run p (left - price q) x (past ++ [Answered b]) rest)
            (run p (left - price q) y (past ++ [Answered b]) rest) * weight a (law q x b) (law q y b))).
          - rewrite sum_scaled, Rmult_comm. apply Rmult_le_compat_l; [apply weight_not_negative, P|].
            apply IH. lra.
          - intros rest. simpl. rewrite E, D. rewrite Rmult_comm. rewrite (Rmult_comm (law q y b)).
            apply weight_product; [apply run_not_negative | apply P | apply run_positive, H | apply S, H]. }
        rewrite sum_scaled. specialize (C a x y (window past) Ha H (W past)).
        apply Rle_trans with (exp (a * (a - 1) * Q2R (price q)) * exp (a * (a - 1) * Q2R (left - price q))).
        { apply Rmult_le_compat_r; [apply Rlt_le, exp_pos | assumption]. }
        rewrite <- exp_plus, Q2R_minus. apply Selection.exp_le. right. ring.
    Qed.

    (** Every finite set of transcripts lies in finite windows. *)
    Definition answers_at (set : list (list event)) (past : list event) : list answer :=
      nodup same (flat_map (fun transcript =>
        match nth_error transcript (length past) with Some (Answered b) => [b] | _ => [] end) set).

    Lemma complete_leaves : forall set n left past next,
      In (past ++ next) set -> complete n p left past next = true -> In next (leaves n p (answers_at set) left past).
    Proof.
      intros set. induction n as [|n IH]; intros left past next I C; simpl in *.
      - destruct (p past), next; try discriminate; left; reflexivity.
      - destruct (p past) as [q|] eqn:E; [|destruct next; [left; reflexivity | discriminate]].
        destruct next as [|e rest]; [discriminate|].
        assert (I' : In ((past ++ [e]) ++ rest) set) by (rewrite <- app_assoc; exact I).
        destruct (Qlt_le_dec left (price q)), e as [b|]; try discriminate.
        + apply in_map, IH; assumption.
        + apply in_flat_map. exists b. split; [|apply in_map, IH; assumption].
          apply nodup_In, in_flat_map. exists (past ++ Answered b :: rest). split; [assumption|].
          rewrite nth_error_app2, Nat.sub_diag by lia. simpl. auto.
    Qed.

    (** THEOREM (the filter). Whatever a program draws from a rho, by a rho or by an epsilon that is priced, however it
        chooses its questions and their amounts, and whatever is refused: what it shows is zCDP with what was paid. *)
    Theorem opened_concentrated : forall n paid, (0 <= paid)%Q -> costs paid (shown n p paid).
    Proof.
      intros n paid H0. unfold shown. split; [|split].
      - intros x t. destruct (complete n p paid [] t); [apply run_not_negative | Lra.lra].
      - intros x y t H. destruct (complete n p paid [] t); [apply run_positive, H | tauto].
      - intros a x y set Ha H N.
        set (f := fun t => weight a (run p paid x [] t) (run p paid y [] t)).
        apply Rle_trans with (sum f (filter (complete n p paid []) set)).
        + clear N. induction set as [|t set IH]; simpl; [Lra.lra|].
          destruct (complete n p paid [] t); simpl; [unfold f at 1; Lra.lra | rewrite weight_zero; Lra.lra].
        + apply Rle_trans with (sum f (leaves n p (answers_at set) paid [])).
          * apply sum_incl; [intros t; apply weight_not_negative, run_not_negative | apply NoDup_filter, N |].
            intros t I. apply filter_In in I. apply complete_leaves; tauto.
          * apply leaves_cost; try assumption. intros past. apply NoDup_nodup.
    Qed.
  End Program.
End Concentrated.

(** ** The ledger
    A release of a session is itself a question that states its rho, and whose answer is its transcript: a ledger of
    rhos is the same filter. *)
Section Ledger.
  Variables database answer : Type.
  Variable near : database -> database -> Prop.
  Variable same : forall a b : answer, {a = b} + {a <> b}.
  Variable price_in_rho : nat -> Q -> Q.

  Definition release (n : nat) (p : program database answer) (paid : Q) : question database (list (event answer)) :=
    {| payment_of := By_rho paid; law := shown database answer price_in_rho n p paid |}.

  Lemma event_same : forall a b : event answer, {a = b} + {a <> b}.
  Proof. decide equality. Qed.

  (** THEOREM (the ledger of rhos). Releases whose rhos add up to at most the total, each chosen after all before it,
      are zCDP together with the total. *)
  Theorem ledger_concentrated : forall curator : program database (list (event answer)),
    (forall past q, curator past = Ask _ _ q -> exists n p paid, q = release n p paid /\ (0 <= paid)%Q /\
      forall past q, p past = Ask _ _ q -> sound database answer near price_in_rho q) ->
    forall n total, (0 <= total)%Q ->
    costs database near total (shown database (list (event answer)) price_in_rho n curator total).
  Proof.
    intros curator H n total H0. apply opened_concentrated; [apply list_eq_dec, event_same | | assumption].
    intros past q E. destruct (H past q E) as [m [p [paid [-> [Hp Hs]]]]].
    unfold sound, price. simpl. apply opened_concentrated; assumption.
  Qed.
End Ledger.
