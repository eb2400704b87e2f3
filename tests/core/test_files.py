"""Files that are not there, are folders, are closed, empty, no text or too large: every reader says it alike."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

import confmat as cm
from confmat.cli.audit import Claims
from confmat.cli.options import NAMES
from confmat.core import files
from confmat.core.errors import MissingFileError
from confmat.core.files import write_text

TRUTH: dict[str, Any] = {
    "images": [{"id": 1}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}],
}
RESULTS = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}]

# A name, what it holds, and what reads it.
Reader = tuple[str, str, Callable[[Any], Any]]
READERS: dict[str, Reader] = {
    "json": ("m.json", cm.io.to_json(cm.ConfusionMatrix([[3, 1], [0, 2]])), cm.load),
    "csv": ("m.csv", "actual\\predicted,a,b\na,3,1\nb,0,2\n", cm.load),
    "printed": ("m.txt", "[[3 1]\n [0 2]]", cm.load),
    "costs": ("costs.csv", "actual,predicted,cost\na,b,1\nb,a,10\n", cm.costs.read_costs),
    "costs in JSON": ("costs.json", '{"fp": 1, "fn": 5}', cm.costs.read_costs),
    "aliases": (
        "aliases.csv",
        "alias,label\nyep,yes\n",
        lambda path: cm.Answers.read(path, ["yes", "no"]),
    ),
    "hierarchy": ("tree.txt", "fruit/lemon\nfruit/lime\n", cm.Hierarchy.read),
    "tags": ("gold.conll", "Ada B-PER\n\nHi O\n", cm.spans.read_conll),
    "true boxes": (
        "truth.json",
        json.dumps(TRUTH),
        lambda path: cm.detection.read_coco(path, RESULTS),
    ),
    "found boxes": (
        "found.json",
        json.dumps(RESULTS),
        lambda path: cm.detection.read_coco(TRUTH, path),
    ),
    "rows": ("preds.csv", "actual,predicted\na,b\nb,b\n", cm.count_files),
    "examples": (
        "preds.csv",
        "actual,predicted\na,b\nb,b\n",
        lambda path: cm.examples(path, "actual"),
    ),
    "claims": ("claims.csv", "accuracy,0.93\n", lambda path: Claims(claim_files=(path,)).claimed()),
}
ROWS = {"rows", "examples"}

every_reader = pytest.mark.parametrize("kind", READERS)


@pytest.fixture
def few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that needs no large file."""
    monkeypatch.setattr(files, "_MOST", 1_000)
    monkeypatch.setattr(files, "_LARGE", 1_000)


def made(folder: Path, kind: str, data: bytes | None = None) -> Path:
    name, text, _ = READERS[kind]
    path = folder / name
    path.write_bytes(text.encode() if data is None else data)
    return path


def refusal(kind: str, path: Any, error: type[Exception]) -> Any:
    """The error of a reader, which is one line and names the file."""
    with pytest.raises(error) as caught:
        READERS[kind][2](path)
    said = str(caught.value)
    assert isinstance(caught.value, cm.ConfmatError)
    assert "\n" not in said
    assert Path(path).name in said
    return caught.value


@every_reader
def test_a_file_that_is_not_there_is_a_file_not_found(tmp_path: Path, kind: str) -> None:
    near = made(tmp_path, kind)
    path = near.with_stem(f"{near.stem}_")
    for given in (path, str(path)):
        error = refusal(kind, given, FileNotFoundError)
        assert isinstance(error, cm.FileError)
        assert (error.errno, error.filename) == (errno.ENOENT, str(path))
        assert str(error).startswith(f"{path}: there is no such file to read ")
        assert str(error).endswith(f"; did you mean {near.name!r}?")


