"""The planner adds up as the library does, and never writes to a ledger."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from starlette.testclient import TestClient

import dpselect as dps
from dpselect.cli import main
from dpselect.kernel.prices import laplace_price, pure_price
from dpselect.ledger.composition import Terms
from dpselect.web.explorer.app import explorer
from dpselect.web.explorer.explorer_page import View
from dpselect.web.explorer.form_fields import Query
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.pages.planner import PAGE
from dpselect.web.explorer.planned_queries import KINDS, PlannedQuery, price_of
from tests.web.explorer.conftest import PORT

BIG = {
    "number": (1, 1),
    "counts": (30, 1),
    "median": (121, 1),
    "most-common": (40, 3),
    "top-k": (60, 2),
    "tree": (3, 1),
}
TIGHT = [("counts", 8, 1, 0.2, 1), ("median", 121, 1, 0.3, 3), ("number", 1, 1, 0.1, 2)]


def asked(*rows: tuple[str, int, int, float, int], **more: str) -> dict[str, list[str]]:
    """The query of such rows."""
    names = ("what", "size", "named", "epsilon", "times")
    columns = {f"release-{name}": [str(row[place]) for row in rows] for place, name in enumerate(names)}
    return columns | {name: [text] for name, text in more.items()}


def view(query: Query, material: Material | None = None) -> View:
    """What the page shows."""
    given = material or Material()
    return PAGE.view({field.name: field.read(query) for field in PAGE.fields(given)}, given)


def costs(shown: View) -> list[tuple[str, ...]]:
    """The rows of the table of costs."""
    return next(part.rows for part in shown.parts if part.title == "What each release costs")


def planned_by_command(capsys, command: str) -> dict:
    """What a dry run says of one release, for programs."""
    status = main(shlex.split(command)[1:])
    said = capsys.readouterr()
    assert 0 == status, said.err
    return json.loads(said.out)


def described(path: Path, planned: PlannedQuery) -> None:
    """Write what is public of the table of a tree."""
    path.write_text(KINDS["tree"].dataset(replace(planned, kind="tree")).dump())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A folder with the files that the commands name, and their ledgers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("who,age,job,item\n1,30,0,1\n2,40,1,1\n2,50,2,2\n")
    (tmp_path / "friends.csv").write_text("source,target\n0,1\n1,2\n")
    return tmp_path


@pytest.mark.parametrize("rule", ["sum", "rho"])
@pytest.mark.parametrize("side", ["add-remove", "person"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_price_is_that_of_the_command(capsys, kind, side, rule) -> None:
    """The guarantee, its relation and what is said of the error, for every kind of question."""
    planned = PlannedQuery(kind, *BIG[kind], Fraction(1, 8), side)
    price = price_of(planned, rule)
    relation = price.spend.guarantee.neighbours.value
    delta = 1e-6 if rule == "rho" else 0
    dps.Ledger.open("it.ledger", epsilon=9, delta=delta, neighbours=relation, dataset="people", rule=rule)
    described(Path("people.toml"), planned)
    plan = planned_by_command(capsys, KINDS[kind].shell_of(planned, "--ledger it.ledger", "--dry-run", "--json"))

    assert plan["guarantee"]["epsilon"] == str(price.spend.guarantee.epsilon * price.spend.count)
    assert plan["guarantee"]["neighbours"] == relation
    assert plan["accuracy_line"] == price.line


def test_totals_are_those_of_a_ledger() -> None:
    """What the Python on the page spends is what the page says: the calls are made here, on made-up files."""
    query = asked(("counts", 8, 1, 0.25, 2), ("median", 121, 1, 0.125, 1), ("most-common", 4, 2, 0.5, 1), budget="2")
    shown = view(query)
    names: dict[str, object] = {}
    exec(compile(shown.commands.python, "page", "exec"), names)

    assert Fraction(7, 8) == names["ledger"].remaining.epsilon
    assert shown.headline == "All 4 releases fit: epsilon 1.125 of 2, and 0.875 is left."


def test_totals_by_rho_are_those_of_a_ledger() -> None:
    """The price of each draw; a list is drawn one by one."""
    query = asked(("counts", 8, 1, 0.25, 3), ("most-common", 4, 2, 0.5, 1), budget="3", rule="rho", delta="1e-6")
    shown = view(query)
    names: dict[str, object] = {}
    exec(compile(shown.commands.python, "page", "exec"), names)
    spent = names["ledger"].terms.rho - names["ledger"].remaining.rho

    quarter = Fraction(1, 4)
    assert spent == 3 * pure_price(quarter) + 2 * laplace_price(quarter)
    assert f"rho {float(spent):.4g} of" in shown.headline
    assert any("right at most" in getattr(part, "words", "") or "right at most" in str(part) for part in shown.parts)


@pytest.mark.parametrize("side", ["add-remove", "person", "edge"])
def test_the_python_defines_what_it_uses(side) -> None:
    """Every kind that the ledger can pay, twice over, in a folder with the files alone and no name defined."""
    rows = [(kind, *BIG[kind], 0.125, 2) for kind in KINDS if (kind == "top-k") == (side == "edge")]
    names: dict[str, object] = {}
    exec(compile(view(asked(*rows, budget="4", protected=side)).commands.python, "page", "exec"), names)

    assert 4 - Fraction(len(rows), 4) == names["ledger"].remaining.epsilon


def test_an_empty_row_says_how_to_add_a_release(user) -> None:
    """What it would ask comes first."""
    assert "none: choose one to add a release</option>" in user.get("/planner").text


def test_the_refused_row_is_named_and_costs_nothing() -> None:
    """What comes after it still fits, as in the library."""
    shown = view(asked(*TIGHT, budget="1"))

    assert shown.headline.startswith("Release 2 (3 x the median) is refused. The budget does not allow this: asked for")
    assert [row[1] for row in costs(shown)] == ["fits", "refused", "fits"]
    assert "2 releases of this epsilon" in shown.headline


def test_another_relation_is_refused_by_its_row() -> None:
    """Edges of a graph cannot be paid from a budget of records."""
    shown = view(asked(("median", 121, 1, 0.1, 1), ("top-k", 50, 2, 0.1, 1)))

    assert "Release 2 (top 2 of 50 nodes) is refused" in shown.headline
    assert "edge neighbours" in shown.headline
    assert "fits" in view(asked(("top-k", 50, 2, 0.1, 1), protected="edge")).headline


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"protected": "person"},
        pytest.param({"rule": "rho", "budget": "3"}, marks=pytest.mark.slow),
    ],
)
def test_the_commands_run(more) -> None:
    """In a shell, with the files that they name; each is a dry run that the ledger would pay."""
    query = asked(("number", 1, 1, 0.1, 1), ("median", 121, 1, 0.2, 2), ("most-common", 4, 2, 0.3, 1), **more)
    shell = view(query).commands.shell
    said = run_in_shell(shell)

    assert 3 == said.count("Dry run: nothing was spent") == len(re.findall("left, .* afterwards", said))
    assert "# 2 times:\ndpselect median people.csv" in shell


def test_the_command_of_single_releases_runs() -> None:
    """Every kind, each once; a tree is asked of a description."""
    rows = [(kind, *BIG[kind], 0.1, 1) for kind in KINDS if kind != "top-k"]
    described(Path("people.toml"), PlannedQuery("tree", *BIG["tree"], Fraction(1, 10), "add-remove"))
    said = run_in_shell(view(asked(*rows)).commands.shell)

    assert len(rows) == said.count("people.ledger: epsilon 1 left, epsilon 0.9 afterwards")


def run_in_shell(lines: str) -> str:
    """What the lines print."""
    function = f'set -e\ndpselect() {{ "{sys.executable}" -m dpselect "$@"; }}\n'
    done = subprocess.run(["bash", "-c", function + lines], capture_output=True, text=True, check=False, timeout=120)
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_a_ledger_is_read_and_never_written(folder) -> None:
    """What was spent and is left follows it, and its bytes, times and neighbours on disk stay."""
    path = folder / "census <b>.ledger"
    ledger = dps.Ledger.open(path, epsilon=2, dataset="the secret name")
    ledger.spend(dps.Guarantee(Fraction(1, 2), dps.mechanisms.Neighbours.ADD_REMOVE), mechanism="counts")
    before, stat, names = path.read_bytes(), path.stat(), sorted(folder.iterdir())
    client, guard = explorer(PORT, Material(ledger=dps.Ledger.read(path)))
    user = TestClient(client, base_url=f"http://127.0.0.1:{PORT}")
    text = user.get(guard.address("/planner")).text

    assert "0.5 was spent before" in text
    assert "0.6 is left" in text
    assert "census &lt;b&gt;.ledger" in text
    assert "<b>" not in text
    assert str(folder) not in text
    assert "the secret name" not in text
    assert 'name="budget"' not in text
    assert (before, names) == (path.read_bytes(), sorted(folder.iterdir()))
    assert stat.st_mtime_ns == path.stat().st_mtime_ns
    # What another program spends meanwhile is seen at once.
    ledger.spend(dps.Guarantee(Fraction(1), dps.mechanisms.Neighbours.ADD_REMOVE), mechanism="counts")
    assert "is refused" in user.get("/planner").text


def test_a_ledger_that_is_gone_is_a_sentence(folder) -> None:
    """With the name of its file, and without its folder."""
    path = folder / "it.ledger"
    material = Material(ledger=dps.Ledger.open(path, epsilon=2, dataset="people"))
    path.unlink()
    client, guard = explorer(PORT, material)
    answer = TestClient(client, base_url=f"http://127.0.0.1:{PORT}").get(guard.address("/planner"))

    assert 400 == answer.status_code
    assert "it.ledger cannot be read now" in answer.text
    assert str(folder) not in answer.text


def test_commands_with_a_ledger_run(folder) -> None:
    """The plan is against the ledger that was named, whose name may be odd."""
    path = folder / "it's mine.ledger"
    material = Material(ledger=dps.Ledger.open(path, epsilon=2, dataset="people"))
    shown = view(asked(("number", 1, 1, 0.5, 1)), material)
    names: dict[str, object] = {}
    exec(compile(shown.commands.python, "page", "exec"), names)

    assert "budget create" not in shown.commands.shell
    assert "epsilon 1.5 left, epsilon 1 afterwards" in run_in_shell(shown.commands.shell)
    assert Fraction(3, 2) == names["ledger"].remaining.epsilon


def test_what_a_row_refuses_is_said_with_its_number(user) -> None:
    """More names than items; a median of a single value; a number that is none."""
    for row, words in [
        (("most-common", 2, 3, 0.1, 1), "Release 1: k"),
        (("median", 1, 1, 0.1, 1), "Release 1: "),
        (("counts", 3, 1, 11, 1), "Release 1: Epsilon is a number"),
        (("x", 3, 1, 1, 1), "Release 1: Question is one of"),
    ]:
        answer = user.get("/planner", params=asked(row))

        assert 400 == answer.status_code, row
        assert words in html.unescape(answer.text)
        assert "Traceback" not in answer.text


def test_the_budget_of_the_form_is_checked(user) -> None:
    """Rhos need a delta, and a budget is a number."""
    for more in ({"rule": "rho", "delta": "0"}, {"budget": "0"}, {"rule": "x"}, {"protected": "family"}):
        assert 400 == user.get("/planner", params=asked(TIGHT[0], **more)).status_code


def test_terms_are_those_of_the_form() -> None:
    """The rho that may be spent is the ledger's own."""
    shown = view(asked(("number", 1, 1, 0.1, 1), rule="rho", budget="1", delta="1e-6"))
    whole = Terms.of(1, 1e-6, "add-remove", "", "rho").rho

    assert f"of {float(whole):.4g}" in shown.headline
    assert re.search(
        r"dpselect budget create people.ledger --epsilon 1 --dataset people --delta \S+ --rule rho",
        shown.commands.shell,
    )


def test_a_tree_of_more_classes_than_somebody_waits_for_is_refused() -> None:
    """In a sentence, before any tree is made."""
    from fractions import Fraction

    from dpselect.web.explorer.planned_queries import PlannedQuery, price_of

    with pytest.raises(ValueError, match="up to 10,000 classes"):
        price_of(PlannedQuery("tree", 100_000, 1, Fraction(1), "add-remove"), "sum")
