(* Prints what the proved definitions give on small inputs, exhaustively, as JSON: reference FOLDER. *)
open Definitions

let rec pos n = if n = 1 then XH else if n land 1 = 1 then XI (pos (n lsr 1)) else XO (pos (n lsr 1))
let z n = if n = 0 then Z0 else if n > 0 then Zpos (pos n) else Zneg (pos (-n))
let rec of_pos = function XH -> 1 | XI p -> (2 * of_pos p) + 1 | XO p -> 2 * of_pos p
let of_z = function Z0 -> 0 | Zpos p -> of_pos p | Zneg p -> -of_pos p
let q a b = { qnum = z a; qden = pos b }
let whole a = q a 1

let text r =
  let r = qred r in
  let a = of_z r.qnum and b = of_pos r.qden in
  if b = 1 then string_of_int a else Printf.sprintf "%d/%d" a b

let quoted s = "\"" ^ s ^ "\""
let list of_one l = "[" ^ String.concat ", " (List.map of_one l) ^ "]"
let fractions = list (fun r -> quoted (text r))
let rec upto a b = if a > b then [] else a :: upto (a + 1) b
let fields l = "{" ^ String.concat ", " (List.map (fun (name, value) -> quoted name ^ ": " ^ value) l) ^ "}"

let save folder name lines =
  let out = open_out (Filename.concat folder (name ^ ".json")) in
  output_string out ("[\n" ^ String.concat ",\n" lines ^ "\n]\n");
  close_out out

(* Numbers over one denominator. *)
let over n r =
  let r = qred r in
  let a = of_z r.qnum and b = of_pos r.qden in
  assert (n mod b = 0);
  string_of_int (a * (n / b))

(* Every delta that does not fall, of at most 4 steps, up to every ceiling of at most 4. *)
let rec rising n low ceiling =
  if n = 0 then [ [] ]
  else List.concat_map (fun x -> List.map (fun rest -> x :: rest) (rising (n - 1) x ceiling)) (upto low ceiling)

let scores = List.map (fun k -> q k 3) (upto (-30) 30) @ List.map (fun k -> q k 2) (upto (-12) 12)
let denominator = 72

let dampening =
  let profile ceiling delta =
    let n = List.length delta and c = whole ceiling in
    let d t = if t < n then whole (List.nth delta t) else c in
    let of_scores f = list (fun u -> over denominator (f u)) scores in
    fields
      [
        ("ceiling", string_of_int ceiling);
        ("delta", list string_of_int delta);
        ("best", over denominator (dampened Best n c d (whole 0)));
        ("worst", over denominator (dampened Worst n c d (whole 0)));
        ("dampened", of_scores (dampened Neutral n c d));
        ("growing", of_scores (shifted_by Growing n c d));
        ("shrinking", of_scores (shifted_by Shrinking n c d));
      ]
  in
  fields [ ("scores", fractions scores); ("denominator", string_of_int denominator) ]
  :: List.concat_map
       (fun n -> List.concat_map (fun c -> List.map (profile c) (rising n 0 c)) (upto 1 4))
       (upto 0 4)

(* Units around multiples of a sixteenth, and beyond a clip of 3; a unit is 16 ticks. *)
let ticks =
  List.map
    (fun k ->
      let u = q k 48 in
      fields [ ("units", quoted (text u)); ("tick", string_of_int (of_z (tick (z 16) (whole 3) u))) ])
    (upto (-160) 160)

(* Coins 2^-gap: every multiset of at most 4 gaps, the best of them 0. *)
let laws =
  let law gaps =
    let coins = List.map (fun g -> q 1 (1 lsl g)) gaps in
    fields
      [
        ("gaps", list string_of_int gaps);
        ("permute_and_flip", fractions (chances [] coins));
        ("exponential", fractions (softmax_rational coins));
      ]
  in
  let rec multisets n low = if n = 0 then [ [] ]
    else List.concat_map (fun x -> List.map (fun rest -> x :: rest) (multisets (n - 1) x)) (List.filter (fun g -> g >= low) [ 0; 1; 2; 3; 6 ])
  in
  List.concat_map (fun n -> List.map (fun rest -> law (0 :: rest)) (multisets n 0)) (upto 0 4)

(* Ordered lists of one to three of at most four candidates, weights 2^-gap; keys end at 2^gap. *)
let lists =
  let rec multisets n low = if n = 0 then [ [] ]
    else List.concat_map (fun x -> List.map (fun rest -> x :: rest) (multisets (n - 1) x)) (List.filter (fun g -> g >= low) [ 0; 1; 2; 4 ])
  in
  let rec ordered k left =
    if k = 0 then [ [] ]
    else List.concat_map (fun r -> List.map (fun rest -> r :: rest) (ordered (k - 1) (List.filter (( <> ) r) left))) left
  in
  let one gaps =
    let m = List.length gaps in
    let weight r = q 1 (1 lsl List.nth gaps r) in
    let ends = List.map (fun g -> whole (1 lsl g)) (List.sort_uniq compare gaps) in
    let chance winners =
      let losers = List.filter (fun r -> not (List.mem r winners)) (upto 0 (m - 1)) in
      match one_shot_rational ends (List.rev_map weight winners) (List.map weight losers) with
      | Some p -> p
      | None -> failwith "ends"
    in
    let row winners = fields [ ("winners", list string_of_int winners); ("chance", quoted (text (chance winners))) ] in
    fields
      [
        ("gaps", list string_of_int gaps);
        ("lists", list row (List.concat_map (fun k -> ordered k (upto 0 (m - 1))) (upto 1 (min 3 m))));
      ]
  in
  List.concat_map (fun n -> List.map (fun rest -> one (0 :: rest)) (multisets n 0)) (upto 1 3)

