"""A certificate says what was released, and shows when it was changed."""

import hashlib
import json
import re
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpselect as dps
from dpselect.certificates.build import certify
from dpselect.certificates.certificate import CertificateError
from dpselect.cli import main

VOTES = dps.Scores([90, 80, 7], sensitivity=1, candidates=["ann", "<b>bob</b>", "eve"], kind="integer")
FLIP = dps.mechanism("permute-and-flip")


def certified(**parts: object) -> dps.Certificate:
    return dps.select(VOTES, epsilon=30, mechanism=FLIP).certificate(**parts)  # type: ignore[arg-type]


def test_the_checksum_is_that_of_json_with_sorted_names() -> None:
    """Anybody can repeat it without dpselect."""
    document = json.loads(certified(question="Wer?").as_json())
    text = json.dumps(document["certificate"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    assert document["sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_certificate_says_what_was_released_and_nothing_of_the_other_scores() -> None:
    """Of the candidates, the one that was drawn."""
    content = certified(public={"k": 1}).content

    assert content["answer"] == {"candidates": ["ann"]}
    assert content["guarantee"] == {
        "epsilon": "30",
        "delta": "0",
        "rho": None,
        "neighbours": "add-remove",
        "protects": "one record, added or removed",
    }
    assert content["file"] is None
    assert content["date"] == datetime.now(UTC).date().isoformat()
    assert "bob" not in json.dumps(content)


@pytest.mark.parametrize("ending", ["json", "html"])
def test_what_was_saved_is_read_back_and_never_overwritten(ending: str, tmp_path: Path) -> None:
    """As JSON and as a page."""
    path = tmp_path / f"c.{ending}"
    made = certified(question="Who?", repeat="dps.select(...)", public={"bound": Fraction(1, 3)})
    made.save(path)

    assert dps.Certificate.read(path) == made
    with pytest.raises(FileExistsError, match="exists already"):
        made.save(path)
    made.save(path, overwrite=True)


@pytest.mark.parametrize("ending", ["json", "html"])
def test_an_edited_certificate_is_refused(ending: str, tmp_path: Path) -> None:
    """The checksum no longer fits."""
    path = tmp_path / f"c.{ending}"
    certified(question="Who?").save(path)
    path.write_text(path.read_text().replace("ann", "eve"))

    with pytest.raises(ValueError, match="was changed after it was made"):
        dps.Certificate.read(path)


def test_a_page_that_shows_something_else_than_its_record_is_refused(tmp_path: Path) -> None:
    """What is read is made again and compared."""
    path = tmp_path / "c.html"
    certified(question="Who?").save(path)
    path.write_text(path.read_text().replace(">ann<", ">eve<", 1))

    with pytest.raises(ValueError, match="holds a whole record.* the page shows"):
        dps.Certificate.read(path)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"certificate": 1, "sha256": 2}', "<html></html>", "[" * 10])
def test_what_is_no_certificate_is_refused_in_a_sentence(text: str, tmp_path: Path) -> None:
    """Whatever the file holds."""
    for ending in ("json", "html"):
        path = tmp_path / f"c.{ending}"
        path.write_text(text)
        with pytest.raises(ValueError, match="is not a certificate"):
            dps.Certificate.read(path)


def test_a_page_escapes_everything_and_loads_nothing() -> None:
    """No script, no picture, no address."""
    page = certified(question="<script>alert(1)</script> & co").as_html()

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; co" in page
    assert not re.search(r"(?i)\b(src|href)=|@import|url\(", page)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('  "certificate": {', '  "answer": {"candidates": ["eve"]},\n  "certificate": {'),
        ('    "answer": {', '    "answer": {"candidates": ["eve"]},\n    "answer": {'),
    ],
)
def test_a_json_that_shows_a_second_answer_is_refused(old: str, new: str, tmp_path: Path) -> None:
    """Beside the record or within it: its checksum would be that of the first."""
    path = tmp_path / "c.json"
    certified().save(path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))

    with pytest.raises(ValueError, match="is not a certificate"):
        dps.Certificate.read(path)


