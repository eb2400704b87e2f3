"""A count that is killed goes on from its checkpoint: no row is lost and none counted twice."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io import checkpoints, count_files, counting, records
from tests.io import conftest

# Small blocks, a checkpoint after each, and a little rest, so that a kill finds the count at work;
# whoever is to be killed waits for it in the end, however late it comes.
PROGRAM = """
import os, sys, time
from confmat.io import checkpoints, count_files, records
from confmat.io import save
records.BLOCK_BYTES = 4096
checkpoints.SECONDS_BETWEEN_STORES = 0
keep, left = checkpoints.Checkpoint.keep, [int(os.environ["BLOCKS"])]
def slow(*arguments, **options):
    keep(*arguments, **options)
    left[0] -= 1
    time.sleep(0.002 if left[0] else 3600)
checkpoints.Checkpoint.keep = slow
source = sys.stdin.buffer if sys.argv[1] == "-" else sys.argv[3:]
found = count_files(source, resume=sys.argv[2], format=None if sys.argv[1] != "-" else "csv", weights="w")
save(found, sys.argv[1] if sys.argv[1] != "-" else sys.argv[3])
"""
CLASSES = ["cat", "dog, small", 'a "b"', "línea\nbreak", "猫"]


def data(rows: int, seed: int) -> tuple[list[str], list[str], list[int], bytes]:
    rng = random.Random(seed)
    y, p = (rng.choices(CLASSES, [8, 4, 2, 1, 1], k=rows) for _ in range(2))
    w = [rng.randrange(5) for _ in range(rows)]
    quoted = (
        '"' + label.replace('"', '""') + '"' for pair in zip(y, p, strict=True) for label in pair
    )
    pairs = zip(quoted, quoted, strict=False)
    text = "y,yhat,w\n" + "".join(f"{a},{b},{n}\n" for (a, b), n in zip(pairs, w, strict=True))
    return y, p, w, text.encode()


def test_a_link_and_its_target_are_one_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y,yhat\na,b\n")
    (tmp_path / "link").symlink_to("real/checkpoint")
    (tmp_path / "real").mkdir()
    assert count_files(tmp_path / "p.csv", resume=tmp_path / "link").total == 1
    assert (tmp_path / "link").is_symlink()
    with (
        checkpoints.Checkpoint(tmp_path / "real" / "checkpoint"),
        pytest.raises(cm.InputError, match="is counting"),
    ):
        count_files(tmp_path / "p.csv", resume=tmp_path / "link")


def killed_often(command: list[str], stored: Path, kills: int, feed: Path | None = None) -> int:
    """Run a command until it ends, killing it at random moments; how often it was killed at work."""
    rng = random.Random(7)
    done = 0
    while True:
        with feed.open("rb") if feed else open("/dev/null", "rb") as stdin:  # noqa: PTH123
            # A fifth of the blocks there are, so that no run comes to the end before it is killed.
            blocks = 15 if done < kills else -1
            process = subprocess.Popen(
                command, stdin=stdin, env={**os.environ, "BLOCKS": str(blocks)}
            )
            if done < kills:
                before = stored.stat().st_mtime_ns if stored.exists() else 0
                while (
                    process.poll() is None
                    and (stored.stat().st_mtime_ns if stored.exists() else 0) == before
                ):
                    time.sleep(0.001)
                time.sleep(rng.random() * 0.05)
                process.send_signal(signal.SIGKILL)
            if process.wait() == 0:
                return done
            assert process.returncode == -signal.SIGKILL
            done += 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill so")
@pytest.mark.parametrize("kind", ["files", "gzip", "stream"])
def test_killed_at_random_moments(tmp_path: Path, kind: str) -> None:
    parts = [data(12_000, seed) for seed in ((1, 2) if kind == "files" else (3,))]
    paths = []
    for number, part in enumerate(parts):
        path = tmp_path / (f"{number}.csv.gz" if kind == "gzip" else f"{number}.csv")
        path.write_bytes(gzip.compress(part[3]) if kind == "gzip" else part[3])
        paths.append(path)
    stored, out = tmp_path / "checkpoint", tmp_path / "out.json"
    if kind == "stream":
        command = [sys.executable, "-c", PROGRAM, "-", str(stored), str(out)]
    else:
        command = [sys.executable, "-c", PROGRAM, str(out), str(stored), *map(str, paths)]
    assert killed_often(command, stored, 5, paths[0] if kind == "stream" else None) == 5
    y, p, w = ([item for part in parts for item in part[i]] for i in range(3))
    found = __import__("confmat.io").io.load(out)
    assert found == cm.count(y, p, weights=w)
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint",
        "out.json",
        *(path.name for path in paths),
    }


# ---- without a kill ------------------------------------------------------------------------------


def stopped(monkeypatch: pytest.MonkeyPatch, blocks_before: int) -> None:
    """Let counting stop after so many blocks, the checkpoint stored."""
    keep, left = checkpoints.Checkpoint.keep, [blocks_before]

    def counted(self: Any, *arguments: Any, **options: Any) -> None:
        keep(self, *arguments, **options)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_STORES", 0)
    monkeypatch.setattr(checkpoints.Checkpoint, "keep", counted)
    monkeypatch.setattr(records, "BLOCK_BYTES", 64)


def interrupted(path: Any, stored: Path, blocks_before: int = 3, **options: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stopped(patch, blocks_before)
        with pytest.raises(KeyboardInterrupt):
            count_files(path, resume=stored, **options)


def test_what_is_appended_is_counted_on(tmp_path: Path) -> None:
    path, stored = tmp_path / "p.csv", tmp_path / "checkpoint"
    path.write_text("y,yhat\na,b\n")
    assert count_files(path, resume=stored).total == 1
    assert count_files(path, resume=stored).total == 1
    with path.open("a") as stream:
        stream.write("b,b\n")
    assert count_files(path, resume=stored) == cm.count(["a", "b"], ["b", "b"])


def test_another_input_is_refused(tmp_path: Path) -> None:
    path, stored = tmp_path / "p.csv", tmp_path / "checkpoint"
    path.write_text("y,yhat\n" + "a,b\n" * 100)
    interrupted(path, stored)
    path.write_text("y,yhat\n" + "a,c\n" * 100)
    with pytest.raises(
        cm.InputError, match="this is not the input that the checkpoint was made of"
    ):
        count_files(path, resume=stored)
    other = tmp_path / "q.csv"
    other.write_text("y,yhat\na,b\n")
    with pytest.raises(cm.InputError, match="not among what is to be counted"):
        count_files(other, resume=stored)
    with pytest.raises(cm.InputError, match="the checkpoint is of the columns"):
        count_files(path, actual="yhat", predicted="y", resume=stored)
    stored.write_text("{}")
    with pytest.raises(cm.InputError, match="this is no checkpoint of this version"):
        count_files(path, resume=stored)


def test_a_line_that_grew_is_refused(tmp_path: Path) -> None:
    path, stored = tmp_path / "p.csv", tmp_path / "checkpoint"
    path.write_text("y,yhat\na,b")
    assert count_files(path, resume=stored).total == 1
    path.write_text("y,yhat\na,bc\n")
    with pytest.raises(cm.InputError, match="line 2: this line was not at its end"):
        count_files(path, resume=stored)
    path.write_text("y,yhat\na,b\nb,b\n")
    assert count_files(path, resume=stored).total == 2


def test_files_are_kept_apart_by_name_whatever_their_order(tmp_path: Path) -> None:
    stored = tmp_path / "checkpoint"
    for name in ("b", "d"):
        (tmp_path / f"{name}.csv").write_text("y,yhat\n" + f"{name},{name}\n" * 100)
    interrupted(f"{tmp_path}/*.csv", stored, 12)
    assert json.loads(stored.read_text())["place"]["input"].endswith("d.csv")
    for name in ("a", "c", "e"):
        (tmp_path / f"{name}.csv").write_text("y,yhat\n" + f"{name},{name}\n" * 10)
    found = count_files(f"{tmp_path}/*.csv", resume=stored)
    assert dict(found.pairs()) == {
        ("a", "a"): 10,
        ("b", "b"): 100,
        ("c", "c"): 10,
        ("d", "d"): 100,
        ("e", "e"): 10,
    }
    assert count_files(f"{tmp_path}/*.csv", resume=stored) == found


def test_whole_files_of_parquet(tmp_path: Path) -> None:
    stored = tmp_path / "checkpoint"
    for name in ("a", "b"):
        conftest.stored(tmp_path / f"{name}.parquet", {"y": [1, None], "yhat": [1, 2]})
    found = count_files([tmp_path / "a.parquet"], resume=stored, missing="drop")
    assert found.total == 1
    assert count_files(f"{tmp_path}/*.parquet", resume=stored, missing="drop").total == 2
    conftest.stored(tmp_path / "a.parquet", {"y": [1] * 9, "yhat": [1] * 9})
    with pytest.raises(cm.InputError, match=r"was counted with [\d,]+ bytes"):
        count_files(f"{tmp_path}/*.parquet", resume=stored)


def test_a_stream_that_starts_again_is_skipped_to_the_place(tmp_path: Path) -> None:
    stored = tmp_path / "checkpoint"
    text = b"y,yhat\n" + b"a,b\n" * 500
    interrupted(io.BytesIO(text), stored, format="csv")
    assert count_files(io.BytesIO(text), format="csv", resume=stored) == cm.count(
        ["a"] * 500, ["b"] * 500
    )
    with pytest.raises(cm.InputError, match="standard input: this is not the input"):
        count_files(io.BytesIO(b"y,yhat\n" + b"b,b\n" * 500), format="csv", resume=stored)


def test_groups_and_labels_of_every_type_come_back(tmp_path: Path) -> None:
    stored, path = tmp_path / "checkpoint", tmp_path / "p.jsonl"
    records = [{"y": 1, "yhat": 1.0, "g": True}, {"y": 2, "yhat": None, "g": "x"}] * 50
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    interrupted(path, stored, by="g")
    found = count_files(path, resume=stored, by="g", missing="collect")
    assert dict(found) == dict(count_files(path, by="g", missing="collect"))


def test_formats_take_turns(tmp_path: Path) -> None:
    stored = tmp_path / "checkpoint"
    (tmp_path / "a.csv").write_text("y,yhat\na,b\n")
    for name in ("b", "c"):
        conftest.stored(tmp_path / f"{name}.parquet", {"y": ["b"], "yhat": [name]})
    (tmp_path / "d.csv").write_text("y,yhat\nd,b\n")
    expected = cm.count(["a", "b", "b", "d"], ["b", "b", "c", "b"])
    assert count_files(tmp_path, resume=stored) == expected
    assert count_files(tmp_path, resume=stored) == expected
    assert count_files(tmp_path) == expected


# ---- files that change ---------------------------------------------------------------------------


def rewritten(path: Path, content: bytes) -> None:
    """Another content of the same size, with the time of the old one."""
    before = path.stat()
    assert len(content) == before.st_size
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_counted_file_with_other_content_of_the_same_size_is_refused(tmp_path: Path) -> None:
    stored = tmp_path / "checkpoint"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("y,yhat\n" + "a,b\n" * 30_000)
    assert count_files(f"{tmp_path}/*.csv", resume=stored).total == 60_000
    for name in ("a", "b"):
        path = tmp_path / f"{name}.csv"
        good = path.read_bytes()
        # One row in the middle.
        rewritten(path, good[:60_007] + b"b,b\n" + good[60_011:])
        with pytest.raises(
            cm.InputError, match=r"has other content now|is not the input that the checkpoint"
        ):
            count_files(f"{tmp_path}/*.csv", resume=stored)
        rewritten(path, good)
        assert count_files(f"{tmp_path}/*.csv", resume=stored).total == 60_000


def test_a_file_that_changes_while_it_is_counted_is_no_part_of_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, first = tmp_path / "checkpoint", tmp_path / "a.csv"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("y,yhat\na,b\n")
    real = counting.Counting._add

    def add(self: Any, *arguments: Any, **beside: Any) -> None:
        real(self, *arguments, **beside)
        rewritten(first, b"y,yhat\nb,b\n")

    monkeypatch.setattr(counting.Counting, "_add", add)
    with pytest.raises(cm.InputError, match=r"a\.csv: the file changed .* written to"):
        count_files(f"{tmp_path}/*.csv", resume=stored)
    monkeypatch.undo()
    assert count_files(f"{tmp_path}/*.csv", resume=stored).counts.tolist() == [[0, 1], [0, 1]]


# ---- damage --------------------------------------------------------------------------------------


def mutated(good: bytes, rng: random.Random) -> bytes:
    data, at = bytearray(good), rng.randrange(len(good))
    to = min(len(good), at + rng.randrange(1, 40))
    kind = rng.randrange(7)
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at] = rng.choice(b'0123456789{}[],:"')
    elif kind == 2:
        del data[at:to]
    elif kind == 3:
        data[at:at] = data[at:to]
    elif kind == 4:
        del data[at:]
    elif kind == 5:
        digits = [i for i, byte in enumerate(data) if 48 <= byte < 58]
        data[rng.choice(digits)] = rng.choice(b"0123456789")
    else:
        data += bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
    return bytes(data)


def with_another_checkpoint(tmp_path: Path, many: int) -> None:
    stored = tmp_path / "checkpoint"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("y,yhat\na,b\nb,b\nb,c\n")
    expected = count_files(f"{tmp_path}/*.csv", resume=stored)
    good, rng, refused = stored.read_bytes(), random.Random(17), 0
    for _ in range(many):
        stored.write_bytes(mutated(good, rng))
        said = ""
        try:
            found = count_files(f"{tmp_path}/*.csv", resume=stored)
        except cm.InputError as error:
            said, found = str(error), expected
            refused += 1
        assert found == expected
        assert said == "" or (len(said.splitlines()) == 1 and str(stored) in said)
    assert refused > many * 0.9


@pytest.mark.filterwarnings("error")
def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    with_another_checkpoint(tmp_path, 100)


# ---- two at once ---------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("fcntl") is None, reason="this system knows no such locks")
def test_a_thread_beside_a_count_is_refused_too(tmp_path: Path) -> None:
    stored = checkpoints.Checkpoint(tmp_path / "checkpoint")
    with (
        stored,
        pytest.raises(cm.InputError, match=f"process {os.getpid()} on"),
        stored.__class__(stored.path),
    ):
        pass
    with stored.__class__(stored.path):
        pass


# ---- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0, 3600])
def test_small_files_are_counted_and_stored_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    for name in range(20):
        conftest.stored(tmp_path / f"{name}.parquet", {"y": [1, 2], "yhat": [name, 2]})
    stores: list[Path] = []

    def write(text: str, path: Path) -> None:
        stores.append(path)
        path.write_text(text)

    monkeypatch.setattr(checkpoints, "write_text", write)
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_STORES", seconds)
    # Once for what is new, and never for nothing.
    for _ in range(2):
        assert count_files(f"{tmp_path}/*.parquet", resume=tmp_path / "checkpoint").total == 40
        assert len(stores) == 1


def test_a_file_that_grows_while_it_is_counted_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, stored = tmp_path / "p.csv", tmp_path / "checkpoint"
    path.write_text("y,yhat\n" + "a,b\n" * 1000)
    keep = checkpoints.Checkpoint.keep

    def kept(*arguments: Any) -> None:
        keep(*arguments)
        with path.open("a") as stream:
            stream.write("a,b\n")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints.Checkpoint, "keep", kept)
        first = count_files(path, resume=stored).total
    assert 1000 <= first < count_files(path, resume=stored).total == path.read_text().count("a,b")


def test_rows_are_appended_behind_any_line_end(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(b"y,yhat\ra,b\r")
    assert count_files(path, resume=tmp_path / "checkpoint").total == 1
    with path.open("ab") as stream:
        stream.write(b"a,b\r")
    assert count_files(path, resume=tmp_path / "checkpoint").total == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_the_lock_belongs_to_the_process_that_counts(tmp_path: Path) -> None:
    path, stored, lock = tmp_path / "p.csv", tmp_path / "checkpoint", tmp_path / ".checkpoint.lock"
    path.write_text("y,yhat\na,b\n")
    with checkpoints.Checkpoint(stored) as checkpoint:
        if not (child := os.fork()):
            try:
                checkpoint.__exit__()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert lock.exists()
    assert not lock.exists()
    lock.write_text("precious")
    with pytest.raises(cm.InputError, match="this is no lock of a checkpoint"):
        count_files(path, resume=stored)
    assert lock.read_text() == "precious"
