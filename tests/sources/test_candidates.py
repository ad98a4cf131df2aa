"""Candidates in an engine: what is counted, who is found by rank, what is refused, and one state of the data."""

import itertools
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.release.open_session import session_factory_of
from dpselect.release.select import release_of
from dpselect.release.system_noise import SystemNoise
from dpselect.sources import candidates as module
from dpselect.sources import ordinals
from dpselect.sources.warehouse import Warehouse
from tests.chance import accept

ibis = pytest.importorskip("ibis")
pa = pytest.importorskip("pyarrow")

FLIP = dps.mechanism("permute-and-flip")
NAMES = ["ann", "Bob", "eve", "Ärpad", "it's", ""]


def behind(stream):
    """A door to coins that are flipped with this entropy."""
    return session_factory_of(lambda: SystemNoise(stream))


@pytest.fixture
def engine():
    """An empty DuckDB in memory."""
    return ibis.duckdb.connect()


def made(engine, rows: str, columns: str = "id bigint, score bigint", **options):
    """Candidates of a DuckDB table with these rows."""
    engine.raw_sql(f"CREATE OR REPLACE TABLE candidates ({columns})")
    if rows:
        engine.raw_sql(f"INSERT INTO candidates VALUES {rows}")
    options = {"sensitivity": 1, "domain": "rows", **options}
    return dps.data.Candidates(engine.table("candidates"), "id", "score", **options)


def everyone(candidates) -> dict:
    """Each candidate's name and score, by asking for every ordinal of every group."""
    found = {}

    def pick(grouped):
        places = [(g, i) for g, count in enumerate(grouped.counts.tolist()) for i in range(count)]
        found["scores"] = [grouped.scores.values[g].item() for g, _ in places]
        return places

    names = candidates.answer(pick)
    assert len(set(names)) == len(names)
    return dict(zip(names, found["scores"], strict=True))


def spied(monkeypatch) -> list:
    """Every question to the engine, as it is asked."""
    asked, ask = [], Warehouse.ask
    monkeypatch.setattr(Warehouse, "ask", lambda self, question: asked.append(question) or ask(self, question))
    return asked


LONG = {2**63 - 1: 5, -(2**63): 5, 0: 5, -1: 5, 7: 5, 2**40: 1, 2**40 + 1: 5, -(2**40): 1}