@pytest.mark.parametrize(
    ("name", "value"), [("epsilon", "1/100"), ("epsilon", "20"), ("delta", "0.1"), ("neighbours", "edge"), ("rho", "1")]
)
def test_a_ledger_does_not_confirm_another_price(name: str, value: str, tmp_path: Path) -> None:
    """Though the row is named with its hash, and the checksum is that of what was edited."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=9, dataset="people")
    made = dps.select(VOTES, epsilon=2, mechanism=FLIP, ledger=ledger).certificate(ledger=ledger)
    made.require_row(ledger)
    content = made.content | {"guarantee": made.content["guarantee"] | {name: value}}

    with pytest.raises(ValueError, match="cost something else"):
        dps.Certificate(content).require_row(ledger)
    rows = made.content["ledger"]["rows"] * 2
    with pytest.raises(ValueError, match="twice"):
        dps.Certificate(made.content | {"ledger": made.content["ledger"] | {"rows": rows}}).require_row(ledger)


def test_another_ending_is_refused_before_a_file_is_made(tmp_path: Path) -> None:
    """JSON and HTML are written."""
    with pytest.raises(ValueError, match=r"\.json or \.html"):
        certified().save(tmp_path / "c.pdf")
    assert not list(tmp_path.iterdir())


def test_a_ledger_knows_the_row_of_its_certificate_alone(tmp_path: Path) -> None:
    """A row of another ledger, or with another cost, is not confirmed."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=9, dataset="people")
    other = dps.Ledger.open(tmp_path / "b.ledger", epsilon=9, dataset="people")
    dps.select(VOTES, epsilon=2, mechanism=FLIP, ledger=ledger)
    release = dps.top_k(VOTES, 2, epsilon=1, mechanism=dps.mechanism("exponential"), ledger=ledger)
    dps.top_k(VOTES, 2, epsilon=3, mechanism=dps.mechanism("exponential"), ledger=other)
    dps.select(VOTES, epsilon=3, mechanism=FLIP, ledger=other)

    made = release.certificate(ledger=ledger)

    assert made.content["ledger"] == {
        "name": "a.ledger",
        "dataset": "people",
        "rows": [{"row": 2, "hash": ledger.entry(2).hash}],
    }
    made.require_row(ledger)
    with pytest.raises(ValueError, match="is not the one"):
        made.require_row(other)


def test_of_several_rows_with_one_cost_the_curator_names_one() -> None:
    """By its number."""
    with dps.budget(epsilon=9) as book:
        for _ in range(2):
            release = dps.select(VOTES, epsilon=1, mechanism=FLIP)
        dps.select(VOTES, epsilon=2, mechanism=FLIP)

    with pytest.raises(ValueError, match="pass row="):
        release.certificate(ledger=book)
    assert release.certificate(ledger=book, row=2).content["ledger"]["rows"] == [{"row": 2, "hash": None}]
    for row, words in ((3, "another cost"), (4, "none with the number 4"), (0, "none with the number 0")):
        with pytest.raises(ValueError, match=words):
            release.certificate(ledger=book, row=row)


def test_a_file_is_hashed_only_where_it_is_asked_for(tmp_path: Path) -> None:
    """The hash lets a reader test a guess of the whole file."""
    path = tmp_path / "people.csv"
    path.write_bytes(b"age\n7\n")

    made = certified(file_hash=path)

    assert made.content["file"] == {"name": "people.csv", "sha256": hashlib.sha256(b"age\n7\n").hexdigest()}
    with pytest.raises(ValueError, match="not one plain file"):
        certified(file_hash=tmp_path)


def test_every_kind_of_release_has_a_certificate() -> None:
    """A number, a short and a long distribution, and groups."""
    number = dps.release_value(5, 1, epsilon=1, beta=0.1, tick=1, neighbours="substitution")
    curve = dps.histograms.cumulative([1, 2, 2], lower=0, upper=3, epsilon=1)
    long = dps.histograms.cumulative([1, 2, 2], lower=0, upper=3000, epsilon=1)
    names = dps.most_common(
        {"p": [1, 2], "i": ["x", "x"], "g": ["a", "a"]},
        1,
        epsilon=20,
        person="p",
        item="i",
        domain=["x", "y"],
        by="g",
        groups=["a"],
        groups_per_person=1,
    )

    assert set(number.certificate().content["answer"]) == {"value", "tick"}
    assert len(curve.certificate().content["answer"]["value and records up to it"]) == 4
    assert set(long.certificate().content["answer"]) == {"total", "quartiles", "SHA-256 of counts"}
    assert names.certificate().content["answer"] == {"a": ["x"]}


