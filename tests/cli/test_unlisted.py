"""Names that no public list declares, on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

pytestmark = pytest.mark.usefixtures("folder")

KEYS = ["partitions", "events.csv", "--person", "user", "product", "--per-person", "2", "--epsilon", "2"]
LIST = ["most-common", "events.csv", "--person", "user", "product", "--k", "2", "--epsilon", "2"]
BUDGET = ["budget", "create", "book", "--epsilon", "9", "--delta", "1e-3", "--neighbours", "person", "--dataset", "x"]


@pytest.mark.parametrize(
    "line",
    [KEYS, [*LIST, "--items-per-person", "1"], [*LIST, "--kept", "5"]],
    ids=["partitions", "most-common, keys", "most-common, wall"],
)
def test_a_release_with_a_delta_is_planned_and_recorded(line: list[str], capsys) -> None:
    """For persons; the dry run spends nothing."""
    assert 0 == main(BUDGET)
    more = ["--delta", "1e-5", "--ledger", "book"]
    assert 0 == main([*line, *more, "--dry-run"])
    told = capsys.readouterr().out
    assert "epsilon = 2 and delta = 0.00001 per person with all of their records" in told
    assert () == dps.Ledger.read("book").events

    assert 0 == main([*line, *more, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert {"milk", "tea"} >= {*answer["candidates"]}
    (event,) = dps.Ledger.read("book").events
    assert ("2", "1/100000", "person") == (str(event.epsilon), str(event.delta), event.neighbours)
    assert answer["mechanism"] == event.mechanism


def test_keys_are_told_one_in_a_line(capsys) -> None:
    """Or that none can be."""
    assert 0 == main([*KEYS, "--delta", "1e-3"])
    assert {"milk", "tea", "epsilon"} <= {line.split(" ")[0] for line in capsys.readouterr().out.splitlines()}
    Path("events.csv").write_text("user,product\n1,tea\n", encoding="utf-8")
    assert 0 == main([*KEYS, "--delta", "1e-15"])
    assert "nothing could be named: too few persons" in capsys.readouterr().out


def test_a_name_of_a_stranger_cannot_pretend_to_be_the_tool(capsys) -> None:
    """It stays on its line, and what moves, colours or turns text is escaped; JSON keeps it whole."""
    name = "\x1b[31mred\x1b[0m\nspent: epsilon 0\u202e\u9b5a\u3000"
    table = {"user": list(range(400)), "product": [name] * 400}
    pytest.importorskip("pyarrow.parquet").write_table(pytest.importorskip("pyarrow").table(table), "odd.parquet")
    line = ["partitions", "odd.parquet", *KEYS[2:], "--delta", "1e-3"]

    assert 0 == main(line)
    printed = capsys.readouterr().out
    assert r"\x1b[31mred\x1b[0m\nspent: epsilon 0\u202e" + "\u9b5a\u3000" == printed.split("\n")[0]

    assert 0 == main([*line, "--json"])
    assert [name] == json.loads(capsys.readouterr().out)["candidates"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (KEYS, "pass --delta 1e-6"),
        (LIST, "pass --domain, their public list, or --delta with --kept (a short list) or with --items-per-person"),
        ([*LIST, "--kept", "1", "--delta", "1e-6"], "kept must be at least k"),
        ([*LIST, "--domain", "tea,milk", "--delta", "1e-6"], "leave --delta, --kept and --items-per-person out"),
        ([*LIST, "--items-per-person", "1"], "pass --delta 1e-6"),
        ([*LIST, "--domain", "tea,milk", "--kept", "9"], "leave --delta, --kept and --items-per-person out"),
        ([*LIST, "--by", "region", "--groups", "n,s"], "pass --domain"),
        ([*LIST, "--domain", ",", "--by", "region", "--groups", "n,s"], "--domain names no value"),
        ([*LIST, "--domain", "tea,milk", "--groups", "n,s"], "pass --by"),
    ],
)
def test_what_is_refused_names_the_options(line: list[str], words: str, capsys) -> None:
    """With status 2."""
    assert 2 == main(line)
    assert words in capsys.readouterr().err


def test_where_the_table_is_makes_no_difference(capsys) -> None:
    """Nor does a dry run: the same accuracy, in persons."""
    pytest.importorskip("ibis")
    said = set()
    for more in ([], ["--in-place"], ["--dry-run"], ["--in-place", "--dry-run"]):
        assert 0 == main([*LIST, "--domain", "products.txt", *more, "--json"])
        said.add(json.dumps(json.loads(capsys.readouterr().out)["accuracy"]))
    assert 1 == len(said)
    assert "persons" in said.pop()


@pytest.mark.parametrize("option", ["--domain", "--groups"])
def test_a_single_name_ends_with_a_comma(option: str, capsys) -> None:
    """Without one it is taken for a file, and the refusal says how it is written."""
    words = [
        "most-common",
        "events.csv",
        "--person",
        "user",
        "product",
        "--domain",
        "tea,",
        "--by",
        "region",
        "--groups",
        "n",
        "--groups-per-person",
        "1",
        "--epsilon",
        "1",
    ]
    at = words.index(option) + 1
    words[words.index("--groups") + 1] = "n,"
    alone = [*words[:at], "tea", *words[at + 1 :]]

    assert 2 == main(alone)
    assert "the file 'tea' does not exist, and a single name ends with a comma, as in 'tea,'" in capsys.readouterr().err
    assert 0 == main([*words[:at], "tea,", *words[at + 1 :]])


def test_groups_are_printed_with_their_items(capsys) -> None:
    """And as objects."""
    line = [*LIST, "--domain", "tea,milk,soy", "--by", "region", "--groups", "n,s", "--groups-per-person", "1"]
    assert 0 == main(line)
    assert ["n:", "s:"] == [each.split(" ")[0] for each in capsys.readouterr().out.splitlines()[:2]]
    assert 0 == main([*line, "--json"])
    groups = json.loads(capsys.readouterr().out)["groups"]
    assert ["n", "s"] == [each["group"] for each in groups]
    assert all(2 == len(each["candidates"]) for each in groups)


def test_a_list_without_a_name_says_so(capsys) -> None:
    """In place of an empty list, by either way."""
    Path("events.csv").write_text("user,product\n1,tea\n", encoding="utf-8")
    for way in (["--items-per-person", "1"], ["--kept", "5"]):
        assert 0 == main([*LIST, *way, "--delta", "1e-15"])
        assert capsys.readouterr().out.startswith("nothing could be named: too few persons")


def test_a_dry_run_says_how_many_persons_a_name_needs(capsys) -> None:
    """As the public laws have it: half of the time or more from there on."""
    delta = ["--delta", "1e-6", "--dry-run"]
    assert 0 == main([*KEYS, *delta])
    needed = int(re.search(r"a name that (\d+) persons kept is revealed half", capsys.readouterr().out)[1])
    fewer, enough = dps.accuracy.keep_probability([needed - 1, needed], epsilon=2, delta=1e-6, keys_per_person=2)
    assert fewer < 0.5 <= enough

    assert 0 == main([*LIST, "--items-per-person", "2", *delta])
    needed = int(re.search(r"an item that (\d+) persons kept is revealed half", capsys.readouterr().out)[1])
    fewer, enough = dps.accuracy.keep_probability([needed - 1, needed], epsilon=1, delta=1e-6, keys_per_person=2)
    assert fewer < 0.5 <= enough

    assert 0 == main([*LIST, "--kept", "5", *delta])
    assert re.search(r"an item needs \d+ persons more than the most frequent one after the 5", capsys.readouterr().out)
    assert 0 == main([*KEYS[:-1], "1e-6", *delta])
    assert "fewer than 100000 persons kept is revealed less than half" in capsys.readouterr().out


def test_the_plan_of_groups_states_what_the_release_states(capsys) -> None:
    """How wrong the list of one group may be follows from public numbers."""
    groups = ["--domain", "products.txt", "--by", "region", "--groups", "n,s", "--groups-per-person", "2"]
    assert 0 == main([*LIST, *groups, "--dry-run"])
    planned = [line for line in capsys.readouterr().out.splitlines() if "each group: " in line]
    assert 0 == main([*LIST, *groups])
    stated = [line for line in capsys.readouterr().out.splitlines() if "each group: " in line]

    assert 1 == len(planned) == len(stated)
    assert planned[0].endswith(stated[0])


def test_nothing_is_stated_of_groups_that_count_some_of_their_persons(capsys) -> None:
    """Neither before nor after the release."""
    groups = ["--domain", "products.txt", "--by", "region", "--groups", "n,s", "--groups-per-person", "1"]
    for words in ([*LIST, *groups, "--dry-run"], [*LIST, *groups]):
        assert 0 == main(words)
        printed = capsys.readouterr().out
        assert "each group: " not in printed
        assert "whatever the data" not in printed
