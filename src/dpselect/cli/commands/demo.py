"""dpselect demo: compare metrics and mechanisms on a real graph, or write a made-up survey to play with."""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.request import Request
from dpselect.sources.output import Output

COLUMNS = ("person", "year", "region", "age", "status", "income")
YEARS = (2023, 2024, 2025, 2026)
_PERSONS = 180
# How many of a hundred persons live in each region, and are what between 25 and 64.
_REGIONS = {"North": 34, "East": 22, "South": 27, "West": 14, "Islands": 3}
_STATUS = {"employed": 66, "self-employed": 14, "student": 6, "retired": 4, "seeking": 10}
REGIONS, STATUS = tuple(_REGIONS), tuple(_STATUS)
_YOUNG, _OLD = {"student": 60, "employed": 40}, {"retired": 90, "employed": 10}
# The typical yearly income of each status.
_INCOMES = {"employed": 33_000, "self-employed": 38_000, "student": 8_000, "retired": 21_000, "seeking": 11_000}
_TAKES_PART, _GONE = 0.65, 0.03
_EPSILONS = ("0.1", "1", "10", "100")
# Every sampler once; those that are left out need more of the scores, or are close to one of these.
_MECHANISMS = (
    "exponential",
    "permute-and-flip",
    "local-dampening-flip",
    "shifted-local-dampening-flip",
    "local-dampening-t",
    "smooth-noisy-max",
)
_OF_BETWEENNESS = ("permute-and-flip", "local-dampening-flip", "shifted-local-dampening-flip")
_MAX_DEGREE = 40
_LESSON = (
    "One edge moves a node's open pairs by its degree at most, and its ego",
    "betweenness by up to a quarter of the degree squared: so open pairs need less",
    "epsilon. Unshifted dampening shrinks the betweenness of hubs most, and loses",
    "them. Shifted dampening ranks by degree, nearly; degree itself needs the least.",
    "Here every metric has the same first. Where the best connected are not the",
    "brokers, degree and shifted dampening name others: for graphs like yours, run",
    "python -m research compare metrics on a public one.",
)


def run(request: Request) -> CommandAnswer:
    """Return the demo's text: Les Miserables, who stands between the others most; or write a survey."""
    return _graph(request) if request.csv is None else _survey(request.csv)


def _survey(path: str) -> CommandAnswer:
    """Write a made-up survey, and print questions to ask."""
    text = survey()
    with Output(path) as file:
        file.put(text.encode())
    rows = text.count("\n") - 1
    name = shlex.quote(path)
    commands = [
        f"dpselect median {name} income --lower 0 --upper 100000 --step 100 --where 'year = 2026' --epsilon 1",
        f"dpselect most-common {name} status --person person --domain {','.join(STATUS)} --epsilon 1",
        f"dpselect quantiles {name} age --p 90 --lower 0 --upper 120 --where 'year = 2026' --epsilon 1",
    ]
    lines = [
        f"{rows} rows of a made-up survey are written to {path}: {', '.join(COLUMNS)}.",
        "A person has a row for every year in which they took part, and some cells are empty.",
        "In one year a person has one row, so a condition on the year protects persons.",
        "",
        "Public: the years, the regions and the statuses. Ask, for example:",
        "",
        *commands,
    ]
    return CommandAnswer("\n".join(lines), {"written_to": path, "rows": rows, "columns": COLUMNS, "try": commands})


