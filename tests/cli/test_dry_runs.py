"""A dry run spends and draws nothing, and its plan is the same for neighbouring tables.

What it says beside the plan, of how many cells are not understood, is for the curator alone.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import command_registry, main

SELECT = "select scores.csv --kind integer --candidate name --score score --sensitivity 1 --domain rows"
BOUNDS = "--lower 0 --upper 120"
GROUPS = "--by place --groups n,s"
WHERE = ("", " --where 'age > 35'", " --where 'job = nurse'")
# Of each verb, what somebody may write down, right or wrong.
RELEASES = {
    "above-threshold": [
        "above-threshold scores.csv --label name --value score --threshold 3",
        "above-threshold scores.csv --label name --value score --threshold 3 --where 'score > 3'",
        "above-threshold scores.csv --label name --value score --threshold 3 --where 'place = n or score > 3'",
        "above-threshold scores.csv --label score --value score --threshold 3",
        "above-threshold scores.csv --label name --value score --thresholds score",
    ],
    "best": ["best rows.toml 'avg(age)' --by job --prior 5:40", "best rows.toml 'avg(place)' --by job --prior 5:40"],
    "histogram": [f"histogram rows.csv job --domain nurse,cook {GROUPS}{where}" for where in WHERE],
    "partitions": ["partitions rows.csv --person who job --per-person 2 --delta 1e-6"],
    "median": [
        *(f"median rows.csv age {BOUNDS}{where}" for where in WHERE),
        f"median rows.csv age --lower 0 {WHERE[1]}",
    ],
    "most-common": [
        "most-common rows.csv --person who job --domain nurse,cook",
        "most-common rows.csv --person who job --delta 1e-6 --kept 2",
    ],
    "quantiles": [f"quantiles rows.csv age --p 25 75 {BOUNDS} {GROUPS}{where}" for where in WHERE],
    "select": [
        SELECT,
        f"{SELECT} --where 'score > 3'",
        f"{SELECT} {GROUPS} --where 'score > 3'",
        f"{SELECT} --by score --groups 3,4",
        SELECT.replace("--candidate name", "--candidate score"),
    ],
    "sql": [
        "sql rows.toml 'SELECT job FROM rows GROUP BY job ORDER BY AVG(age) LIMIT 1' --prior 5:40",
        "sql rows.toml 'SELECT job, COUNT(*) FROM rows WHERE age > 35 GROUP BY job'",
        "sql rows.toml 'EXPLAIN SELECT MEDIAN(age) FROM rows WHERE place = 1'",
    ],
    "snp": [f"snp study.csv --families 9 --label {label}" for label in ("snp", "b", "c")],
    "top-k": [
        "top-k edges.csv --nodes 9 degree --k 2",
        "top-k edges.csv --nodes 9 weighted-degree --weight-cap 5 --k 2",
    ],
    "train": ["train rows.toml job --out model.json"],
    "synthesize": [
        "synthesize rows.toml --delta 1e-6 --out synthetic.csv",
        "synthesize rows.toml --delta 1e-6 --method mst --impossible 'age < 9 and job = cook' --out synthetic.csv",
    ],
    "median-record": [
        f"median-record scores.csv score {BOUNDS} --label name",
        f"median-record scores.csv score {BOUNDS} --label score",
        f"median-record scores.csv {BOUNDS} --label score",
    ],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is public of the tables."""
    monkeypatch.chdir(tmp_path)
    columns = 'age = {lower = 0, upper = 100}\njob = ["cook", "nurse"]\n'
    Path("rows.toml").write_text(f'source = "rows.csv"\n[columns]\n{columns}')


def write(*, here: bool) -> None:
    """One of two neighbours: a row, an edge or a private cell more, or other, than in the other one."""
    Path("rows.csv").write_text("who,place,age,job\n2,s,40,cook\n1,n,30,\n" + "3,n,50,nurse\n" * here)
    Path("edges.csv").write_text("source,target,weight\n0,1,2\n" + "1,2,3\n" * here)
    Path("scores.csv").write_text(f"place,name,score\nn,x,{4 if here else 3}\nn,y,{'' if here else 3}\ns,z,5\n")
    Path("study.csv").write_text(f"snp,b,c\nrs1,{4 if here else 3},4\nrs2,3,{1 if here else 4}\n")


def test_every_command_that_asks_is_planned() -> None:
    """A new query joins the test below."""
    assert {*command_registry.queries()} <= {*RELEASES}


@pytest.mark.parametrize("verb", RELEASES)
def test_a_plan_is_the_same_for_neighbours(verb: str, capsys) -> None:
    """Status, figures and refusals; at least one of its releases has a plan."""
    planned = 0
    for release in RELEASES[verb]:
        said = []
        for here in (True, False):
            write(here=here)
            status, printed = main([*shlex.split(release), "--epsilon", "1", "--dry-run"]), capsys.readouterr()
            beside = [line for line in printed.err.splitlines() if not line.startswith("private, for you alone: ")]
            said.append((status, printed.out, beside))
        assert said[0] == said[1], release
        planned += said[0][0] == 0
    assert planned


