"""Seals: damaged files of every stored form are known, whole ones load, and say where they were counted."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import confmat as cm
from confmat.core.formats import format_named
from confmat.core.seals import seal_text
from confmat.io import from_json, to_json
from confmat.io.storage import written

from .test_formats_round_trip import matrices

SUFFIXES = [".json", ".csv", ".tsv", ".md", ".tex", ".txt"]
M = cm.ConfusionMatrix([[41, 10, 1], [6, 272, 2], [3, 0, 69]], ["Cat", "Fish", "Hen"])
every_form = pytest.mark.parametrize("suffix", SUFFIXES)


def flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def outcomes(
    path: Path, many: int, damage: Callable[[bytes, random.Random], bytes], seed: int
) -> Counter[str]:
    """How often a damaged file is refused, still holds the same, or passes for another matrix."""
    good, rng, found = path.read_bytes(), random.Random(seed), Counter[str]()
    for _ in range(many):
        path.write_bytes(damage(good, rng))
        try:
            found["same" if cm.load(path) == M else "another"] += 1
        except cm.ConfmatError:
            found["refused"] += 1
    return found


@every_form
def test_no_flipped_bit_makes_another_matrix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    cm.save(M, path)
    found = outcomes(path, 60, flipped, 1)
    assert not found["another"]
    assert found["refused"] > 20


@every_form
def test_no_cut_makes_another_matrix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    cm.save(M, path)
    found = outcomes(path, 40, lambda data, rng: data[: rng.randrange(len(data))], 2)
    assert not found["another"]
    assert found["refused"] > 20


@every_form
def test_a_changed_count_is_said_to_be_damage(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    cm.save(M, path)
    good = path.read_text()
    # In a text with totals these are wrong already.
    for one, other in (("272", "273"), ("Hen", "Hem")) if suffix != ".txt" else (("Hen", "Hem"),):
        path.write_text(good.replace(one, other))
        with pytest.raises(
            cm.InputError,
            match=r"the file is damaged: its counts add up to|the file is damaged: it does",
        ):
            cm.load(path)


@pytest.mark.filterwarnings("ignore::confmat.ConfmatWarning")
@given(matrices())
def test_every_matrix_fits_its_own_seal(m: cm.ConfusionMatrix) -> None:
    for suffix in SUFFIXES[1:]:
        try:
            plain = str(written(m, suffix))
        except cm.ConfmatError:
            continue
        text = seal_text(plain, m, format_named(suffix).name)
        read: Any = (
            cm.io.from_csv
            if suffix in {".csv", ".tsv"}
            else from_json
            if suffix == ".json"
            else cm.io.read_printed
        )
        try:
            before = read(plain)
        except cm.ConfmatError:
            continue
        assert read(text) == before


@every_form
def test_a_file_says_where_it_was_counted(tmp_path: Path, suffix: str) -> None:
    source, path = tmp_path / "p.csv", tmp_path / f"m{suffix}"
    source.write_text("id,truth,guess\n1,cat,cat\n2,cat,hen\n3,,hen\n")
    with pytest.warns(cm.ConfmatWarning, match="more than once"):
        m = cm.count_files([source, source], actual="truth", predicted="guess", missing="drop")
    cm.save(m, path)
    found = cm.load(path).provenance
    assert found is not None
    assert [(file["name"], file["size"]) for file in found["files"]] == [
        ("p.csv", source.stat().st_size)
    ] * 2
    assert found["options"] == {"missing": "drop", "actual": "truth", "predicted": "guess"}
    assert found["confmat"] == cm.__version__
    assert suffix == ".json" or "counted more than once" in found["notes"][0]
    # A sum is of no file.
    assert (m + m).provenance is None


def test_a_stack_is_sealed_as_a_whole(tmp_path: Path) -> None:
    source = tmp_path / "p.csv"
    source.write_text("truth,guess,site\na,a,x\na,b,y\nb,b,y\n")
    stack = cm.count_files(source, actual="truth", predicted="guess", by="site")
    text = to_json(stack)
    assert stack.provenance is not None
    assert from_json(text).provenance == stack.provenance
    data = json.loads(text)
    assert data["seal"]["total"] == 3
    data["keys"].reverse()
    with pytest.raises(cm.InputError, match="the file is damaged: it does not hold"):
        from_json(json.dumps(data))


def test_json_may_be_laid_out_anew() -> None:
    for value in (M, M.sparse(), cm.count(["a", "b"], ["a", "a"], weights=[0.5, 2])):
        assert from_json(json.dumps(json.loads(to_json(value)), indent=7, sort_keys=True)) == value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"counts": [[1.5, 0], [0, 2]]}, "the stored counts have fractions"),
        (
            {"counts": [[True, 0], [0, 2]]},
            "stored `counts` must be numbers, and there is a bool among them",
        ),
        ({"seal": {"total": True, "sha256": ""}}, "its seal says True"),
    ],
)
def test_plain_data_that_cannot_be_meant_is_refused(change: dict[str, Any], said: str) -> None:
    data = cm.ConfusionMatrix([[1, 0], [0, 2]], ["a", "b"]).to_dict()
    assert cm.ConfusionMatrix.from_dict(data).total == 3
    with pytest.raises(cm.InputError, match=said):
        cm.ConfusionMatrix.from_dict(data | change)


@every_form
def test_options_of_reading_do_not_break_the_seal(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"m{suffix}"
    cm.save(cm.ConfusionMatrix([[1, 2], [3, 4]], ["0", "1"]), path)
    if suffix != ".json":
        assert cm.load(path, labels=[1, 0], kind="int").counts.tolist() == [[4, 3], [2, 1]]
        positive: Any = cm.load(path, positive="1")
        assert positive.positive == "1"
        path.write_text(path.read_text().replace("4", "5"))
        with pytest.raises(cm.InputError):
            cm.load(path, labels=[1, 0], kind="int")


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_a_text_says_what_it_lost_of_a_matrix_that_intervals_and_scores_go_by(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"m{suffix}"
    actual, predicted = list("aabbccaabb"), list("abbbcaaabb")
    weighed = cm.count(actual, predicted, weights=[1, 9] * 5)
    cm.save(weighed, path)
    with pytest.warns(cm.ConfmatWarning, match="does not keep squares of weights of the matrix"):
        found = cm.load(path)
    assert found == weighed
    some = cm.count(actual, predicted, labels=["b", "a"], other="collect")
    cm.save(some, path)
    with pytest.warns(cm.ConfmatWarning, match=r"does not keep outside=\['\(other\)'\] of the"):
        cm.load(path)
    assert cm.load(path, outside=["(other)"]) == some
    outside = ["(none)", "(other)"]
    cm.save(cm.ConfusionMatrix(np.ones((3, 3), int), ["a", *outside], outside=outside), path)
    with pytest.warns(cm.ConfmatWarning, match="does not keep outside="):
        cm.load(path, outside=["(other)"])
    drawn = cm.count(actual, predicted, probability=[0.5, 0.4] * 5)
    cm.save(drawn, path)
    with pytest.warns(cm.ConfmatWarning, match="does not keep the design of the sample of the"):
        cm.load(path)
    # Nothing is wrong without a positive class: a score of one asks for it.
    sick = cm.count(list("abba"), list("abaa"), positive="b")
    cm.save(sick, path)
    assert cm.load(path, positive="b").labels.positive == "b"
    assert cm.load(path).total == 4
    # A tally is of items, and so are weights of 1.
    ways: list[dict[str, Any]] = [{"tally": [1, 9] * 5}, {"weights": [1] * 10}]
    for same in ways:
        cm.save(cm.count(actual, predicted, **same), path)
        assert cm.load(path).total in {10, 50}