@pytest.mark.parametrize(
    "few, buckets, together", [(2**16, 2**15, 16), (1, 2, 16), pytest.param(2, 4, 3, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "scores",
    [{i: i % 3 for i in range(12)}, {-i: 2 for i in range(1, 9)}, LONG, {3: -4}],
    ids=["dense", "one score", "extremes", "one candidate"],
)
def test_every_rank_names_another_candidate(engine, monkeypatch, scores, few, buckets, together) -> None:
    """Group and ordinal run through all integer candidates, each with its own score, however small the buckets are."""
    monkeypatch.setattr(ordinals, "_FEW", few)
    monkeypatch.setattr(ordinals, "_BUCKETS", buckets)
    monkeypatch.setattr(ordinals, "_TOGETHER", together)
    candidates = made(engine, ", ".join(f"({i}, {score})" for i, score in scores.items()))

    assert scores == everyone(candidates)


def test_text_candidates_are_found_by_rank(engine) -> None:
    """Case, accents, quotes and the empty name included."""
    rows = ", ".join("('" + name.replace("'", "''") + f"', {len(name)})" for name in NAMES)

    assert {name: len(name) for name in NAMES} == everyone(made(engine, rows, "id text, score int"))


FLOATS = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.12345678901234568, 2.0**-30, -1e22, 123456789012345.67]


def test_float_scores_are_grouped_and_found_bit_by_bit(engine) -> None:
    """No float is lost between a group and the question for its rows; the two zeros are one score."""
    rows = ", ".join(f"({i}, '{value!r}'::double)" for i, value in enumerate([*FLOATS, -0.0, 0.0]))
    found = everyone(made(engine, rows, "id bigint, score double", sensitivity=1e300))

    assert dict(enumerate([*FLOATS, 0.0, 0.0])) == found


@pytest.mark.parametrize(
    "kind, given, expected",
    [
        ("boolean", "true", 1),
        ("utinyint", "255", 255),
        ("ubigint", "18446744073709551615", 2**61),
        ("hugeint", "-170141183460469231731687303715884105727", -(2**61)),
        ("decimal(38, 0)", "12345678901234567", 12345678901234567),
        ("bigint", "-9007199254740993", -9007199254740993),
        ("decimal(9, 2)", "2.25", 2.25),
        ("float", "0.5", 0.5),
    ],
)
def test_kinds_of_numbers(engine, kind: str, given: str, expected: float) -> None:
    """Whole numbers stay exact, up to the public clip; others are floats."""
    found = everyone(made(engine, f"(1, {given})", f"id int, score {kind}"))

    assert {1: expected} == found
    assert type(expected) is type(found[1])


@pytest.mark.parametrize(("few", "mechanism"), [(2**16, "exponential"), (3, "permute-and-flip")])
def test_candidates_without_a_row_score_zero(engine, monkeypatch, few: int, mechanism: str) -> None:
    """A range, a list and a table as the domain: the same scores, the same law, every absent candidate by rank."""
    monkeypatch.setattr(ordinals, "_FEW", few)
    monkeypatch.setattr(ordinals, "_BUCKETS", 4)
    rows = "(3, 2), (-1, -7), (9, 0), (10, 2)"
    engine.raw_sql("CREATE TABLE public AS SELECT range - 2 AS node FROM range(14)")
    expected = dict.fromkeys(range(-2, 12), 0) | {3: 2, -1: -7, 9: 0, 10: 2}
    plain = dps.Scores(list(expected.values()), sensitivity=1, kind="integer")
    law = dict(zip(expected, dps.mechanism(mechanism).pmf(plain, 1), strict=True))

    for domain in (range(-2, 12), list(range(-2, 12)), engine.table("public"), engine.table("public").node):
        candidates = made(engine, rows, domain=domain)
        laws = []
        candidates.answer(
            lambda grouped, laws=laws: (
                laws.append((grouped, dps.mechanism(mechanism).grouped_log_pmf(grouped, 1))) or []
            )
        )
        ((grouped, log_law),) = laws

        assert expected == everyone(candidates)
        assert 14 == candidates.check()
        for value, one in zip(grouped.scores.values.tolist(), np.exp(log_law).tolist(), strict=True):
            name = next(name for name, score in expected.items() if score == value)
            assert law[name] == pytest.approx(one, rel=1e-12)


def test_an_empty_table_over_a_domain_is_uniform(engine) -> None:
    """All candidates score 0; without a domain there is nobody."""
    assert {"a": 0.0, "b": 0.0} == everyone(made(engine, "", "id text, score double", domain=["b", "a"]))
    assert range(5) == range(*(0, len(everyone(made(engine, "", domain=range(5))))))
    with pytest.raises(ValueError, match="The table has no rows"):
        made(engine, "").check()


@pytest.mark.parametrize("name", ["permute-and-flip", "exponential", "local-dampening-flip", "generalised-exponential"])
def test_profiles_give_each_candidate_its_own_sensitivity(engine, name: str) -> None:
    """Grouped by score and profile, absent ones with the profile given: the law of the same scores in memory."""
    rows = "(0, 9, 1), (1, 9, 4), (2, 9, 1), (3, 5, 2), (4, 5, 2), (5, -3, 4)"
    bounds = {0: 1, 1: 4, 2: 1, 3: 2, 4: 2, 5: 4, 6: 3, 7: 3}
    values = [9, 9, 9, 5, 5, -3, 0, 0]
    candidates = made(
        engine,
        rows,
        "id bigint, score bigint, bound int",
        domain=range(8),
        profile="bound",
        absent_profile=3,
        sensitivity=dps.sensitivity.constant,
    )
    mechanism, laws = dps.mechanism(name), {}

    def pick(grouped):
        places = [(g, i) for g, count in enumerate(grouped.counts.tolist()) for i in range(count)]
        log_law = mechanism.grouped_log_pmf(grouped, 2)
        laws.update(enumerate(np.exp(log_law[g]) for g, _ in places))
        return places

    names = candidates.answer(pick)
    scores = dps.Scores(values, dps.sensitivity.constant([bounds[i] for i in range(8)]), kind="integer")
    law = mechanism.pmf(scores, 2)
    assert set(range(8)) == set(names)
    for place, candidate in enumerate(names):
        assert law[candidate] == pytest.approx(laws[place], rel=1e-12)


@pytest.mark.parametrize("value", [2.5, "two", None, 2**70])
def test_the_profile_of_the_absent_is_of_the_column_s_kind(engine, value) -> None:
    """Nothing is rounded to fit."""
    columns = "id bigint, score bigint, bound int"
    options = {"sensitivity": dps.sensitivity.constant, "profile": "bound", "domain": range(3)}

    with pytest.raises(TypeError, match="absent_profile="):
        made(engine, "(0, 9, 1)", columns, absent_profile=(value,), **options).check()


@pytest.mark.parametrize("name", ["permute-and-flip", "exponential", "shifted-local-dampening"])
def test_select_and_top_k_take_candidates(engine, name: str) -> None:
    """At an enormous epsilon the ranking; at a small one everybody once, as plain Python values."""
    shared = dps.sensitivity.local(lambda t: 1, ceiling=2, reach=1)
    candidates = made(engine, "(4, 1), (5, 90), (6, 70), (8, 1)", sensitivity=shared)
    mechanism = dps.mechanism(name)

    assert 5 == dps.select(candidates, epsilon=10**6, mechanism=mechanism).value
    assert (5, 6) == dps.top_k(candidates, 2, epsilon=10**6, mechanism=mechanism).value
    release = dps.top_k(candidates, 4, epsilon=0.1, mechanism=mechanism)
    assert {4, 5, 6, 8} == set(release.value)
    assert {int} == {type(name) for name in release.value}
    assert (name, Fraction(1, 10)) == (release.mechanism.partition(",")[0], release.guarantee.epsilon)


@pytest.mark.parametrize("asked", [{"method": "one-shot"}, {"gaps": True}])
def test_candidates_with_profiles_are_peeled(engine, asked) -> None:
    """What they cannot do is refused before the spend."""
    candidates = made(engine, "(4, 1), (5, 90), (6, 70)", sensitivity=dps.sensitivity.constant, profile="score")
    with dps.budget(epsilon=1) as budget, pytest.raises(ValueError, match="with profiles are peeled"):
        dps.top_k(candidates, 2, epsilon=1, mechanism=FLIP, **asked)
    assert not budget.events


def test_lists_from_an_engine_are_drawn_in_one_pass_with_gaps(engine) -> None:
    """At an enormous epsilon nearly the differences of scores; where all rows win, the last has no gap."""
    candidates = made(engine, "(4, 1), (5, 90), (6, 70)")
    release = dps.top_k(candidates, 2, epsilon=10**6, mechanism=FLIP, gaps=True)
    assert ((5, 6), "permute-and-flip, one-shot") == (release.value, release.mechanism)
    assert (release.gaps[0] in (19, 20), release.gaps[1] in (68, 69)) == (True, True)
    assert release.p_value < 1e-300
    assert 2 == len(dps.top_k(candidates, 3, epsilon=10**6, mechanism=FLIP, gaps=True).gaps)


def test_files_are_read_where_they_are(tmp_path: Path) -> None:
    """A path to parquet is a table of candidates; a csv file does not say what kind its scores are."""
    table = pa.table({"who": ["a", "b"], "votes": [1, 500]})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "votes.parquet")
    (tmp_path / "votes.csv").write_text("who,votes\na,1\nb,500\n", encoding="utf-8")

    with dps.data.Candidates(tmp_path / "votes.parquet", "who", "votes", 1, domain=["a", "b", "c"]) as candidates:
        assert "b" == dps.select(candidates, epsilon=9, mechanism=dps.mechanism("permute-and-flip")).value
    with pytest.raises(dps.PrivacyError, match="does not say whether its scores are integers"):
        dps.data.Candidates(tmp_path / "votes.csv", "who", "votes", 1, domain=["a", "b", "c"])


