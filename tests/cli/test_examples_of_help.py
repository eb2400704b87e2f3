"""Every example that the help shows is run, on small files that are made for it."""

from __future__ import annotations

import json
import re
import shlex
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import confmat as cm

pytest.importorskip("click")

from confmat.cli.program import COMMANDS, EXAMPLES, command_named

Run = Callable[..., tuple[int, str, str]]

ROWS = [
    ("Cat", "Cat", "n", 1),
    ("Cat", "Hen", "s", 2),
    ("Hen", "Hen", "n", 3),
    ("NA", "Hen", "s", 1),
]
MATRIX = cm.count([row[0] for row in ROWS], [row[1] for row in ROWS])
# Files that a person has at hand and whose names say nothing to a test.
STAND_IN = {"tail -f log.jsonl": "log.jsonl", "pbpaste": "published.txt"}
# Files that say something else than rows or a matrix.
WRITTEN = {
    "claims": '{"accuracy": 0.75, "recall[Cat]": 0.50}',
    "names": "alias,label\npuss,Cat\n",
    "verdicts": "llm,checked\n" + "pass,pass\nfail,\npass,fail\nfail,fail\n" * 9,
    "judged": "llm,model,checked\n" + "Cat,Cat,Cat\nHen,Hen,\nHen,Cat,Cat\nHen,Hen,Hen\n" * 9,
    "classes": "animal/mammal/Cat\nanimal/bird/Hen\nNA\n",
    "prices": '{"fp": 1, "fn": 5}',
    "costs": '{"costs": {"Cat": {"Hen": 5}}, "default": 1}',
}
# Opens a browser.
SKIPPED = {"--open"}


def examples() -> Iterator[str]:
    """The lines below "Examples:", without what is explained behind a gap."""
    texts = [EXAMPLES]
    texts += [command_named(name).epilog or "" for name in COMMANDS]
    for text in texts:
        for line in text.splitlines():
            shown = re.split(r"\s{3,}", line.strip())[0]
            if line.startswith("  ") and "confmat " in shown:
                yield shown


def make(name: str, command: str) -> None:
    """A file of that name, with what the command expects there; a pattern is two files."""
    if command == "segment":
        path = Path(name)
        path.mkdir()
        np.save(path / "street.npy", [[0, 1, 1], [0, 0, 2], [255, 0, 0]])
        return
    if command in {"detect", "spans"}:
        entities_or_boxes(Path(name))
        return
    if name.endswith("/"):
        Path(name).mkdir()
        rows(Path(name, "part.csv"), command)
        return
    for path in (
        [Path(name.replace("*", number)) for number in "12"] if "*" in name else [Path(name)]
    ):
        if path.stem in WRITTEN:
            path.write_text(WRITTEN[path.stem])
        elif path.stem == "sites":
            cm.save(cm.Stack({"north": MATRIX, "south": MATRIX}, axis="site"), path)
        elif path.suffix == ".json" or command == "merge":
            cm.save(MATRIX, path)
        elif path.suffix == ".txt":
            path.write_text("     Cat  Hen\nCat    1    1\nHen    0    2\n")
        elif path.suffix == ".eval":
            log_of_inspect(path)
        else:
            rows(path, command)


def log_of_inspect(path: Path) -> None:
    score = {"match": {"value": "C", "answer": "A"}}
    beside = {"epoch": 1, "choices": ["x", "y"], "scores": score}
    samples = [
        {"id": n, "target": "AB"[n % 2], "metadata": {"subject": n % 3}, **beside} for n in range(9)
    ]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "header.json", '{"version": 2, "status": "success", "eval": {"model": "small"}}'
        )
        archive.writestr("summaries.json", json.dumps(samples))


def entities_or_boxes(path: Path) -> None:
    found = path.stem == "found"
    if not path.suffix:
        path.mkdir()
        (path / "street.txt").write_text(
            f"0 .5 .5 .2 .2{' .9' * found}\n1 .2 .2 .1 .1{' .8' * found}\n"
        )
    elif path.suffix == ".conll":
        path.write_text("Ada B-PER B-PER\nin O O\nRome B-LOC B-ORG\n")
    elif found:
        path.write_text('[{"image_id": 1, "category_id": 3, "bbox": [0, 0, 9, 10], "score": 0.9}]')
    else:
        path.write_text(
            '{"images": [{"id": 1}], "categories": [{"id": 3, "name": "car"}], '
            '"annotations": [{"id": 5, "image_id": 1, "category_id": 3, "bbox": [0, 0, 10, 10]}]}'
        )


def rows(path: Path, command: str) -> None:
    names: tuple[str, ...] = (
        "truth",
        "guess",
        "site",
        "w",
        "id",
        "text",
        "p_Cat",
        "p_Hen",
        "p_NA",
        "z_Cat",
        "z_Hen",
        "z_NA",
    )
    table: list[tuple[object, ...]] = [
        (*row, number, "what it says", number / 8, 0.5, 0.5 - number / 8, 0, -2, 3)
        for number, row in enumerate(ROWS)
    ]
    if command in {"compare", "gate"}:
        # Several models beside one truth.
        names = ("y", "old", "new", "model_1", "model_2", "site", "answer", "question", "p1", "p2")
        table = [
            (row[0], row[1], row[0], row[1], row[0], row[2], row[1], n, n % 5 / 5, n % 3 / 3)
            for n, row in enumerate(ROWS)
        ]
    if path.suffix == ".parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(
            pa.table(dict(zip(names, map(list, zip(*table, strict=True)), strict=True))), path
        )
    elif path.suffix == ".jsonl":
        path.write_text("".join(f'{{"truth": "{row[0]}", "guess": "{row[1]}"}}\n' for row in ROWS))
    else:
        path.write_text("\n".join(",".join(map(str, row)) for row in [names, *table]) + "\n")


@pytest.mark.parametrize("example", sorted(set(examples())))
def test_an_example_runs(run: Run, folder: Path, example: str) -> None:
    example = re.sub(r'^eval "\$\((.*)\)"$', r"\1", example).partition(" > ")[0]
    before, pipe, after = example.rpartition(" | ")
    words = [word for word in shlex.split(after if pipe else example)[1:] if word not in SKIPPED]
    (folder / "preds.csv").unlink()
    values = {
        words[i + 1] for i, word in enumerate(words[:-1]) if word in {"-o", "--resume", "-a", "-p"}
    }
    for word in words[1:]:
        if (
            re.fullmatch(r"[\w*-]+(\.(csv|parquet|jsonl|json|txt|conll|eval)|/)", word)
            and word not in values
        ):
            make(word, "compare" if " -p old -p " in example else words[0])
    stdin = None
    if pipe:
        name = STAND_IN.get(before, before.split()[-1])
        make(name, words[0])
        stdin = (folder / name).read_bytes()
    status, out, err = run(words, stdin=stdin)
    outputs = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "-o"]
    # The gate of an example may find that these few rows are not good enough, and the audit that a
    # claim is wrong.
    assert status == 0 or (
        status == 1
        and ({"--fail-under", "--fail-over"} & {*words} or words[0] in {"audit", "gate"})
    ), err
    assert out or err or outputs
    assert all((folder / name).read_bytes() for name in outputs)