def _graph(request: Request) -> CommandAnswer:
    """Print every line as soon as it is known: laws of heavy tails take a second."""

    def say(*lines: str) -> None:
        if not request.json:
            print(*lines, sep="\n", flush=True)

    say("Les Miserables, and who met whom. Who stands between the others most?")
    graph = dps.Graph.from_name("lesmis")
    say(
        f"Protected: every single edge. Public: the {len(graph)} characters, and that nobody meets",
        f"more than {_MAX_DEGREE} others.",
        "",
    )
    betweenness = dps.utilities.ego_betweenness(graph, max_degree=_MAX_DEGREE, sensitivity="degree")
    best = int(betweenness.values.argmax())
    say(
        f"Exact probability that the true answer, {graph.candidates[best]}, is named:",
        "",
        f"{'metric and mechanism':<36}" + "".join(f"{'eps ' + epsilon:>10}" for epsilon in _EPSILONS),
    )
    pairs = dps.utilities.open_pairs(graph, max_degree=_MAX_DEGREE)
    facts = list[dict[str, Any]]()
    for metric, scores, mechanisms in (
        ("open-pairs: pairs of acquaintances who do not know each other", pairs, _MECHANISMS),
        ("degree: acquaintances", dps.utilities.degree(graph), ("permute-and-flip",)),
        ("log-betweenness", dps.utilities.log_betweenness(graph), ("permute-and-flip",)),
        ("ego-betweenness, its sensitivity bounded by degrees", betweenness, _OF_BETWEENNESS),
    ):
        say(metric)
        for name in mechanisms:
            law = [float(dps.mechanism(name).pmf(scores, Fraction(epsilon))[best]) for epsilon in _EPSILONS]
            say(f"  {name:<34}" + "".join(f"{chance:>10.3f}" for chance in law))
            chances = dict(zip(_EPSILONS, law, strict=True))
            facts.append({"metric": metric.partition(":")[0], "mechanism": name, "probabilities": chances})
    say("", *_LESSON, "")
    chosen = dps.select(pairs, epsilon=1, mechanism="local-dampening-flip")
    say(
        f"One private release at epsilon 1: {chosen.value}, by open pairs and",
        f"{chosen.mechanism}.",
        "Probabilities come from the exact law, which is for public data; a release",
        "names one character.",
    )
    return CommandAnswer("", {"truth": graph.candidates[best], "laws": facts, "released": chosen.value})


VERB = Command(
    run,
    (
        paths.new(
            "--csv",
            endings=(".csv",),
            help="write a made-up survey to this file instead; an existing file is not replaced",
        ),
    ),
    "dpselect demo\ndpselect demo --csv survey.csv",
    about="Protected: any one edge of the graph, by the release at the end; the exact probabilities are for public "
    "data, as this graph is. The survey is made up.",
)


def survey() -> str:
    """Return the survey as csv: a row for each year that a person took part in, a few cells left empty.

    >>> lines = survey().splitlines()
    >>> lines[0], len(lines)
    ('person,year,region,age,status,income', 521)
    """
    rows = [_row(person, year) for person in range(1, _PERSONS + 1) for year in YEARS if _part(person, year)]
    return "\n".join([",".join(COLUMNS), *(",".join(row) for row in rows), ""])


def _part(person: int, year: int) -> bool:
    """Return whether a person took part: at least once."""
    return _chance("part", person, year) < _TAKES_PART or year == YEARS[person % len(YEARS)]


def _row(person: int, year: int) -> list[str]:
    age = year - 1935 - int(71 * _chance("born", person))
    shares = _YOUNG if age < 25 else _OLD if age >= 65 else _STATUS
    status = _one_of(shares, "status", person, age >= 25, age >= 65)
    spread = 0.4 * _normal("fortune", person) + 0.1 * _normal("year", person, year)
    income = round(_INCOMES[status] * math.exp(spread) / 10) * 10
    cells = {"region": _one_of(_REGIONS, "region", person), "age": age, "status": status, "income": income}
    known = ("" if _chance("gone", name, person, year) < _GONE else str(cell) for name, cell in cells.items())
    return [f"P{person:03}", str(year), *known]


def _chance(*about: object) -> float:
    """Return a made-up share, 0 <= share < 1, for what the words are about: always the same."""
    return int.from_bytes(hashlib.blake2b(repr(about).encode(), digest_size=6).digest()) / 2**48


def _normal(*about: object) -> float:
    return NormalDist().inv_cdf(_chance(*about) * 0.998 + 0.001)


def _one_of(shares: Mapping[str, int], *about: object) -> str:
    rest = 100 * _chance(*about)
    for name, share in shares.items():
        rest -= share
        if rest < 0:
            return name
    return next(iter(shares))