def test_more_winners_than_candidates_cost_nothing(engine) -> None:
    """How many there are is public."""
    candidates = made(engine, "(1, 5)", domain=range(3))
    with dps.budget(epsilon=1) as book, pytest.raises(ValueError, match="there are 3 candidates"):
        dps.top_k(candidates, 4, epsilon=1, mechanism=dps.mechanism("permute-and-flip"))
    assert () == book.events
    with pytest.raises(ValueError, match="at most 2\\^61"):
        made(engine, "(1, 5)", domain=range(2**63 - 1))


def test_a_table_in_memory_is_there_every_time() -> None:
    """What Ibis registers inside a transaction outlives it."""
    table = ibis.memtable(pa.table({"id": [1, 2], "score": [3, 400]}))
    candidates = dps.data.Candidates(table, "id", "score", 1, domain=range(4))

    assert [4, 4] == [candidates.check(), candidates.check()]
    assert 2 == dps.select(candidates, epsilon=100, mechanism=FLIP).value


ODD = {
    "a NULL score": ("(1, 3.0), (2, NULL)", {}, "scores are NULL", {1: 3.0, 2: 0.0}),
    "NaN": ("(1, 3.0), (2, 'nan')", {}, "scores are NULL or NaN", {1: 3.0, 2: 0.0}),
    "an infinite score": ("(1, 3.0), (2, '-inf')", {}, "scores are infinite", {1: 3.0, 2: -(2.0**53)}),
    "a NULL candidate": ("(1, 3.0), (NULL, 4.0)", {}, "candidates are NULL", {1: 3.0}),
    "a stranger below": ("(-1, 3.0), (1, 4.0)", {"domain": range(2)}, "public domain", {0: 0.0, 1: 4.0}),
    "a stranger above": ("(3, 3.0), (1, 4.0)", {"domain": range(2)}, "public domain", {0: 0.0, 1: 4.0}),
    "a stranger to a list": ("(3, 3.0), (1, 4.0)", {"domain": [1, 4]}, "public domain", {1: 4.0, 4: 0.0}),
    "more rows than a list": ("(3, 3.0), (1, 4.0), (5, NULL)", {"domain": [1, 2]}, "NULL", {1: 4.0, 2: 0.0}),
}


