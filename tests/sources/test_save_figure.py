"""Pictures are saved whole, and never over a file that is there."""

import pytest

from dpselect.sources.output import save_figure

figures = pytest.importorskip("matplotlib.figure", exc_type=ImportError)


def test_a_picture_is_never_written_over_a_file_unless_asked(tmp_path):
    """A picture replaces nothing, and with overwrite=True it replaces the file whole."""
    figure = figures.Figure()
    kept = tmp_path / "mine.png"
    kept.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        save_figure(figure, kept)
    assert kept.read_bytes() == b"mine"
    save_figure(figure, kept, overwrite=True)
    assert kept.read_bytes().startswith(b"\x89PNG")
    save_figure(figure, tmp_path / "new.svg")
    assert "<svg" in (tmp_path / "new.svg").read_text()
    assert {each.name for each in tmp_path.iterdir()} == {"mine.png", "new.svg"}