let letter = function Some true -> "T" | Some false -> "F" | None -> "?"
let families = [ (0, 729, 500); (2, 2, 1); (4, 2332, 1000); (6, 2700, 1000); (10, 3200, 1000) ]

(* Every cell of U and V: rows of U, columns of V. *)
let decisions =
  List.concat_map
    (fun (gamma, a, b) ->
      List.map
        (fun (bits, coin) ->
          let row k = String.concat "" (List.map (fun v -> letter (decide gamma (z a) (z b) (z k) (z (k + 1)) (z v) (z bits) (z coin))) (upto 0 ((1 lsl coin) - 1))) in
          fields
            [
              ("gamma", string_of_int gamma);
              ("ceiling", quoted (Printf.sprintf "%d/%d" a b));
              ("bits", string_of_int bits);
              ("coin", string_of_int coin);
              ("decided", list (fun k -> quoted (row k)) (upto 0 ((1 lsl bits) - 1)));
            ])
        [ (5, 5); (6, 4); (3, 7) ])
    families

(* Prefixes of 53 and 32 bits, V as near as floats come to where decisions change. *)
let near =
  let state = ref 20 in
  let next () =
    state := ((!state * 1103515245) + 12345) land 0x7fffffff;
    !state
  in
  List.concat_map
    (fun (gamma, a, b) ->
      List.concat_map
        (fun _ ->
          let k = (next () lsl 22) lxor next () in
          let u = (float_of_int k +. 0.5) /. 9007199254740992. in
          (* By products alone, which are the same on every machine. *)
          let rec power x n = if n = 0 then 1. else x *. power x (n - 1) in
          let rest = 1. -. u in
          let ratio =
            if gamma = 0 then u *. u /. power ((u *. u) +. (rest *. rest)) 2
            else power u (gamma - 2) /. (power u gamma +. power rest gamma)
          in
          let v = int_of_float (ratio *. float_of_int b /. float_of_int a *. 4294967296.) in
          List.map
            (fun v ->
              fields
                [
                  ("gamma", string_of_int gamma);
                  ("ceiling", quoted (Printf.sprintf "%d/%d" a b));
                  ("k", string_of_int k);
                  ("v", string_of_int v);
                  ("decided", quoted (letter (decide gamma (z a) (z b) (z k) (z (k + 1)) (z v) (z 53) (z 32))));
                ])
            (List.filter (fun v -> v >= 0 && v < 1 lsl 32) (upto (v - 1) (v + 1))))
        (upto 1 20))
    families

(* What draws leave of releases. *)
let releases =
  let state (r, e, d) = list quoted [ string_of_int (of_z r); text e; text d ] in
  let one each each_delta ranged =
    let ends = [ whole 0; q 2 5; each ] and deltas = if each_delta.qnum = Z0 then [ each_delta ] else [ whole 0; each_delta ] in
    let cases =
      List.concat_map (fun r -> List.concat_map (fun rest -> List.concat_map (fun rest_delta ->
        List.concat_map (fun epsilon -> List.concat_map (fun delta -> List.map (fun count ->
          let left = after each each_delta ranged ((z r, rest), rest_delta) epsilon delta (z count) in
          fields
            [
              ("now", state (z r, rest, rest_delta));
              ("draw", list quoted [ text epsilon; text delta; string_of_int count ]);
              ("left", match left with None -> "null" | Some ((r, e), d) -> state (r, e, d));
            ]) [ 1; 2; 3; 5 ]) [ whole 0; q 1 20 ]) [ q 1 5; q 1 3; whole 1 ]) deltas) ends) [ 0; 1; 3 ]
    in
    fields
      [
        ("each", quoted (text each));
        ("delta", quoted (text each_delta));
        ("ranged", string_of_bool ranged);
        ("cases", "[\n " ^ String.concat ",\n " cases ^ "]");
      ]
  in
  List.concat_map (fun each -> List.concat_map (fun delta -> List.map (one each delta) [ false; true ]) [ whole 0; q 1 10 ]) [ whole 1; q 5 2 ]

(* Coins of a chance between low and high, whose 32 bits did not decide. *)
let coins =
  let bits64 = 1 lsl 61 in
  List.concat_map
    (fun (low, high) ->
      List.map
        (fun prefix ->
          let words i = z (if i = 0 then bits64 + prefix else 0) in
          let answer = settle 2 words (fun i -> if i = 0 then (low, high) else (q 3 8, q 3 8)) (z prefix) (z 32) in
          fields
            [
              ("low", quoted (text low));
              ("high", quoted (text high));
              ("prefix", string_of_int prefix);
              ("word", string_of_int (bits64 + prefix));
              ("heads", quoted (letter answer));
            ])
        (List.map (fun eighth -> eighth lsl 29) (upto 0 7) @ [ (3 lsl 29) - 1; (3 lsl 29) + 1 ]))
    [ (q 3 8, q 3 8); (q 1 4, q 1 2); (q 3 8, q 7 16); (q 0 1, q 1 1) ]

let () =
  let folder = Sys.argv.(1) in
  List.iter
    (fun (name, lines) -> save folder name lines)
    [ ("dampening", dampening); ("ticks", ticks); ("laws", laws); ("lists", lists); ("decisions", decisions); ("near", near); ("releases", releases); ("coins", coins) ]