@pytest.mark.parametrize("rows, options, message, scores", ODD.values(), ids=ODD)
def test_rows_are_read_one_by_one(engine, rows: str, options: dict, message: str, scores: dict) -> None:
    """A selection leaves a row out, or takes its score for 0, and never refuses; ``check`` tells the curator."""
    candidates = made(engine, rows, "id bigint, score double", **options)

    assert scores == everyone(candidates)
    assert dps.select(candidates, epsilon=1, mechanism=FLIP).value in scores
    with pytest.raises(ValueError, match=message) as refused:
        candidates.check()
    assert not any(character.isdigit() for character in str(refused.value).replace("as 0", ""))


def test_missing_integer_scores_are_zero(engine) -> None:
    """As for candidates without a row."""
    assert {1: 3, 2: 0, 4: 0} == everyone(made(engine, "(1, 3), (2, NULL)", domain=[1, 2, 4]))


@pytest.mark.parametrize("names", [range(30_000), [f"n{i}" for i in range(30_000)]], ids=["integers", "text"])
def test_a_long_list_of_names_is_a_domain_too(engine, names) -> None:
    """Strangers are left out of it as of a short one."""
    kind = "text" if isinstance(names, list) else "bigint"
    candidates = made(engine, f"('{names[7]}', 5), ('-1', 9)", f"id {kind}, score int", domain=list(names))

    assert names[7] == dps.select(candidates, epsilon=100, mechanism=FLIP).value
    assert names[7] == dps.select(candidates, epsilon=100, mechanism=FLIP).value
    with pytest.raises(ValueError, match="public domain"):
        candidates.check()


