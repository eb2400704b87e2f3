"""A file that shrinks, grows or is replaced while it is read is an error that names it, on every road."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.core import files
from confmat.io import count_files
from confmat.io.samples import Wanted, batches
from tests.io.conftest import stored

pytest.importorskip("pyarrow")
ROWS = 3_000
TABLE = {"y": ["cat", "hen"] * (ROWS // 2), "yhat": ["cat"] * ROWS}


def _shrink(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)


def _grow(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"cat,cat\n")


def _replace(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def _rewrite(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"hen", b"cat"))


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "shrinks": (_shrink, r"it had [\d,]+ bytes, and has [\d,]+ now"),
    "grows": (_grow, r"it had [\d,]+ bytes, and has [\d,]+ now"),
    "is replaced": (_replace, "another file has come in its place"),
    "is rewritten": (_rewrite, "it was written to"),
    "goes": (Path.unlink, "it is gone"),
}
every_change = pytest.mark.parametrize("change", CHANGES)


def _whole(path: Path, **_: Any) -> int:
    return int(count_files(path).total)


def _stream(path: Path, **_: Any) -> int:
    with path.open("rb") as stream:
        return int(count_files(stream, format="csv").total)


def _samples(path: Path, **_: Any) -> int:
    wanted = Wanted(None, None, [], hits=True)
    found = batches(path, wanted, format=None, delimiter=None, memory="1GB", threads=None)
    return sum(len(rows) for _, rows in found)


# A kind of files, and a way to read them.
WAYS: dict[str, tuple[str, Callable[..., int]]] = {
    **{kind: (kind, _whole) for kind in ("csv", "jsonl", "parquet", "feather")},
    "every": ("csv", lambda path, **_: int(count_files(path, every=(0, lambda _: None)).total)),
    "stream": ("csv", _stream),
    "samples of text": ("csv", _samples),
    "samples of Parquet": ("parquet", _samples),
    "resume": (
        "csv",
        lambda path, **_: int(count_files(path, resume=path.with_name("checkpoint")).total),
    ),
}


@every_change
@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_changes_while_it_is_counted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, change: str
) -> None:
    kind, read = WAYS[way]
    path = tmp_path / f"p.{kind}"
    if kind == "parquet":
        pytest.importorskip("duckdb")
    stored(path, TABLE)
    assert read(path) == ROWS
    (tmp_path / "checkpoint").unlink(missing_ok=True)
    act, said = CHANGES[change]
    refuse, left = files._refuse_changed, [act]

    def late(*given: Any, **options: Any) -> None:
        # At the very end, when all rows were read.
        if left:
            left.pop()(path)
        refuse(*given, **options)

    monkeypatch.setattr(files, "_refuse_changed", late)
    if (way == "stream" and change in {"is replaced", "goes"}) or (
        way == "resume" and change == "grows"
    ):
        # The stream reads what it has opened; a checkpoint knows up to where it was read.
        assert read(path) == ROWS
        return
    name = "standard input" if way == "stream" else re.escape(str(path))
    with pytest.raises(cm.InputError, match=f"{name}: the file changed while it was read: {said}"):
        read(path)


def test_a_file_that_shrinks_in_the_middle_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.csv"
    # More than one block, and a cut within a first label.
    path.write_text("y,yhat\n" + "cat,cat\n" * 400_000)

    def told(_: object) -> None:
        with path.open("r+b") as stream:
            stream.truncate(7 + 8 * 300_000 + 2)

    with pytest.raises(
        cm.InputError, match=r"p\.csv: the file changed while it was read: it had 3,200,007 bytes"
    ):
        count_files(path, every=(0, told), threads=1)


@every_change
def test_a_file_that_changes_while_it_is_read_whole_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path = tmp_path / "m.csv"
    path.write_text("actual\\predicted,a,b\na,3,1\nb,0,2\n" + "\n" * 100)
    act, said = CHANGES[change]
    refuse = files._refuse_changed

    def late(*given: Any, **options: Any) -> None:
        act(path)
        refuse(*given, **options)

    monkeypatch.setattr(files, "_refuse_changed", late)
    if change in {"is replaced", "goes"}:
        # The open file was read to its end.
        assert cm.load(path).total == 3 + 1 + 2
    else:
        with pytest.raises(cm.InputError, match=said):
            cm.load(path)


def test_what_is_no_file_of_the_disk_never_changes() -> None:
    assert count_files(io.BytesIO(b"y,yhat\na,a\n"), format="csv").total == 1