@every_reader
def test_a_folder_where_a_file_is_wanted(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / READERS[kind][0]
    folder.mkdir()
    if kind in ROWS:
        # All files in it are counted, and here are none.
        assert "there is no file to count" in str(refusal(kind, folder, cm.InputError))
        return
    made(folder, kind)
    error = refusal(kind, folder, cm.FileError)
    assert error.errno == errno.EISDIR
    assert not isinstance(error, FileNotFoundError)
    assert "this is a folder; a file to read " in str(error)
    assert str(error).endswith(f"is wanted, such as {READERS[kind][0]!r}")


def let_anyone_in(folder: Path) -> None:
    """Only the file that is closed may be in the way, not the folders that tests are run in."""
    for parent in (folder, *folder.parents):
        if Path(tempfile.gettempdir()) in parent.parents:
            parent.chmod(0o755)


@contextmanager
def without_rights() -> Iterator[None]:
    """Root may read everything, so a root that runs this is nobody for a moment."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@every_reader
@pytest.mark.skipif(sys.platform == "win32", reason="permissions as POSIX has them")
def test_a_file_that_may_not_be_read(tmp_path: Path, kind: str) -> None:
    path = made(tmp_path, kind)
    let_anyone_in(tmp_path)
    # A module that is imported on first use should be there before.
    READERS[kind][2](path)
    path.chmod(0)
    with without_rights():
        error = refusal(kind, path, cm.FileError)
    assert error.errno == errno.EACCES
    assert "permission denied; to read " in str(error)


@every_reader
def test_an_empty_file(tmp_path: Path, kind: str) -> None:
    path = made(tmp_path, kind, b"")
    if kind == "tags":
        # No token, no sentence: as the files of a tagger begin.
        assert cm.spans.read_conll(path) == []
        return
    error = refusal(kind, path, cm.InputError)
    assert not isinstance(error, OSError)
    assert f"{path.name}: the file is empty" in str(error)


@every_reader
def test_what_is_no_text(tmp_path: Path, kind: str) -> None:
    for data in (
        b"\x89PNG\r\n\x1a\n\xff\xfe",
        bytes(range(256)) * 2,
        b"\x1f\x8b\x08\x00" + b"\x9f" * 100,
    ):
        error = refusal(kind, made(tmp_path, kind, data), cm.InputError)
        assert not isinstance(error, OSError)
        assert "no UTF-8" in str(error) or "no text" in str(error)


@every_reader
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_what_windows_calls_unicode(tmp_path: Path, kind: str, encoding: str) -> None:
    error = refusal(kind, made(tmp_path, kind, READERS[kind][1].encode(encoding)), cm.InputError)
    assert "UTF-16" in str(error)
    assert str(error).endswith("; store the text as UTF-8")


@every_reader
def test_a_byte_order_mark_is_no_text(tmp_path: Path, kind: str) -> None:
    plain = READERS[kind][2](made(tmp_path, kind))
    marked = READERS[kind][2](made(tmp_path, kind, b"\xef\xbb\xbf" + READERS[kind][1].encode()))
    assert repr(marked) == repr(plain)


@every_reader
@pytest.mark.usefixtures("few_bytes")
def test_a_file_that_is_too_large(tmp_path: Path, kind: str) -> None:
    if kind in ROWS:
        pytest.skip("rows are counted in blocks, whatever the size of their file")
    path = made(tmp_path, kind)
    READERS[kind][2](path)
    with path.open("ab") as stream:
        stream.truncate(1_001)
    assert "GB, too large to read " in str(refusal(kind, path, cm.BudgetError))


@pytest.mark.usefixtures("few_bytes")
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device without an end here")
def test_a_device_without_an_end() -> None:
    with pytest.raises(cm.BudgetError, match="too large"):
        cm.load("/dev/zero")


@every_reader
def test_what_is_no_path(kind: str) -> None:
    if kind.endswith("boxes") or kind == "pycm":
        pytest.skip("takes values as well as paths")
    for given in (7, None, b"m.json"):
        with pytest.raises(cm.InputError, match="path"):
            READERS[kind][2](given)
    for wrong, said in (
        ("", "path is empty"),
        ("a\0b.csv", "zero byte"),
        ("\ud800.csv", "half a character"),
    ):
        with pytest.raises(cm.InputError, match=said) as caught:
            READERS[kind][2](wrong)
        assert "\0" not in str(caught.value)


# ---- readers of folders and of pictures ----------------------------------------------------------


def test_folders_of_yolo(tmp_path: Path) -> None:
    labels, found = tmp_path / "labels", tmp_path / "found"
    for folder, text in ((labels, "0 .5 .5 .2 .2\n"), (found, "0 .5 .5 .2 .2 .9\n")):
        folder.mkdir()
        (folder / "a.txt").write_text(text)
    cm.detection.read_yolo(labels, found)
    for sides, error, said in (
        ((tmp_path / "label", found), MissingFileError, "no such folder .*; did you mean 'labels'"),
        ((labels, found / "a.txt"), cm.FileError, "this is a file; a folder to read YOLO's labels"),
        (([], found), cm.InputError, "a path is a str or a Path, not list"),
    ):
        with pytest.raises(error, match=said):
            cm.detection.read_yolo(*sides)
    let_anyone_in(tmp_path)
    labels.chmod(0)
    with without_rights(), pytest.raises(cm.FileError, match="to read this folder"):
        cm.detection.read_yolo(labels, found)
    labels.chmod(0o755)
    (labels / "a.txt").write_text("0 .5 .5 .2 .2", encoding="utf-16")
    with pytest.raises(
        cm.InputError, match=r"a\.txt: line 1: .* is no UTF-8; it looks like UTF-16"
    ):
        cm.detection.read_yolo(labels, found)


@pytest.mark.parametrize("suffix", [".npy", ".png"])
def test_label_maps(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("PIL")
    path = tmp_path / f"map{suffix}"
    with pytest.raises(MissingFileError, match="no such file to read a label map from") as caught:
        cm.count_masks(path, path)
    assert caught.value.filename == str(path)
    for data in (b"", b"junk", b"\x93NUMPY\x01\x00"):
        path.write_bytes(data)
        with pytest.raises(cm.InputError, match="as a label map") as other:
            cm.count_masks(path, path)
        assert not isinstance(other.value, OSError)


def test_words_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    with pytest.raises(
        click.BadParameter, match=r"labels\.txt: there is no such file to read words from"
    ):
        NAMES.convert(f"@{path}", None, None)
    for data, said in ((b"", "the file is empty"), (b"\xff\xfea\0", "looks like UTF-16")):
        path.write_bytes(data)
        with pytest.raises(click.BadParameter, match=said):
            NAMES.convert(f"@{path}", None, None)
    path.write_bytes(b"\xef\xbb\xbfcat\r\n\r\ndog\r\n")
    assert NAMES.convert(f"@{path}", None, None) == ["cat", "dog"]


def test_a_checkpoint_that_is_none(tmp_path: Path) -> None:
    rows, place = made(tmp_path, "rows"), tmp_path / "place.json"
    for data in (b"", b"\xff\xfe", b"{}", b"[" * 100_000):
        place.write_bytes(data)
        with pytest.raises(cm.InputError, match=r"place\.json: this is no checkpoint"):
            cm.count_files(rows, resume=place)
    place.unlink()
    place.mkdir()
    with pytest.raises(
        cm.FileError, match="this is a folder; a file to read a checkpoint from is wanted"
    ):
        cm.count_files(rows, resume=place)


# ---- the errors ----------------------------------------------------------------------------------


def test_what_may_have_been_meant(tmp_path: Path) -> None:
    for name in ("March_2.CSV", "april.csv", "m\x1b[2J.txt"):
        (tmp_path / name).write_text("")
    for path, said in (
        (tmp_path / "march2.csv", "did you mean 'March_2.CSV'?"),
        (tmp_path / "zzz", "zzz: there is no such file to read costs from"),
        ("nowhere/x.csv", "nor the folder 'nowhere'"),
        ("~/x.csv", "expanduser"),
        ("s3://bucket/x.csv", "only files of this machine"),
    ):
        assert said in str(refusal("costs", path, MissingFileError))
    assert "\x1b" not in str(refusal("costs", tmp_path / "m[2J.txt", MissingFileError))


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    for path in (tmp_path / ("x" * 5_000), made(tmp_path, "costs") / "x.csv"):
        with pytest.raises(cm.FileError) as caught:
            cm.costs.read_costs(path)
        assert caught.value.errno in {errno.ENAMETOOLONG, errno.ENOTDIR}
        assert "cannot read costs from it: " in str(caught.value)
        assert len(str(caught.value)) < 500


def test_a_pattern_without_a_match_is_a_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no file matches this pattern") as caught:
        cm.count_files(f"{tmp_path}/*.csv")
    assert isinstance(caught.value, cm.ConfmatError)


@pytest.mark.parametrize("kind", [cm.FileError, MissingFileError])
def test_errors_keep_what_they_know(kind: type[cm.FileError]) -> None:
    error = kind(2, "m.json: there is no such file", "m.json")
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert type(one) is kind
        assert (str(one), one.errno, one.filename) == ("m.json: there is no such file", 2, "m.json")
    assert str(kind("a message")) == "a message"


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"there is no folder '.*no' to write to; make it first"
    ) as caught:
        write_text("x", tmp_path / "no" / "x.txt")
    assert isinstance(caught.value, cm.ConfmatError)
    (tmp_path / "file").write_text("")
    with pytest.raises(cm.FileError, match="cannot write there: not a directory"):
        write_text("x", tmp_path / "file" / "x.txt")
    with pytest.raises(cm.InputError, match="a path is a str or a Path, not NoneType"):
        cm.save(cm.ConfusionMatrix([[1, 0], [0, 1]]), None)  # type: ignore[arg-type]


def test_a_link_that_leads_nowhere_is_told_of(tmp_path: Path) -> None:
    link = tmp_path / "preds.csv"
    try:
        link.symlink_to(tmp_path / "gone.csv")
    except OSError:
        pytest.skip("this system makes no links here")
    with pytest.raises(
        MissingFileError,
        match=r"preds.csv: there is no such file .*: it is a link to .*gone.csv', which",
    ):
        cm.count_files(link)


# ---- a full disk ---------------------------------------------------------------------------------


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may become larger than a few bytes."""
    resource = pytest.importorskip("resource", reason="this system limits no files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


M = cm.ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
WRITERS: dict[str, Callable[[Path], object]] = {
    "m.json": lambda path: cm.save(M, path),
    "m.csv": lambda path: cm.save(M, path),
    "report.json": lambda path: cm.save(cm.report(M), path),
    "page.html": lambda path: cm.html(M, path),
    "text.txt": lambda path: write_text("x" * 100, path),
    "checkpoint": lambda path: cm.count_files(
        io.BytesIO(b"y,yhat\na,b\n"), format="csv", resume=path
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_an_error_with_the_name_of_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    before = path.read_bytes()
    with pytest.raises(cm.FileError) as caught, full_disk():
        WRITERS[name](path)
    assert str(caught.value).startswith(f"{path}: cannot write there: ")
    assert caught.value.errno == errno.EFBIG
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_a_workbook_and_a_figure_say_where_they_could_not_be_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(cm.FileError, match=r"m\.png: cannot write there"), full_disk():
        cm.plot(M).figure.savefig(tmp_path / "m.png")
    pytest.importorskip("xlsxwriter")
    with pytest.raises(cm.FileError, match=r"m\.xlsx: cannot write there"), full_disk():
        M.to_excel(tmp_path / "m.xlsx")
    assert [one.name for one in tmp_path.iterdir()] == ["m.png"]