BAD = {
    "twins with one score": ("(1, 3.0), (1, 3.0)", {}, "two rows"),
    "twins with two scores": ("(1, 3.0), (1, 4.0), (2, 1.0)", {}, "two rows"),
    "far twins": ("(1, 3.0), (1, 4.0), (9000000000000000000, 1.0)", {}, "two rows"),
    "twins in a list": ("(1, 3.0), (1, 4.0)", {"domain": [1, 2, 3]}, "two rows"),
    "twins in a range": ("(1, 3.0), (1, 4.0)", {"domain": range(3)}, "two rows"),
    "nobody": ("", {}, "The table has no rows"),
}


@pytest.mark.parametrize("rows, options, message", BAD.values(), ids=BAD)
def test_bad_tables_are_refused_without_a_word_of_them(engine, rows: str, options: dict, message: str) -> None:
    """``check`` refuses for nothing; a selection pays first, and nothing of a cell is in the message."""
    candidates = made(engine, rows, "id bigint, score double", **options)
    with dps.budget(epsilon=1) as book:
        with pytest.raises(ValueError, match=message):
            candidates.check()
        assert 0 == len(book.events)
        with pytest.raises(ValueError, match=message) as refused:
            dps.select(candidates, epsilon=0.25, mechanism=FLIP)

    assert [1] == [event.count for event in book.events]
    assert not any(character.isdigit() for character in str(refused.value).replace("shape (m,)", ""))


def test_strangers_and_twins_of_a_public_table(engine) -> None:
    """A table as the domain is checked by the engine."""
    engine.raw_sql("CREATE TABLE public (node text)")
    engine.raw_sql("INSERT INTO public VALUES ('a'), ('b')")
    public = engine.table("public")

    with pytest.raises(ValueError, match="not in the public domain"):
        made(engine, "('c', 1)", "id text, score int", domain=public).check()
    assert {"a": 5, "b": 0} == everyone(made(engine, "('c', 1), ('a', 5)", "id text, score int", domain=public))
    with pytest.raises(ValueError, match="two rows"):
        made(engine, "('a', 1), ('a', 2)", "id text, score int", domain=public).check()
    engine.raw_sql("INSERT INTO public VALUES ('a')")
    with pytest.raises(ValueError, match="listed twice"):
        made(engine, "('a', 1)", "id text, score int", domain=public).check()


def test_uniqueness_may_be_left_to_the_engine(engine, monkeypatch) -> None:
    """Declared uniqueness saves the scan that tells candidates apart."""
    checked, declared = made(engine, "(1, 2), (2, 2)"), made(engine, "(1, 2), (2, 2)", unique="declared")
    asked = spied(monkeypatch)
    checked.check()
    with_scan = len(asked)
    declared.check()

    assert 2 * with_scan - 1 == len(asked)


def test_bitmaps_and_groups_agree(engine, monkeypatch) -> None:
    """One bitmap, several, or a grouping of all candidates: twins are found and others are not."""
    for bits, span in ((2**31, 2**33), (8, 2**33), (8, 1)):
        monkeypatch.setattr(module, "_BITS", bits)
        monkeypatch.setattr(module, "_SPAN", span)
        rows = [f"({i}, 0)" for i in range(-9, 20, 3)]

        assert len(rows) == made(engine, ", ".join(rows)).check()
        with pytest.raises(ValueError, match="two rows"):
            made(engine, ", ".join([*rows, "(15, 1)"])).check()


