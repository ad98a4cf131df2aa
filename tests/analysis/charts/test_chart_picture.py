"""What a chart offers to whoever holds one: a notebook's view, a specification, files."""

from __future__ import annotations

import json

import pytest

import dpselect as dps

pytest.importorskip("altair", reason="charts need the extra web")


@pytest.fixture
def picture():
    """The law of two candidates."""
    return dps.plot.pmf_chart(dps.Scores({"tea": 3, "milk": 1}, sensitivity=1, kind="integer"), epsilon=1)


def test_a_notebook_gets_the_specification_and_a_picture(picture) -> None:
    """The same ones that a page shows; no script and no address of another machine is needed for the picture."""
    bundle = picture._repr_mimebundle_()
    (vega,) = [kind for kind in bundle if "vegalite" in kind]

    assert picture.to_dict() == bundle[vega]
    assert f".v{bundle[vega]['$schema'].rpartition('/v')[2][0]}+json" in vega
    assert bundle["image/svg+xml"] == picture.svg()
    assert "<script" not in bundle["image/svg+xml"]
    assert "permute-and-flip, epsilon 1" in bundle["text/plain"]


@pytest.mark.parametrize(("kind", "begin"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("json", b"{")])
def test_it_is_saved_by_its_ending(picture, tmp_path, kind, begin) -> None:
    """Whole, and never over a file that is there."""
    path = tmp_path / f"law.{kind}"
    picture.save(path)
    content = path.read_bytes()

    assert content.startswith(begin)
    with pytest.raises(FileExistsError):
        picture.save(path)
    assert content == path.read_bytes()
    picture.save(path, overwrite=True)


def test_the_specification_reads_back(picture, tmp_path) -> None:
    """As other tools of Vega-Lite take it."""
    picture.save(tmp_path / "law.json")

    assert json.loads((tmp_path / "law.json").read_text(encoding="utf-8")) == picture.to_dict()


def test_another_kind_is_refused(picture, tmp_path) -> None:
    """And nothing is written."""
    with pytest.raises(ValueError, match=r"\.svg, \.png, \.pdf, \.json"):
        picture.save(tmp_path / "law.html")
    assert [] == [*tmp_path.iterdir()]


def test_altair_can_build_on_it(picture) -> None:
    """The chart itself is there."""
    assert "Another title" == picture.chart.properties(title="Another title").to_dict()["title"]