def test_a_dry_run_says_for_the_curator_how_many_cells_are_not_understood(capsys) -> None:
    """In one line beside the plan, once nothing refuses the question; nothing is spent for it."""
    from dpselect.ledger import Ledger

    Path("rows.csv").write_text("who,age,job\n" + "1,40,nurse\n" * 9 + "2,x,cook\n3,,smith\n")
    Path("edges.csv").write_text("source,target\n0,1\n1,zz\n")
    Path("study.csv").write_text("snp,b,c\nrs1,4,4\nrs2,x,1\nrs3,99,0\n")
    Path("named.csv").write_text("who,age\nann,40\nbob,x\n")
    Path("counts.csv").write_text("name,count\nflu,4\npox,many\n")
    main(["budget", "create", "rows.ledger", "--epsilon", "2", "--dataset", "rows"])
    capsys.readouterr()
    for line, said in (
        (f"median rows.csv age {BOUNDS}", "2 of 11 cells of age were not read as numbers"),
        (
            f"histogram rows.csv job --domain nurse,cook --person who --by age --groups 40,50,60 {WHERE[1]}",
            "0 of 9 cells of job were not in its list; 0 of 9 cells of age were not in its list; 0 of 9 rows are of "
            "nobody",
        ),
        ("top-k edges.csv --nodes 9 degree", "1 of 2 lines are not edges between the public nodes"),
        ("train rows.toml job --out model.json", None),
        (f"median-record named.csv age --label who {BOUNDS}", "1 of 2 cells of age were not read as numbers"),
        (
            "snp study.csv --families 9",
            "1 of 3 cells of b were not read as numbers, and 1 lie outside of the bounds; "
            "0 of 3 cells of c were not read as numbers",
        ),
        ("above-threshold counts.csv --threshold 3", "1 of 2 cells of count were not read as numbers"),
        (
            "choose tree rows.toml job --out model.json",
            "2 of 11 cells of age were not read as numbers; 1 of 11 cells of job were not in its list",
        ),
    ):
        assert 0 == main([*shlex.split(line), "--epsilon", "1", "--dry-run"])
        printed = capsys.readouterr()
        assert "private" not in printed.out
        if said is not None:
            assert f"private, for you alone: {said}\n" == printed.err
    assert 2 == main(
        ["median", "rows.csv", "age", *BOUNDS.split(), "--epsilon", "3", "--ledger", "rows.ledger", "--dry-run"]
    )
    assert "private" not in capsys.readouterr().err
    assert not Ledger.read("rows.ledger").events
    with Path("rows.toml").open("a") as file:
        file.write('[budget]\nepsilon = 2\nledger = "rows.ledger"\n')
    query = '[[query]]\nkey = "a"\nquery = "median"\ncolumn = "age"\nepsilon = 1\n'
    Path("plan.toml").write_text(f'dataset = "rows.toml"\ntotal = {{epsilon = 1}}\n{query}')
    assert 0 == main(["publish", "plan.toml", "--dry-run"])
    printed = capsys.readouterr()
    assert "private" not in printed.out
    assert "private, for you alone: 2 of 11 cells of age were not read as numbers\n" == printed.err
    # A plan in Python reads no row: it needs no file.
    Path("rows.csv").unlink()
    assert dps.open("rows.toml").plan.median("age", epsilon=1).guarantee.epsilon == 1


def test_a_dry_run_names_the_epsilon_that_an_error_takes(capsys) -> None:
    """The least of four digits; beside an epsilon, without a dry run, or where no error is known, it is refused."""
    write(here=True)
    line = ["median", "rows.csv", "age", *BOUNDS.split(), "--error", "20"]
    assert 0 == main([*line, "--dry-run", "--json"])
    planned = json.loads(capsys.readouterr().out)
    assert ("7057/10000", 20) == (planned["guarantee"]["epsilon"], planned["accuracy"]["error_below"])
    for wrong, sentence in (
        (line, "--error goes with --dry-run"),
        ([*line, "--dry-run", "--epsilon", "1"], "leave --epsilon out"),
        ([*line, "--dry-run", "--mechanism", "noisy-max-laplace"], "name its epsilon instead of an error"),
        ([*line[:-1], "0.5", "--dry-run"], "No epsilon is enough for so small an error"),
    ):
        assert 2 == main(wrong)
        assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"), [(ValueError("cell 48211"), ""), (dps.PrivacyError("a sentence."), ": a sentence.")]
)
def test_a_check_that_fails_stops_no_dry_run(error: Exception, said: str, capsys, monkeypatch) -> None:
    """And quotes no other library, whose words may hold a cell."""
    from dpselect.cli import query_answers

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(query_answers, "question_check", fail)
    write(here=True)
    assert 0 == main(["median", "rows.csv", "age", *BOUNDS.split(), "--epsilon", "1", "--dry-run"])
    assert f"private, for you alone: the cells could not be looked at{said}\n" == capsys.readouterr().err