ARGUMENTS = {
    "no domain": ({"domain": None}, dps.PrivacyError, "must not depend on the data"),
    "another word": ({"domain": "all"}, ValueError, '"rows"'),
    "an empty range": ({"domain": range(0)}, ValueError, "at least one"),
    "a range with a step": ({"domain": range(0, 9, 2)}, ValueError, "step 1"),
    "text for integers": ({"domain": ["a"]}, TypeError, "both be integers"),
    "mixed names": ({"domain": ["a", 1]}, TypeError, "integers only, or text only"),
    "names twice": ({"domain": [1, 1]}, ValueError, "listed twice"),
    "no names": ({"domain": []}, TypeError, "at least one"),
    "a set": ({"domain": {1}}, TypeError, "a list of integers"),
    "a function without a profile": ({"sensitivity": dps.sensitivity.constant}, ValueError, "pass both"),
    "a profile without a function": ({"profile": "score"}, ValueError, "pass both"),
    "no profile for the absent": (
        {"profile": "score", "sensitivity": dps.sensitivity.constant, "domain": range(9)},
        dps.PrivacyError,
        "absent_profile=",
    ),
    "sensitivity zero": ({"sensitivity": 0}, ValueError, "bound > 0"),
    "a range bound of 3": ({"range_bound": 3}, ValueError, "range_bound"),
    "another relation": ({"neighbours": "friends"}, ValueError, "neighbours"),
    "another uniqueness": ({"unique": True}, ValueError, "declared"),
}


