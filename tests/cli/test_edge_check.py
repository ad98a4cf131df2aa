"""dpselect check of a file of edges: what is understood of it, for the curator alone."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dpselect.cli import main
from tests.cli.inputs import description

pytest.importorskip("pyarrow")

LINES = "% konect\n100 2000\n100 30000 5\n1 2\n2 1 7\n3 3\nhello\n0 3 0.5\n\n# end\n0,x\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of edges whose ids have gaps, and a table of the same edges."""
    monkeypatch.chdir(tmp_path)
    Path("edges.txt").write_text(LINES, encoding="utf-8")
    Path("edges.csv").write_text("from,to\n100,2000\n1,2\n2,1\n3,3\n0,3\n1\n", encoding="utf-8")


def printed(capsys: pytest.CaptureFixture[str], line: str, status: int = 0) -> str:
    """Run a command line and return what it prints."""
    assert status == main(shlex.split(line))
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_what_is_understood_of_lines(capsys) -> None:
    """Each count by hand, with the first few lines and strangers."""
    facts = json.loads(printed(capsys, "check edges.txt --nodes 4 --json"))

    assert 8 == facts["rows"]
    assert (2, ["hello", "0,x"]) == (facts["not_an_edge"], facts["unread"])
    assert (2, ["100 2000", "100 30000"]) == (facts["other_nodes"], facts["strangers"])
    assert (1, 1, 2, 1) == (facts["loops"], facts["repeated"], facts["edges"], facts["largest_degree"])
    assert (4, 4) == (facts["nodes_with_an_edge"], facts["nodes"])
    text = printed(capsys, "check edges.txt --nodes 4")
    assert text.startswith("Private: these counts are for the curator alone")
    assert "an end is not among the 4 nodes: 2, such as '100 2000'; '100 30000'" in text
    assert "not an edge: 2, such as 'hello'; '0,x'" in text


def test_a_list_of_nodes_and_a_table(capsys) -> None:
    """Labels as they are listed; the ends of a table are named."""
    Path("nodes.txt").write_text("100\n2000\n30000\n1\n2\n", encoding="utf-8")
    facts = json.loads(printed(capsys, "check edges.txt --nodes nodes.txt --json"))
    assert (3, 2, ["3 3", "0 3"]) == (facts["edges"], facts["other_nodes"], facts["strangers"])

    facts = json.loads(printed(capsys, "check edges.csv --nodes 4 --ends from to --json"))
    assert (6, 1, 1, 2) == (facts["rows"], facts["not_an_edge"], facts["other_nodes"], facts["edges"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check edges.txt --nodes 4 --in-place", "Edges are checked in a file"),
        ("check edges.csv x --lower 0 --upper 1 --ends a b", "--ends: this goes with a graph: leave it out."),
        ("check nothing.txt --nodes 4", "The file nothing.txt does not exist"),
        ("check edges.csv --nodes 4", "needs the columns source and target"),
        ("check edges.txt", "pass --nodes, their number or a file of their names"),
        ("check edges.csv", "pass --nodes for a file of edges"),
    ],
)
def test_what_goes_with_no_edges_is_refused(capsys, line, said) -> None:
    """In one sentence."""
    assert said in printed(capsys, line, 2)


def test_a_dry_run_names_the_check_that_works(capsys) -> None:
    """Of edges, of a column as it is written, and of a table with domains; none where there is no file."""
    Path("people.csv").write_text("a b;y\n" + "1.000,5;0\n2;1\n" * 20, encoding="utf-8")
    columns = '"a b" = {lower = 0, upper = 2000}\ny = [0, 1]\n'
    how, written = "--separator ';' --decimal ,", 'separator = ";"\ndecimal = ","\n'
    Path("people.toml").write_text(description(columns, written), encoding="utf-8")
    for line in (
        "top-k edges.txt degree --k 1 --nodes 4 --epsilon 1",
        f"median people.csv 'a b' --lower 0 --upper 2000 --step 100 {how} --where 'y = 1' --epsilon 1",
        "train people.toml y --out m.json --epsilon 1",
    ):
        (_, command) = printed(capsys, f"{line} --dry-run").replace(" \\\n", " ").split("  dpselect ")
        command = command.splitlines()[0]
        assert "Private" in printed(capsys, command) or "private" in json.loads(printed(capsys, f"{command} --json"))
    shown = printed(capsys, "top-k lesmis degree --k 1 --epsilon 1 --dry-run")
    assert "dpselect check" not in shown


def test_the_command_of_a_question_is_checked_with_check_for_its_verb(capsys) -> None:
    """What belongs to the question alone may stay."""
    Path("people.csv").write_text("income\n10\nx\n30\n", encoding="utf-8")

    shown = printed(capsys, "check people.csv income --lower 0 --upper 20 --step 5")
    assert "income: 2 numbers, 0 empty, 1 not a number, such as 'x'; 1 outside of the bounds, such as '30'" in shown


def test_followers_have_a_direction(capsys) -> None:
    """One that points back is no repetition, and a follower counts for the node that is followed."""
    Path("follows.txt").write_text("1 2\n2 1\n1 2\n3 2\n0 2\n2 2\n", encoding="utf-8")
    facts = json.loads(printed(capsys, "check follows.txt --nodes 4 followers --json"))
    assert (True, 1, 1, 4, 3) == tuple(
        facts[name] for name in ("directed", "loops", "repeated", "edges", "most_followers")
    )
    assert "largest_degree" not in facts
    for more in ("", "degree"):
        facts = json.loads(printed(capsys, f"check follows.txt {more} --nodes 4 --json"))
        assert (False, 2, 3, 3) == tuple(facts[name] for name in ("directed", "repeated", "edges", "largest_degree"))


@pytest.mark.parametrize(("default", "edges"), [("directed", 2), ("undirected", 1)])
def test_a_file_that_says_its_direction_is_believed(default, edges, capsys) -> None:
    """Unless the question is one without directions."""
    Path("g.graphml").write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="{default}">'
        '<node id="1"/><node id="2"/><edge source="1" target="2"/><edge source="2" target="1"/></graph></graphml>',
        encoding="utf-8",
    )
    assert edges == json.loads(printed(capsys, "check g.graphml --nodes 3 --json"))["edges"]
    assert 1 == json.loads(printed(capsys, "check g.graphml --nodes 3 degree --json"))["edges"]


@pytest.mark.parametrize("label", ["lee, ann", "ann lee", "a;b", "#7", "%7", "a\tb"])
def test_a_node_that_no_line_can_spell_is_refused(label, capsys) -> None:
    """Of a text without a header, in every command; in a table it is a label."""
    Path("nodes.txt").write_text(f"bob\n{label}\n", encoding="utf-8")
    Path("labels.csv").write_text(f'source,target\n"{label}",bob\n', encoding="utf-8")
    for line in (
        "check edges.txt --nodes nodes.txt",
        "top-k edges.txt --nodes nodes.txt degree --epsilon 1",
        "top-k edges.txt --nodes nodes.txt followers --epsilon 1",
    ):
        assert f"public node {label!r} cannot stand in a .txt file" in printed(capsys, line, 2)
    assert 1 == json.loads(printed(capsys, "check labels.csv --nodes nodes.txt --json"))["edges"]
