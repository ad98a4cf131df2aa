"""Where results live: a line per finished cell while an experiment runs, one parquet file when it is complete.

Every line carries a checksum and is on the disk before the next cell is begun, so a kill loses at most the cells under
way. A line or file that cannot be trusted is dropped with a note, and its cells are computed again.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import FileError
from research.engine.experiment import Point


@dataclass(frozen=True)
class Measured:
    """A finished cell: its key, its points, the processor seconds they took, and the sha256 of the data behind them.

    ``data`` is empty where no data were read, and in results older than this note of it.
    """

    key: str
    points: tuple[Point, ...]
    seconds: float
    data: str = ""


@dataclass
class Journal:
    """The finished cells of one experiment in one folder.

    ``fingerprint`` names the experiment's code, cells and effort: results of another fingerprint are not used.
    """

    folder: Path
    name: str
    fingerprint: str
    notes: list[str] = field(default_factory=list)

    @property
    def lines(self) -> Path:
        """The file of finished cells."""
        return self.folder / f"{self.name}.jsonl"

    @property
    def table(self) -> Path:
        """The file of a complete experiment."""
        return self.folder / f"{self.name}.parquet"

    def read(self) -> dict[str, Measured]:
        """Return every finished cell that can be trusted, by key.

        Raises:
            OSError: the folder cannot be used, with what to do.
        """
        try:
            cells = self._read_table() | self._read_lines()
        except OSError as error:
            raise explained(error, self.folder) from error
        if self.lines.exists():
            # Whatever could not be read must not stay in front of what is appended.
            self._replace(self.lines, "".join(self._line(each) for each in cells.values()).encode())
        return cells

    def append(self, finished: Measured) -> None:
        """Put one finished cell on the disk.

        Raises:
            OSError: the disk is full, or the folder cannot be used, with what to do.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self.lines.open("ab") as file:
                write(file, self._line(finished).encode())
        except OSError as error:
            raise explained(error, self.folder) from error

    def complete(self, finished: Iterable[Measured]) -> None:
        """Write the parquet file of a complete experiment and drop its lines.

        Raises:
            OSError: the disk is full, or the folder cannot be used, with what to do.
        """
        import pyarrow as pa
        import pyarrow.parquet

        rows = [
            {"cell": each.key, "seconds": each.seconds, "data": each.data, **asdict(point)}
            for each in finished
            for point in each.points
        ]
        schema = pa.schema(
            [
                *((name, pa.string()) for name in ("cell", "data", "panel", "series")),
                *((name, pa.float64()) for name in ("seconds", "x", "value", "error")),
                ("runs", pa.int64()),
            ],
            metadata={"experiment": self.name, "fingerprint": self.fingerprint},
        )
        sink = pa.BufferOutputStream()
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows, schema=schema), sink, compression="zstd")
        self._replace(self.table, sink.getvalue().to_pybytes())
        self.lines.unlink(missing_ok=True)

    def _line(self, finished: Measured) -> str:
        text = json.dumps({"fingerprint": self.fingerprint, **asdict(finished)})
        return f"{zlib.crc32(text.encode()):08x} {text}\n"

    def _read_lines(self) -> dict[str, Measured]:
        if not self.lines.exists():
            return {}
        cells: dict[str, Measured] = {}
        spoilt = stale = 0
        for line in self.lines.read_bytes().splitlines():
            content = _checked(line)
            if content is None:
                spoilt += 1
            elif content["fingerprint"] != self.fingerprint:
                stale += 1
            else:
                points = tuple(Point(**each) for each in content["points"])
                cells[content["key"]] = Measured(content["key"], points, content["seconds"], content.get("data", ""))
        if spoilt:
            self.notes.append(f"{spoilt} unreadable line(s) in {self.lines.name}: those cells are computed again.")
        if stale:
            self.notes.append(f"{stale} cell(s) in {self.lines.name} are of other settings and are computed again.")
        return cells

    def _read_table(self) -> dict[str, Measured]:
        if not self.table.exists():
            return {}
        import pyarrow as pa
        import pyarrow.parquet

        try:
            table = pyarrow.parquet.read_table(pa.BufferReader(self.table.read_bytes()))
            mark = (table.schema.metadata or {}).get(b"fingerprint", b"").decode()
            rows = table.to_pylist()
            if mark != self.fingerprint:
                self.notes.append(f"{self.table.name} is of other settings and is computed again.")
                return {}
            grouped: dict[str, tuple[float, str, list[Point]]] = {}
            for row in rows:
                key, seconds, used = row.pop("cell"), row.pop("seconds"), row.pop("data", "")
                grouped.setdefault(key, (seconds, used, []))[2].append(Point(**row))
        except (pa.ArrowException, OSError, TypeError, KeyError, UnicodeDecodeError):
            self.notes.append(f"{self.table.name} cannot be read and is computed again.")
            return {}
        return {key: Measured(key, tuple(points), seconds, used) for key, (seconds, used, points) in grouped.items()}

    def _replace(self, path: Path, content: bytes) -> None:
        replace(path, content)


def replace(path: Path, content: bytes) -> None:
    """Replace a file as a whole: whoever reads it sees the old or the new one.

    Raises:
        OSError: the disk is full, or the folder cannot be used, with what to do.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        with partial.open("wb") as file:
            write(file, content)
        partial.replace(path)
    except OSError as error:
        raise explained(error, path.parent) from error


def ready(folder: Path) -> None:
    """Make a folder, and see that a file can be written there: before hours are spent on what it is to hold.

    Raises:
        OSError: the disk is full, or the folder cannot be used, with what to do.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise explained(error, folder) from error


def write(file: Any, content: bytes) -> None:
    """Write bytes and wait until they are on the disk."""
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def explained(error: OSError, folder: Path) -> OSError:
    """Return the error of a folder of results, with what to do."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return FileError(
            f"{folder} cannot be used ({error.strerror or error}): make it writable, or name another folder with --out."
        )
    return FileError(
        f"The disk that holds {folder} is full: free some space, or name another folder with --out, and run the same "
        "command again; finished cells are kept."
    )


def _checked(line: bytes) -> dict[str, Any] | None:
    mark, _, text = line.partition(b" ")
    try:
        if int(mark, 16) != zlib.crc32(text):
            return None
        content: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    return content
