"""Commands start without libraries that they do not need."""

import subprocess
import sys
from pathlib import Path

# What a question about one column of text does not need.
UNUSED = (
    "numpy.ma", "pandas", "duckdb", "scipy", "sklearn", "networkx", "rich", "zipfile", "tempfile", "shutil",
    "xml.etree.ElementTree", "dpselect.queries.publication", "dpselect.certificates.page",
    "dpselect.dataset.curator_check", "dpselect.learn",
)  # fmt: skip

WORDS = ["median", "ages.csv", "age", "--lower", "0", "--upper", "9", "--step", "1", "--epsilon", "1"]


def lines_of(folder: Path, script: str) -> list[str]:
    """What a program says on standard error, run beside a small file."""
    Path(folder, "ages.csv").write_text("age,city\n30,Rome\n31,Paris\n", encoding="ascii")
    ran = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr.splitlines()


def test_a_command_about_a_file_loads_little_and_looks_for_no_garbage(tmp_path: Path) -> None:
    """A collection after every 700 objects would take a seventh of a command that answers from three rows."""
    script = (
        "import gc, sys, dpselect_command as command\n"
        f"sys.argv[1:] = {WORDS}\n"
        "before = sum(each['collections'] for each in gc.get_stats())\n"
        "assert command.main() == 0\n"
        f"print([name for name in {UNUSED} if name in sys.modules], file=sys.stderr)\n"
        "print(sum(each['collections'] for each in gc.get_stats()) - before, file=sys.stderr)\n"
    )

    assert lines_of(tmp_path, script)[-2:] == ["[]", "0"]


def test_a_command_about_a_file_loads_no_pandas(tmp_path: Path) -> None:
    """Pyarrow looks for pandas in vain, and finds it where it is needed."""
    script = (
        "import sys, dpselect_command as command\n"
        f"sys.argv[1:] = {WORDS}\n"
        "assert command.main() == 0\n"
        "assert 'pyarrow' in sys.modules and 'pandas' not in sys.modules\n"
        "import pyarrow\n"
        "table = pyarrow.table({'a': [1, None]})\n"
        "assert table.to_pandas()['a'].isna().tolist() == [False, True]\n"
        "assert pyarrow.Table.from_pandas(table.to_pandas()).column('a').null_count == 1\n"
    )

    lines_of(tmp_path, script)