@pytest.mark.parametrize("options, error, message", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_refused_before_any_question(engine, monkeypatch, options, error, message) -> None:
    """One sentence that says what to pass; the engine is not asked."""
    asked = spied(monkeypatch)

    with pytest.raises(error, match=message):
        made(engine, "(1, 2)", **options)
    assert [] == asked


def test_columns_must_be_there_and_of_a_kind(engine) -> None:
    """Names are integers or text, scores numbers."""
    with pytest.raises(ValueError, match="no column 'score'"):
        made(engine, "", "id bigint, points bigint")
    with pytest.raises(TypeError, match="Candidates must be text, or integers"):
        made(engine, "", "id double, score bigint")
    with pytest.raises(TypeError, match="Candidates must be text, or integers"):
        made(engine, "", "id ubigint, score bigint")
    with pytest.raises(TypeError, match="Scores must be real numbers"):
        made(engine, "", "id bigint, score text")


def test_nothing_private_is_in_the_repr(engine) -> None:
    """Names of columns and public arguments only; grouped scores tell not even how many groups there are."""
    candidates, seen = made(engine, "(17, 2), (18, 99)"), []
    candidates.answer(lambda grouped: seen.append(repr(grouped)) or [])

    assert "Candidates(candidate='id', score='score', neighbours='add-remove', range_bound=2)" == repr(candidates)
    assert ["GroupedScores()"] == seen


def test_a_ledger_that_refuses_is_asked_before_the_engine(engine, monkeypatch) -> None:
    """Nothing is counted and nothing is drawn."""
    candidates, asked, streams = made(engine, "(1, 2), (2, 5)"), spied(monkeypatch), []

    with dps.budget(epsilon=1) as book, pytest.raises(dps.BudgetError):
        release_of(candidates, 1, 2, FLIP, book, behind(lambda: streams.append(1)))
    assert ([], [], 0) == (asked, streams, len(book.events))


def test_what_cannot_work_is_refused_unpaid(engine, monkeypatch) -> None:
    """Mechanisms with noise for every candidate, a shift without a reach, a bad k or epsilon."""
    candidates, asked = (
        made(engine, "(1, 2), (2, 5)", sensitivity=dps.sensitivity.local(lambda t: 1)),
        spied(monkeypatch),
    )
    cases = [
        ("noisy-max-laplace", 1, 1, ValueError, "adds noise to every candidate"),
        ("smooth-noisy-max", 1, 1, ValueError, "adds noise to every candidate"),
        ("shifted-local-dampening", 1, 1, dps.PrivacyError, "reach is unknown"),
        ("inverse-sensitivity", 1, 1, dps.PrivacyError, "number of changes"),
        ("local-dampening", 0, 1, ValueError, "k must be an integer"),
        ("local-dampening", 1, -1, ValueError, "epsilon"),
    ]
    with dps.budget(epsilon=9) as book:
        for name, k, epsilon, error, message in cases:
            with pytest.raises(error, match=message):
                dps.top_k(candidates, k, epsilon=epsilon, mechanism=dps.mechanism(name))
        with pytest.raises(TypeError, match="mechanism is a name"):
            dps.select(candidates, epsilon=1, mechanism=object())

    assert ([], 0) == (asked, len(book.events))


def test_one_spend_with_facts_for_all_picks(engine, tmp_path: Path) -> None:
    """Peeling is k releases at epsilon/k, with the table and its columns; more picks than candidates are refused."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=3)
    candidates = made(engine, "(1, 2), (2, 5), (3, 5)")
    dps.top_k(candidates, 3, epsilon=1, mechanism=FLIP, method="peeling", ledger=ledger)

    (event,) = ledger.events
    assert (3, Fraction(1, 3)) == (event.count, event.guarantee.epsilon)
    assert {"candidate": "id", "score": "score", "table": "candidates"}.items() <= event.metadata.items()
    with pytest.raises(ValueError, match="k is 4 and there are 3 candidates"):
        dps.top_k(candidates, 4, epsilon=1, mechanism=FLIP, ledger=ledger)


def test_a_transaction_holds_the_state_of_a_table(engine, monkeypatch) -> None:
    """Somebody writes between count and look-up: the winner is of the state that was counted, with one count only."""
    candidates, other = made(engine, "(1, 50), (2, 50)"), engine.con.cursor()
    asked = spied(monkeypatch)

    def pick(_):
        other.execute("UPDATE candidates SET id = id + 10, score = 7")
        return [(0, 0), (0, 1)]

    assert [1, 2] == candidates.answer(pick)
    assert 1 == sum("group" in str(ibis.to_sql(question)).lower() for question in asked[:2])
    assert {11: 7, 12: 7} == everyone(candidates)


def views(engine, folder: Path, states: list[list[tuple[int, int]]]):
    """Candidates of a view over a parquet file, and a function that puts the next state in the file's place."""
    import pyarrow.parquet as parquet

    left = iter(states)

    def advance() -> None:
        state = next(left, None)
        if state is not None:
            parquet.write_table(pa.table({"id": [i for i, _ in state], "score": [s for _, s in state]}), folder / "now")
            (folder / "now").replace(folder / "scores.parquet")

    advance()
    engine.raw_sql(f"CREATE VIEW changing AS SELECT * FROM read_parquet('{folder / 'scores.parquet'}')")
    return dps.data.Candidates(engine.table("changing"), "id", "score", 1, domain="rows"), advance


def test_a_file_that_changes_once_is_read_again_with_fresh_coins(engine, tmp_path: Path) -> None:
    """Everything is counted after the look-up; another count throws the winner away, within one spend."""
    first, then = [(1, 5), (2, 5)], [(1, 5), (2, 5), (3, 900)]
    candidates, advance = views(engine, tmp_path, [first, then])
    streams = []

    def stream():
        from dpselect.kernel.bernoulli_exp import new_entropy

        streams.append(len(streams))
        if len(streams) == 1:
            advance()
        return new_entropy()

    with dps.budget(epsilon=1) as book:
        release = release_of(candidates, 1, 1, FLIP, book, behind(stream))

    assert ((3,), [0, 1], 1) == (release.value, streams, len(book.events))


def test_a_winner_that_is_gone_is_a_restart(engine, tmp_path: Path) -> None:
    """The rows that were counted are not there at the look-up, even though a later state would agree."""
    candidates, advance = views(engine, tmp_path, [[(1, 5), (2, 5)], [(1, 4), (2, 4)], [(1, 5), (2, 5)]])
    seen = []

    def pick(grouped):
        seen.append(grouped.scores.values.tolist())
        advance()
        return [(0, 1)]

    assert [2] == candidates.answer(pick)
    assert [[5], [4], [5]] == seen


def test_a_table_that_keeps_changing_is_refused_and_the_spend_stands(engine, tmp_path: Path) -> None:
    """After three tries nothing is returned, and nothing of the data is in the message."""
    states = [[(n, 40 + n)] for n in range(1, 9)]
    candidates, advance = views(engine, tmp_path, states)
    streams = []

    with dps.budget(epsilon=1) as book, pytest.raises(ConnectionError, match="The table changed while") as refused:
        release_of(candidates, 1, 1, FLIP, book, behind(lambda: streams.append(advance()) or os.urandom))
    assert (3, 1) == (len(streams), len(book.events))
    assert refused.value.__cause__ is None


def test_an_engine_that_fails_tells_nothing(engine) -> None:
    """What DuckDB says quotes the cell; what we say does not."""
    engine.raw_sql("CREATE VIEW broken AS SELECT 1 AS id, CAST(c AS INT) AS score FROM (VALUES ('secret-cell')) t(c)")
    candidates = dps.data.Candidates(engine.table("broken"), "id", "score", 1, domain="rows")

    with pytest.raises(ConnectionError, match="refused a query") as refused:
        dps.select(candidates, epsilon=1, mechanism=FLIP)
    chain = [refused.value, refused.value.__cause__, refused.value.__context__]
    assert not any("secret" in str(error) for error in chain)


def test_a_hundred_million_candidates_need_no_memory_here(engine) -> None:
    """A generated range over a public range: rows and absent candidates are found by rank."""
    engine.raw_sql("CREATE VIEW many AS SELECT range * 50 AS id, range % 10 AS score FROM range(100000)")
    candidates = dps.data.Candidates(engine.table("many"), "id", "score", 1, domain=range(10**8))
    release = dps.top_k(candidates, 3, epsilon=1, mechanism=FLIP)

    assert 10**8 == candidates.check()
    assert all(0 <= name < 10**8 for name in release.value)
    assert 3 == len(set(release.value))


@pytest.mark.chance(2.1e-6)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["exponential", "permute-and-flip"])
def test_winners_from_an_engine_follow_the_law(engine, name: str) -> None:
    """Whole selections, fresh randomness, against the law of the same scores in memory; wrong laws are rejected."""
    values = dict(enumerate([6, 4, 3, 1, 0, 0, -2]))
    rows = ", ".join(f"({i}, {score})" for i, score in values.items() if score)
    candidates = made(engine, rows, domain=range(7))
    mechanism = dps.mechanism(name)
    scores = dps.Scores(list(values.values()), sensitivity=1, kind="integer")

    def law(epsilon: Fraction) -> dict[int, float]:
        return dict(enumerate(mechanism.pmf(scores, epsilon).tolist()))

    verdict = dps.audit.sampler(
        lambda: dps.select(candidates, epsilon=1, mechanism=mechanism).value,
        law(Fraction(1)),
        against={f"{float(factor)} epsilon": law(factor) for factor in (Fraction(7, 10), Fraction(13, 10))},
        draws=3072,
    )
    accept(verdict)


def test_pairs_of_groups_are_all_reachable(engine, entropy) -> None:
    """Ordered pairs drawn at a tiny epsilon cover every pair of candidates, absent ones included."""
    candidates = made(engine, "(0, 1), (1, 1)", domain=range(3))
    left = set(itertools.permutations(range(3), 2))
    for _ in range(50):
        left.discard(release_of(candidates, 2, 0.001, FLIP, None, behind(lambda: entropy)).value)
        if not left:
            break

    assert not left


def test_the_scores_do_not_name_the_candidates() -> None:
    """The winner's name would be its exact score, at any epsilon."""
    table = ibis.memtable(pa.table({"id": [1, 2], "score": [5, 7]}))
    for domain in ("rows", [5, 6, 7]):
        with pytest.raises(dps.PrivacyError, match="candidate= names a public column, and the scores are private"):
            dps.data.Candidates(table, "score", "score", 1, domain=domain)
