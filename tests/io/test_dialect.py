"""One file has one answer, or one kind of error, on every road: threads, streams, checkpoints, gzip, size, kernel."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat import kernels
from confmat.counting import planning
from confmat.io import count_files, gathering, records
from confmat.kernels import reference

HEADER = b"id,y_true,y_pred\n"
# Beside labels: what engines read in different ways.
CSV_PIECES = [
    *[
        "a",
        "b",
        "cat",
        "dog",
        '"cat"',
        '"a, b"',
        '"a\nb"',
        '"a\r\nb"',
        '"a\rb"',
        '"say ""hi"""',
        '""',
        '""""',
    ],
    *[
        '5"',
        '5""',
        'a"b',
        'a""b"',
        ' "dog"',
        '"dog" ',
        '"dog',
        '"a"b',
        " a",
        "a ",
        "",
        "",
        "é",
        "\u00a0x",
        "\0",
        "a\0b",
    ],
    *["NA", "null", "\\N", "'q'", "1", "01", "\ufeff", "\u2028", "#", "\\", "a\tb"],
]
JSON_PIECES = [
    *[
        '"a"',
        '"b"',
        '"b"',
        '"\\u00e9"',
        '"é"',
        "1",
        "1.0",
        "1.00",
        "1e0",
        "-0",
        "true",
        "null",
        '"1"',
        '"\\ud800"',
    ],
    *[
        "NaN",
        "Infinity",
        "[1]",
        "{}",
        "01",
        "1e400",
        str(2**64),
        str(10**30),
        '"a\\"b"',
        '"a\x01"',
        '"\\x"',
        '"\0"',
        "0.1",
    ],
]
WEIGHTS = [
    "1",
    "2",
    "0.5",
    " 3 ",
    "1e2",
    "-0",
    str(10**18 + 1),
    str(2**53 + 1),
    str(10**30),
    "-1",
    "x",
    "",
    "nan",
    "1_0",
]


def read(make: Callable[[], Any], taken: Any = None, **options: Any) -> Any:
    """The counts of pairs, without those of the rows that a road needs beside them; or the kind of the error."""
    try:
        found = count_files(
            make(), missing="collect", tally="none" if "weights" not in options else None, **options
        )
    except cm.ConfmatError as error:
        # The mistake that is met first depends on where a block ends.
        return type(error)
    pairs = {str([(type(x), x) for x in pair]): value for pair, value in found.pairs().items()}
    for pair, many in (taken or {}).items():
        key = str([(str, x) for x in pair])
        pairs[key] -= many
        pairs = {pair: value for pair, value in pairs.items() if value}
    return pairs


