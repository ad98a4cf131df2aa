"""Tables of PLINK: what it writes by ``plink --tdt``, named by dpselect snp as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpselect.sources import tables

pytest.importorskip("pyarrow")

# As PLINK 1.9 writes it: aligned by blanks, with NA where an allele was never transmitted.
HEAD = " CHR         SNP           BP  A1  A2      T      U           OR        CHISQ            P \n"
LINES = [
    "   1         rs1        10000   A   C     90     10            9           64     1.24e-15 \n",
    "   1         rs2        20000   G   T     30     20          1.5            2       0.1573 \n",
    "   2         rs3        30000   A   G      0      0           NA           NA           NA \n",
]


def tdt_file(folder: Path, *more: str) -> Path:
    """A file of three markers, and of other lines."""
    (folder / "plink.tdt").write_bytes("".join([HEAD, *LINES, *more]).encode("utf-8", "surrogateescape"))
    return folder / "plink.tdt"


def test_columns_have_our_names_and_empty_cells(tmp_path: Path) -> None:
    """SNP, T and U are snp, b and c; a line of another length is a record without cells."""
    read = tables.arrows(tdt_file(tmp_path, "1 rs4 x\n", "\n"), ["snp", "b", "c", "OR"])

    assert ["rs1", "rs2", "rs3", None, None] == read["snp"].to_pylist()
    assert ["90", "30", "0", None, None] == read["b"].to_pylist()
    assert ["10", "20", "0", None, None] == read["c"].to_pylist()
    assert ["9", "1.5", None, None, None] == read["OR"].to_pylist()


def test_the_command_names_markers_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without another option."""
    pytest.importorskip("click")
    from dpselect.cli import main

    assert 0 == main(["snp", str(tdt_file(tmp_path)), "--families", "100", "--k", "1", "--epsilon", "500"])
    assert "rs1" in capsys.readouterr().out
    assert 0 == main(["snp", str(tdt_file(tmp_path)), "--families", "100", "--epsilon", "1", "--dry-run"])


def test_a_file_without_names_is_refused(tmp_path: Path) -> None:
    """In one sentence that quotes nothing."""
    (tmp_path / "a.tdt").write_text("1 1 2\n")
    with pytest.raises(ValueError, match=r"^a.tdt has no line of names, no two of them alike: .*\.$"):
        tables.names(tmp_path / "a.tdt")
