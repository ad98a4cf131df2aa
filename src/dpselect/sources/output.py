"""A file that is written whole or not at all, with its room held before it is needed.

The content goes beside the name, to the disk, and then takes the name at once. A file that is there already is replaced
only when the caller says so, and a database never, because every ledger is one.

Limits: A killed process may leave a file beside its output, named ``.NAME.NUMBER-NUMBER`` with the same ending: remove
it. Where a disk has no hard links, two writers of one name at the same moment are distinguished by which of them made
the name first.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import (
    Advice,
    ExistingFileError,
    FileError,
    ForbiddenFileError,
    InputError,
    MissingFileError,
)

# What a model of usual size needs; holding it costs milliseconds.
ROOM = 2**20
_DATABASE = b"SQLite format 3\0"
_COMPANIONS = ("-wal", "-journal", "-shm")
_numbers = count()


class Output:
    """A file to be written. Entering it holds the room, :meth:`put` or :meth:`draw` writes it, leaving it tidies up.

    Args:
        path: the file; where it is a link, the file that it leads to.
        overwrite: replace a file that is there already.

    Raises:
        FileExistsError: the file is there and ``overwrite`` was not given, or it is a ledger or another database.
        OSError: it cannot be written: no such folder, a protected one, a full disk, a folder, a device.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Output(folder + "/a.txt") as file:
    ...         file.put(b"whole")
    ...     Path(folder, "a.txt").read_bytes()
    b'whole'
    """

    def __init__(self, path: str | Path, overwrite: bool = False) -> None:
        self._path, self._overwrite = path, overwrite
        if not str(path) or "\0" in str(path):
            raise InputError("The name of a file to be written is empty or holds a NUL: name a file.")
        self._target = Path(os.path.realpath(path))
        self._beside: Path | None = None

    def __str__(self) -> str:
        return str(self._path)

    def __enter__(self) -> Output:
        try:
            self._require_free()
            self._beside = self._make_file()
            self.hold(ROOM)
        except BaseException as error:
            self._tidy()
            if isinstance(error, OSError):
                raise explain(error, self._path) from None
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._tidy()

    def hold(self, size: int) -> None:
        """Hold room for ``size`` bytes, or say that there is none.

        Raises:
            OSError: the disk is full.
        """
        try:
            with self._open("r+b") as file:
                file.write(bytes(size))
                _to_disk(file)
        except OSError as error:
            raise explain(error, self._path) from None

    def put(self, content: bytes) -> None:
        """Write the content and give it the name.

        Raises:
            OSError: it could not be written; what was there before is as it was.
        """

        def write(beside: Path) -> None:
            # Over the room that was held, so that it is still ours when the disk is full meanwhile.
            with beside.open("r+b") as file:
                file.write(content)
                file.truncate()

        self.draw(write)

    def draw(self, write: Callable[[Path], Any]) -> None:
        """Let ``write`` fill a file beside the name, which has its ending, and give it the name.

        Raises:
            OSError: as :meth:`put`.
        """
        assert self._beside is not None
        try:
            write(self._beside)
            with self._open("r+b") as file:
                _to_disk(file)
            self._name()
        except OSError as error:
            raise explain(error, self._path) from None

    def _open(self, mode: str) -> Any:
        assert self._beside is not None
        return self._beside.open(mode)

    def _require_free(self) -> None:
        folder = self._target.parent
        if not folder.is_dir():
            raise MissingFileError(f"{self._path} cannot be written, because {folder} does not exist: make it.")
        if belongs_to_database(self._target):
            raise ExistingFileError(
                f"{self._path} is a ledger or another database, never overwritten: name another file."
            )
        try:
            there = self._target.stat()
        except FileNotFoundError:
            return
        if self._target.is_dir():
            raise FileError(f"{self._path} is a folder: name a file in it.")
        if not self._target.is_file():
            raise ExistingFileError(
                f"{self._path} is a device or a pipe: name a file, which can be written as a whole."
            )
        if not self._overwrite:
            raise ExistingFileError(
                Advice(
                    "{path} exists already: name another file, or pass {overwrite=True|--overwrite}.", path=self._path
                )
            )
        if not os.access(self._target, os.W_OK) or not there.st_mode & 0o222:
            raise ForbiddenFileError(f"{self._path} is protected against writing: name another file.")

    def _make_file(self) -> Path:
        """Return a new file beside the target, with the rights of the one that it replaces."""
        mode = None
        with suppress(FileNotFoundError):
            mode = self._target.stat().st_mode & 0o777
        while True:
            # A long name leaves room for what is added to it.
            name = f".{self._target.stem[:40]}.{os.getpid()}-{next(_numbers)}{self._target.suffix[:20]}"
            beside = self._target.with_name(name)
            try:
                descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
            except FileExistsError:
                continue
            os.close(descriptor)
            if mode is not None:
                beside.chmod(mode)
            return beside

    def _name(self) -> None:
        """Give what was written its name, durably."""
        assert self._beside is not None
        if self._overwrite:
            if belongs_to_database(self._target):
                raise ExistingFileError(
                    f"{self._path} has become a database meanwhile, and those are never overwritten."
                )
            self._beside.replace(self._target)
        else:
            try:
                try:
                    os.link(self._beside, self._target)
                except FileExistsError:
                    raise
                except OSError:
                    # A disk without links: the first to make the file has the name.
                    os.close(os.open(self._target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
                    self._beside.replace(self._target)
            except FileExistsError:
                raise ExistingFileError(
                    f"{self._path} was made by somebody else meanwhile: it stays as it is."
                ) from None
        with suppress(OSError):
            folder = os.open(self._target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _tidy(self) -> None:
        if self._beside is not None:
            with suppress(OSError):
                self._beside.unlink(missing_ok=True)
            self._beside = None


def save_figure(figure: Any, path: str | Path, *, overwrite: bool = False) -> None:
    """Save a matplotlib figure whole or not at all; the ending of the name says its kind.

    Raises:
        FileExistsError, OSError: as :class:`Output`.
    """
    with Output(path, overwrite) as file:
        file.draw(lambda beside: figure.savefig(beside, dpi=150))


def belongs_to_database(path: Path) -> bool:
    """Return whether a file is an SQLite database, as every ledger is, or the journal of one, whatever its name."""
    whose = [path] + [path.with_name(path.name.removesuffix(end)) for end in _COMPANIONS if path.name.endswith(end)]
    return any(_is_database(each) for each in whose if each.name)


def _is_database(path: Path) -> bool:
    # A pipe would wait for somebody who writes to it.
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def explain(error: OSError, path: str | Path) -> OSError:
    """Return an error of the system as a sentence that says what to do; one that says so already, as it is."""
    if error.errno is None:
        return error
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return FileError(f"The disk of {path} is full: free some space, or name a file elsewhere.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ForbiddenFileError(
            f"{path} cannot be written: its folder or its disk is protected; name a file elsewhere."
        )
    if error.errno == errno.ENAMETOOLONG:
        return FileError(f"{str(path)[:40]}... is too long for the name of a file: take a shorter one.")
    return FileError(f"{path} cannot be written ({os.strerror(error.errno)}): name another file.")


def _to_disk(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
