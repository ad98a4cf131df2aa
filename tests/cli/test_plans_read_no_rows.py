"""A plan is the same for neighbouring tables, so its last line, that no private row was read, is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpselect.cli import main
from dpselect.cli.planned_release import VERBS

SELECT = "select scores.csv --kind integer --candidate name --score score --sensitivity 1 --domain rows"
BOUNDS = "--lower 0 --upper 120"
GROUPS = "--by place --groups n,s"
WHERE = ("", " --where 'age > 35'", " --where 'job = nurse'")
# Of each verb, what somebody may write down, right or wrong.
RELEASES = {
    "above": [
        "above scores.csv --label name --value score --threshold 3",
        "above scores.csv --label name --value score --threshold 3 --where 'score > 3'",
        "above scores.csv --label name --value score --threshold 3 --where 'place = n or score > 3'",
        "above scores.csv --label score --value score --threshold 3",
        "above scores.csv --label name --value score --thresholds score",
        "above scores.csv --label name --value score --threshold 3 --missing refuse",
    ],
    "counts": [f"counts rows.csv --column job --domain nurse,cook {GROUPS}{where}" for where in WHERE],
    "keys": ["keys rows.csv --person who --key job --keys-per-person 2 --delta 1e-6"],
    "median": [
        *(f"median rows.csv --column age {BOUNDS}{where}" for where in WHERE),
        f"median scores.csv --column score {BOUNDS} --label name",
        f"median scores.csv --column score {BOUNDS} --label name --where 'score > 3'",
        f"median scores.csv --column score {BOUNDS} --label score",
        f"median scores.csv {BOUNDS} --label score",
    ],
    "most-common": [
        "most-common rows.csv --person who --item job --domain nurse,cook",
        "most-common rows.csv --person who --item job --delta 1e-6 --kept 2",
    ],
    "percentile": [f"percentile rows.csv --column age --p 50 {BOUNDS} --person who{where}" for where in WHERE],
    "quantiles": [f"quantiles rows.csv --column age --p 25 75 {BOUNDS} {GROUPS}{where}" for where in WHERE],
    "select": [
        SELECT,
        f"{SELECT} --where 'score > 3'",
        f"{SELECT} {GROUPS} --where 'score > 3'",
        f"{SELECT} --by score --groups 3,4",
        SELECT.replace("--candidate name", "--candidate score"),
        f"{SELECT} --missing refuse",
    ],
    "snp": [f"snp study.csv --families 9 --label {label}" for label in ("snp", "b", "c")],
    "top-k": [
        "top-k edges.csv --nodes 9 --metric degree --k 2",
        "top-k edges.csv --nodes 9 --metric weighted-degree --cap 5 --k 2",
    ],
    "train": ["train rows.csv --target job --domains domains.toml --out model.json"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is public of the tables."""
    monkeypatch.chdir(tmp_path)
    Path("domains.toml").write_text('age = {low = 0, high = 100}\njob = ["cook", "nurse"]\n')


def write(*, here: bool) -> None:
    """One of two neighbours: a row, an edge or a private cell more, or other, than in the other one."""
    Path("rows.csv").write_text("who,place,age,job\n2,s,40,cook\n1,n,30,\n" + "3,n,50,nurse\n" * here)
    Path("edges.csv").write_text("source,target,weight\n0,1,2\n" + "1,2,3\n" * here)
    Path("scores.csv").write_text(f"place,name,score\nn,x,{4 if here else 3}\nn,y,{'' if here else 3}\ns,z,5\n")
    Path("study.csv").write_text(f"snp,b,c\nrs1,{4 if here else 3},4\nrs2,3,{1 if here else 4}\n")


@pytest.mark.parametrize("verb", VERBS)
def test_a_plan_is_the_same_for_neighbours(verb: str, capsys) -> None:
    """Status, figures and refusals; at least one of its releases has a plan."""
    planned = 0
    for release in RELEASES[verb]:
        said = []
        for here in (True, False):
            write(here=here)
            said.append((main(["plan", "--release", f"{release} --epsilon 1"]), *capsys.readouterr()))
        assert said[0] == said[1], release
        if said[0][0] == 0:
            assert said[0][1].endswith("no private row was read\n")
            planned += 1
    assert planned