def roads(
    folder: Path,
    head: bytes,
    data: bytes,
    kind: str,
    row: bytes,
    pair: tuple[str, str],
    **options: Any,
) -> Any:
    """Each road with its answer; those that need more rows, without them."""
    path, more, packed = folder / f"x.{kind}", folder / f"more.{kind}", folder / f"x.{kind}.gz"
    path.write_bytes(head + data)
    more.write_bytes((head if kind == "csv" else b"") + row)
    packed.write_bytes(gzip.compress(head + data))
    one = {pair: 1}
    yield "path", read(lambda: path, **options)
    yield "stream", read(lambda: io.BytesIO(head + data), format=kind, **options)
    yield "every", read(lambda: path, every=(0, lambda _: None), **options)
    yield "one thread", read(lambda: path, threads=1, **options)
    yield "gz", read(lambda: packed, **options)
    yield "resume", read(lambda: path, resume=folder / "checkpoint", **options)
    (folder / "checkpoint").unlink(missing_ok=True)
    for size in (16, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(records, "BLOCK_BYTES", size)
            yield f"blocks of {size}", read(lambda: path, **options)
            yield f"stream of {size}", read(lambda: io.BytesIO(head + data), format=kind, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "kernel", reference)
        yield "reference", read(lambda: path, **options)
        yield "stream, reference", read(lambda: io.BytesIO(head + data), format=kind, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathering, "LINES_BETWEEN_SUMS", 1)
        patch.setattr(planning, "SHORT_LIST_LENGTH", 0)
        yield "many sums", read(lambda: path, **options)
    if "weights" not in options:
        yield "two files", read(lambda: [path, more], one, **options)
        path.write_bytes(head + row * 300_000 + data)
        yield "size", read(lambda: path, {pair: 300_000}, **options)


def same(answers: Any) -> None:
    (first, wanted), *others = answers
    for road, found in others:
        assert type(found) is type(wanted), (first, wanted, road, found)
        if isinstance(wanted, dict):
            # Sums of fractions are rounded where a block ends.
            assert found == pytest.approx(wanted, rel=1e-15, abs=0), (first, road)
        else:
            assert found is wanted, (first, road)


def csv_case(rng: random.Random) -> bytes:
    rows = [
        ",".join(
            [
                str(n),
                rng.choice(CSV_PIECES[: rng.choice([9, len(CSV_PIECES)])]),
                rng.choice(CSV_PIECES),
            ]
        )
        for n in range(rng.randrange(1, 6))
    ]
    data = "".join(row + rng.choice(["\n", "\n", "\n", "\r\n", "\r", "\n\n"]) for row in rows)
    found = (data if rng.random() < 0.7 else data.rstrip("\r\n")).encode()
    return found + b"\xff,a,b\n" if rng.random() < 0.03 else found


def json_case(rng: random.Random) -> bytes:
    def record() -> str:
        fields = [
            f'"{name}": {rng.choice(JSON_PIECES[: rng.choice([3, 8, len(JSON_PIECES)])])}'
            for name in ("y_true", "y_pred")
        ]
        if rng.random() < 0.3:
            fields.append(
                rng.choice(
                    [
                        '"y_true": "z"',
                        '"y\\u005ftrue": "z"',
                        '"x": {"y_true": 1}',
                        '"x": [1,2',
                        '"x": "\\',
                    ]
                )
            )
        rng.shuffle(fields)
        return (
            "{" + ", ".join(fields) + rng.choice(["}"] * 9 + [",}", "", "} x", "}{}", "}\r", " } "])
        )

    ends = ["\n", "\n", "\n", "\r\n", "\n\n", "\n \n", ",", "\x0b\n"]
    return "".join(record() + rng.choice(ends) for _ in range(rng.randrange(1, 5))).encode()


def csv_files(folder: Path, seeds: range) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        head = rng.choice(
            [HEADER] * 3
            + [b"\xef\xbb\xbf" + HEADER, b'"id","y_true",y_pred\r\n', b"id,y_true,y_pred\r"]
        )
        same(roads(folder, head, csv_case(rng), "csv", b"0,p,q\n", ("p", "q")))


def json_files(folder: Path, seeds: range) -> None:
    row = b'{"y_true": "p", "y_pred": "q"}\n'
    for seed in seeds:
        rng = random.Random(seed)
        head = rng.choice([row, row, b"\xef\xbb\xbf" + row])
        same(roads(folder, head, json_case(rng), "jsonl", row, ("p", "q")))


def weighted_files(folder: Path, seeds: Iterable[int]) -> None:
    for seed in seeds:
        rng = random.Random(seed)
        weights = [
            rng.choice(WEIGHTS[: rng.choice([3, 9, len(WEIGHTS)])])
            for _ in range(rng.randrange(1, 6))
        ]
        pairs = [(rng.choice("ab"), rng.choice("ab"), weight) for weight in weights]
        options = {"weights": "w"}
        data = "".join(
            f"{y},{p},{rng.choice(['{}', chr(34) + '{}' + chr(34)]).format(w)}\n"
            for y, p, w in pairs
        )
        same(roads(folder, b"y_true,y_pred,w\n", data.encode(), "csv", b"", ("p", "q"), **options))
        data = "".join(
            json.dumps({"y_true": y, "y_pred": p})[:-1] + f', "w": {w or "null"}}}\n'
            for y, p, w in pairs
        )
        same(roads(folder, b"", data.encode(), "jsonl", b"", ("p", "q"), **options))


def test_csv_has_one_answer_on_every_road(tmp_path: Path) -> None:
    csv_files(tmp_path, range(4))


def test_jsonl_has_one_answer_on_every_road(tmp_path: Path) -> None:
    json_files(tmp_path, range(4))


def test_weights_have_one_answer_on_every_road(tmp_path: Path) -> None:
    # The last has a weight beyond 63 bits beside fractions.
    weighted_files(tmp_path, [*range(12), 17])


@pytest.mark.nightly
def test_many_files_have_one_answer_on_every_road(tmp_path: Path) -> None:
    csv_files(tmp_path, range(4, 400))
    json_files(tmp_path, range(4, 400))
    weighted_files(tmp_path, range(12, 800))


@pytest.mark.parametrize(
    ("row", "actual", "predicted"),
    [
        ('cat, "dog"', "cat", ' "dog"'),
        ('a"b,""', 'a"b', ""),
        ('"5""",a', '5"', "a"),
        ('"a\rb","c\nd"', "a\rb", "c\nd"),
    ],
)
def test_quotes_mean_something_at_the_beginning_of_a_field_alone(
    tmp_path: Path, row: str, actual: str, predicted: str
) -> None:
    (fields,) = csv.reader(io.StringIO(row, newline=""), strict=True)
    assert fields == [actual, predicted]
    for before in (b"", b"p,p\n" * 400_000):
        (tmp_path / "x.csv").write_bytes(b"y_true,y_pred\n" + before + row.encode() + b"\n")
        assert count_files(tmp_path / "x.csv")[actual, predicted] == 1


def test_the_last_of_two_values_of_a_field_counts(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"y_true": "a", "y_true": "b", "y_pred": "b"}\n')
    assert count_files(tmp_path / "x.jsonl")["b", "b"] == 1