def test_any_answer_has_one_where_its_promise_is_named() -> None:
    """Of another library, for example."""
    made = certify(np.array([3, 4]), guarantee=dps.Guarantee(1, "edge"), mechanism="mine")

    assert made.content["answer"] == [3, 4]
    with pytest.raises(TypeError, match="guarantee="):
        certify([3, 4])


def test_a_model_is_certified_by_the_hash_of_its_file(tmp_path: Path) -> None:
    """The file was released, so its hash may be published."""
    columns = {"a": [0, 1] * 20, "y": [0, 1] * 20}
    model = dps.learn.DPTreeClassifier(5, domains={"a": [0, 1], "y": [0, 1]}).fit(columns, "y")
    model.save(tmp_path / "m.json")

    answer = model.certificate().content["answer"]

    assert answer["model"] == "DPTreeClassifier"
    assert answer["SHA-256 of its file"] == hashlib.sha256((tmp_path / "m.json").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), "\ud800", 1e999, 10**4000, [[[]]], None], ids=range(8)
)
def test_an_edit_that_has_no_canonical_form_is_an_edit(value: object, tmp_path: Path, capsys) -> None:
    """It was changed: nobody is asked to report a defect, whatever stands there."""
    whole = certified()
    for path in (("guarantee", "epsilon"), ("answer",), ("date",), ("public",), ("software", "python")):
        document = json.loads(whole.as_json())
        place = document["certificate"]
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        file = tmp_path / "edited.json"
        file.write_text(json.dumps(document), encoding="utf-8")

        # Without a list of public facts the record is not a certificate of this version, whatever else it holds.
        assert main(["verify", str(file)]) == (2 if path == ("public",) else 1)
        assert "defect" not in capsys.readouterr().err


def test_certificates_write_lists_whatever_the_value_is() -> None:
    """A median is a list of one, also in a group, whose name is text; a number has its tick; counts are as they are."""
    table = {"x": [1] * 60 + [7] * 60, "r": [1] * 60 + [2] * 60}
    asked = {"column": "x", "lower": 0, "upper": 9, "epsilon": 10**5}
    grouped = {"by": "r", "groups": [1, 2]}
    with dps.budget(epsilon=10**7):
        releases = [
            dps.median(table, **asked),
            dps.median(table, **asked, **grouped),
            dps.quantiles(table, [0.2, 0.9], **asked, **grouped),
            dps.counts(table, epsilon=10**5, column="r", domain=[1, 2, 3]),
        ]
    with dps.budget(epsilon=2, neighbours="substitution"):
        number = dps.release_value(50, 4, epsilon=2, beta=0.3, tick=10, neighbours="substitution")

    assert [7, {1: 1, 2: 7}, {1: (1, 1), 2: (7, 7)}, {1: 60, 2: 60, 3: 0}] == [each.value for each in releases]
    assert [
        {"candidates": [7]},
        {"1": [1], "2": [7]},
        {"1": [1, 1], "2": [7, 7]},
        {"1": 60, "2": 60, "3": 0},
    ] == [each.certificate().content["answer"] for each in releases]
    assert {"value": str(number.value), "tick": "10"} == number.certificate().content["answer"]


def test_an_edited_page_is_told_by_its_first_other_words(tmp_path: Path) -> None:
    """What is known: the record is whole, and where the page differs from it; no version is blamed."""
    votes = dps.Scores([60, 40], 1, ["tea", "milk"], kind="integer")
    certificate = dps.select(votes, epsilon=100, mechanism="exponential").certificate(question="Which drink?")
    page = certificate.as_html()
    shown, path = page.index("Which drink?"), tmp_path / "page.html"
    path.write_text(page[:shown] + "Which <b>tea</b>?" + page[shown + len("Which drink?") :], encoding="utf-8")
    with pytest.raises(CertificateError, match="the page shows 'Which' where this build of dpselect shows 'Which dr"):
        dps.Certificate.read(path)
    path.write_text(page.replace("</style>", "p { color: red; }</style>"), encoding="utf-8")
    with pytest.raises(CertificateError, match=r"the same words.*verify the \.json file"):
        dps.Certificate.read(path)
    path.write_text(page.replace("</body>", "<p>more</p></body>"), encoding="utf-8")
    with pytest.raises(CertificateError, match="shows 'more' where this build of dpselect shows 'nothing'"):
        dps.Certificate.read(path)
    path.write_text(page, encoding="utf-8")
    assert dps.Certificate.read(path).sha256 == certificate.sha256
