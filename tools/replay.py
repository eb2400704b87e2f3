"""Record what the package answers today, and ask it again after a change.

    python tools/replay.py record build/answers.jsonl.gz    before a change, in the checkout that is right
    python tools/replay.py compare build/answers.jsonl.gz   after it; exit status 1 where an answer is another one

An answer stays the same number to 1e-12 and the same text, or it becomes a refusal, which is listed
and belongs in docs/renames.csv; another answer is a fault. Asked are the examples of docstrings,
README and documentation (as they stood when they were recorded), the tables in tests/data and in
any folder of texts that `--texts` names, random matrices (weighted, sparse, with outside labels,
lopsided, of up to 2**45 items) under every metric, average and interval method, and every command
on a set of files. `--only examples` (or tables, random, commands) asks a part.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import gzip
import importlib
import io
import json
import math
import os
import pkgutil
import re
import sys
import tempfile
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import confmat as cm

ROOT = Path(__file__).resolve().parent.parent
CLOSE = 1e-12
# A block of code in Markdown.
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
# Words that differ from run to run.
CHANGING = re.compile(
    r"0x[0-9a-f]{6,}|/tmp/\S+|\d+(?:\.\d+)? (?:ms|s|seconds)\b|\b\d{4}-\d\d-\d\dT[\d:.+Z-]+"
)
Case = tuple[str, Callable[[], Any]]


# --- answers as JSON ------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return a value as JSON holds it."""
    if isinstance(value, (str, bool, type(None))):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, cm.Estimate):
        return [plain(each) for each in (value.value, value.low, value.high, value.method)]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Iterable):
        return [plain(each) for each in value]
    return repr(value)


def answer(call: Callable[[], Any]) -> Any:
    """Return what a call gives, or that it refuses, and in which words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return {"is": plain(call())}
        except Exception as error:  # noqa: BLE001 - whatever it raises is what it answers
            return {"refused": type(error).__name__, "words": str(error)}


def same(old: Any, new: Any) -> bool:
    """Whether two answers are the same, numbers to 1e-12."""
    if isinstance(old, float) or isinstance(new, float):
        numbers = all(isinstance(each, (int, float)) for each in (old, new))
        return numbers and (
            old == new
            or (math.isnan(old) and math.isnan(new))
            or abs(old - new) <= CLOSE * max(1, abs(old))
        )
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, str) and isinstance(new, str):
        return old == new or same_text(old, new)
    return type(old) is type(new) and old == new


def same_text(old: str, new: str) -> bool:
    """Whether texts differ by nothing but the last digits of numbers, and by what differs from run to run."""
    old, new = (CHANGING.sub("~", text) for text in (old, new))
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(a == b or same(float(a), float(b)) for a, b in pairs)


# --- examples -------------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every docstring of the package, and every page with code, as programs."""
    finder, parser = doctest.DocTestFinder(recurse=True), doctest.DocTestParser()
    for found in pkgutil.walk_packages(cm.__path__, "confmat."):
        try:
            module = importlib.import_module(found.name)
        except Exception:  # noqa: BLE001, S112 - a face whose library is not here, or the program itself
            continue
        for each in finder.find(module, found.name):
            if each.examples:
                steps = [example.source for example in parser.get_examples(each.docstring or "")]
                yield each.name, {"module": found.name, "steps": steps}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if blocks := BLOCK.findall(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), {"module": "", "steps": blocks}


def run_steps(program: dict[str, Any]) -> list[Any]:
    """Run the steps of an example one after the other; give what each prints, or how it fails."""
    try:
        known = vars(importlib.import_module(program["module"])) if program["module"] else {}
    except ImportError as error:
        return [{"refused": type(error).__name__, "words": str(error)}]
    names, printed = {**known, "__name__": "__main__"}, []
    for step in program["steps"]:
        output = io.StringIO()
        mode = "exec" if not program["module"] else "single"
        try:
            with contextlib.redirect_stdout(output), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(step, "<example>", mode), names)  # noqa: S102 - the examples are our own
        except Exception as error:  # noqa: BLE001 - many examples show an error
            printed.append({"refused": type(error).__name__, "words": str(error)})
        else:
            printed.append({"is": output.getvalue()})
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    return printed


# --- tables ---------------------------------------------------------------------------------------


def tables(texts: Path | None) -> Iterator[Case]:
    """The published and printed tables of the tests, and those that stand in a folder of texts."""
    data = ROOT / "tests" / "data"
    for table in json.loads((data / "published.json").read_text(encoding="utf-8"))["tables"]:
        build = partial(cm.ConfusionMatrix, table["matrix"], table.get("labels"))
        yield from whole(f"published {table['id']}", build)
        for claim in table["claims"]:
            said = {claim["metric"]: claim["value"]}
            yield f"published {table['id']} claims {said}", partial(asked, build, cm.audit, said)
    for line in (data / "tables.jsonl").read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        if each["how"] == "printed":
            yield f"printed {each['name']}", partial(read_text, each["text"], each["options"])
    reference = json.loads((data / "onedal_reference.json").read_text(encoding="utf-8"))
    for number, table in enumerate(square_tables(json.dumps(reference))):
        yield from whole(f"oneDAL {number}", partial(cm.ConfusionMatrix, table))
    for path in sorted(texts.glob("*.txt")) if texts else ():
        for number, table in enumerate(square_tables(path.read_text(encoding="utf-8"))):
            yield from whole(f"{path.name} {number}", partial(cm.ConfusionMatrix, table))
    for path in sorted((data / "files" / "v1").iterdir()):
        yield f"stored {path.name}", partial(cm.load, path)


def read_text(text: str, options: dict[str, Any]) -> Any:
    """Read a printed matrix."""
    return importlib.import_module("confmat.io").read_printed(text, **options)


def square_tables(text: str) -> list[list[list[Any]]]:
    """Find the square tables of numbers that are written with brackets."""
    found = []
    for each in re.findall(r"\[\s*\[[^\[\]]*\](?:\s*,?\s*\[[^\[\]]*\])*\s*,?\s*\]", text):
        with contextlib.suppress(ValueError, SyntaxError):
            rows = ast.literal_eval(re.sub(r"(?<=\d)\s+(?=[\d-])|(?<=\])\s+(?=\[)", ",", each))
            if all(len(row) == len(rows) for row in rows) and len(rows) > 1:
                found.append(rows)
    return found


def whole(name: str, build: Callable[[], Any]) -> Iterator[Case]:
    """Ask a matrix everything: its report with intervals, its print, its confusions."""
    yield f"{name}: report", partial(asked, build, cm.report)
    yield f"{name}: intervals", partial(asked, build, partial(cm.report, intervals=True))
    yield f"{name}: print", partial(asked, build, str)
    yield f"{name}: scores", partial(asked, build, scores)
    yield f"{name}: confusions", partial(asked, build, cm.top_confusions)


def asked(build: Callable[[], Any], question: Callable[..., Any], *more: Any) -> Any:
    """Make a matrix, and ask it."""
    return question(build(), *more)


# --- random matrices ------------------------------------------------------------------------------

AVERAGES = ("macro", "micro", "weighted", "geometric", "harmonic")
# A value of each family of metrics.
FAMILIES = ("f2", "f0.5")
METHODS: tuple[Any, ...] = (
    "wilson",
    "exact",
    "wald",
    "score",
    "bayes",
    "bootstrap",
    "jeffreys",
    "agresti-coull",
    "mid-p",
    "fisher",
)


def random_matrix(seed: int) -> Any:
    """Make a matrix of a kind that the seed names."""
    rng = np.random.default_rng(seed)
    kind, size = seed % 8, int(rng.integers(2, 9))
    labels = [f"c{place}" for place in range(size)]
    table = rng.integers(0, int(rng.choice([3, 12, 60, 900])), (size, size))
    table = table * rng.integers(0, 2, (size, size)) + np.diag(rng.integers(0, 90, size))
    if kind == 1:
        return cm.ConfusionMatrix(table * rng.uniform(0.1, 3, (size, size)), labels)
    if kind == 2:
        size = int(rng.integers(20, 60))
        sparse = np.zeros((size, size), dtype=np.int64)
        sparse[rng.integers(0, size, 90), rng.integers(0, size, 90)] = rng.integers(1, 50, 90)
        return cm.ConfusionMatrix(sparse).sparse()
    if kind == 3:
        table[-1, -1] = 0
        return cm.ConfusionMatrix(table, [*labels[:-1], "(invalid)"], outside=["(invalid)"])
    if kind == 4:
        table[0, 0] = 10 ** int(rng.integers(4, 8))
        return cm.ConfusionMatrix(table, labels)
    if kind == 5:
        return cm.ConfusionMatrix(
            table * 2 ** int(rng.integers(20, 40)) + rng.integers(0, 9, table.shape), labels
        )
    if kind == 6:
        return cm.ConfusionMatrix(table[:2, :2], ["no", "yes"], positive="yes")
    if kind == 7:
        # Nearly all items in one class, up to 2**45 of them.
        table = rng.integers(0, 4, (size, size))
        table[1, 1] = 2 ** int(rng.integers(20, 46))
        return cm.ConfusionMatrix(table, labels)
    return cm.ConfusionMatrix(table, labels)


def scores(m: Any) -> dict[str, Any]:
    """Every metric of a matrix, under every average."""
    found: dict[str, Any] = {}
    for name in [*cm.metrics.catalog(), *FAMILIES]:
        metric = cm.metric(name)
        found[name] = answer(partial(metric, m))
        if isinstance(found[name].get("is"), list):
            for average in AVERAGES:
                found[f"{name}.{average}"] = answer(partial(metric, m, average=average))
    return found


def random_intervals(seed: int) -> dict[str, Any]:
    """Intervals of some scores of a matrix, by the methods in turn."""
    m, found = random_matrix(seed), {}
    names = [*cm.metrics.catalog()]
    rng = np.random.default_rng([seed, 1])
    for place, name in enumerate(["accuracy", "f1", "f1.macro", "kappa", *rng.choice(names, 8)]):
        method = METHODS[(seed + place) % len(METHODS)]
        options: dict[str, Any] = {"draws": 200} if method in {"bayes", "bootstrap"} else {}
        design: Any = "actual" if place % 5 == 4 else "multinomial"
        found[f"{name} {method} {design}"] = answer(
            partial(cm.interval, m, str(name), method=method, design=design, **options)
        )
        if place < 4:
            found[name] = answer(partial(cm.interval, m, str(name)))
    return found


def compared(seed: int) -> dict[str, Any]:
    """Two models, paired and not, and a stack of groups."""
    rng = np.random.default_rng([seed, 2])
    truth = rng.integers(0, 4, 300)
    models = {
        name: np.where(rng.random(300) < share, truth, rng.integers(0, 4, 300))
        for name, share in (("a", 0.7), ("b", 0.8))
    }
    groups = rng.choice(["x", "y", "z"], 300)
    stack = cm.count(truth, models["a"], by=groups)
    return {
        "paired": answer(partial(cm.compare_predictions, truth, models)),
        "unpaired": answer(
            partial(cm.compare, {name: cm.count(truth, each) for name, each in models.items()})
        ),
        "groups": answer(partial(cm.report, stack)),
        "clusters": answer(partial(cm.interval, stack, "f1.macro")),
        "costs": answer(partial(cm.interval, cm.count(truth, models["a"]), "expected_cost")),
    }


def randoms(seeds: Iterable[int]) -> Iterator[Case]:
    """Random matrices under every metric and average, and intervals of some scores of each."""
    for seed in seeds:
        yield f"random {seed}: scores", partial(asked, partial(random_matrix, seed), scores)
        yield f"random {seed}: intervals", partial(random_intervals, seed)
        if seed % 20 == 0:
            yield f"random {seed}: compared", partial(compared, seed)


# --- commands -------------------------------------------------------------------------------------

TRUTH = ["Cat", "Cat", "Dog", "Hen", "Hen", "Hen", "Dog", "Cat"] * 9
GUESS = ["Cat", "Dog", "Dog", "Hen", "Cat", "Hen", "Hen", "Cat"] * 9
OTHER = ["Cat", "Cat", "Dog", "Hen", "Hen", "Hen", "Hen", "Dog"] * 9


def make_files() -> None:
    """Write the files that the commands read into the current folder."""
    rows = list(zip(TRUTH, GUESS, OTHER, strict=True))
    heads = "id,site,y_true,y_pred,other,w,p_Cat,p_Dog,p_Hen,p,bin"
    lines = []
    for n, (a, b, c) in enumerate(rows):
        cat, dog = n % 4 / 10, n % 3 / 10
        score = n * 37 % 100
        numbers = f"{1 + n % 4},{cat},{dog},{1 - cat - dog:.1f},{score / 100},{int(score > 40)}"
        lines.append(f"{n},{'nse'[n % 3]},{a},{b},{c},{numbers}")
    text = "\n".join([heads, *lines]) + "\n"
    files = {
        "preds.csv": text,
        "preds.tsv": text.replace(",", "\t"),
        "preds.jsonl": "".join(
            json.dumps(dict(zip(heads.split(","), line.split(","), strict=True))) + "\n"
            for line in lines
        ),
        "odd.csv": text.replace("Cat,Dog", "Cat,bird", 3)
        .replace("Hen,Hen", "Hen,", 2)
        .replace("Dog,Dog", "Dog,NA", 2),
        "semicolon.csv": text.replace(",", ";"),
        "tallied.csv": "actual,predicted,n\nCat,Cat,40\nCat,Dog,3\nDog,Dog,31\nDog,Cat,9\n",
        "answers.csv": "actual,predicted\n"
        + "Cat,cat.\nDog,The answer is Dog\nDog,I cannot say\nHen,**Hen**\n" * 5,
        "several.csv": "actual,predicted\n" + "Cat;Dog,Cat\nDog,Dog;Hen\nHen,Hen\n,Cat\n" * 5,
        "judged.csv": "llm,model,checked\n"
        + "Cat,Cat,Cat\nHen,Hen,\nHen,Cat,Cat\nHen,Hen,Hen\n" * 9,
        "printed.txt": "     Cat  Dog  Hen\nCat   18    9    0\nDog    0    9    9\nHen    9    0   18\n",
        "table.md": "| | Cat | Dog |\n|---|---|---|\n| Cat | 5 | 1 |\n| Dog | 2 | 7 |\n",
        "table.csv": ",Cat,Dog\nCat,5,1\nDog,2,7\n",
        "table.tex": "\\begin{tabular}{lrr}\n & Cat & Dog \\\\\nCat & 5 & 1 \\\\\nDog & 2 & 7 \\\\\n\\end{tabular}\n",
        "empty.csv": "",
        "heads.csv": "y_true,y_pred\n",
        "broken.json": '{"labels": ["a", "b"], "counts": [[1, 2]',
        "claims.json": '{"accuracy": 0.70, "recall[Cat]": 0.50, "f1.macro": 0.66}',
        "claims.csv": ",precision,recall\nCat,0.67,0.67\nDog,0.50,0.50\n",
        "names.csv": "alias,label\npuss,Cat\n",
        "classes.txt": "animal/mammal/Cat\nanimal/mammal/Dog\nanimal/bird/Hen\n",
        "costs.json": '{"costs": {"Cat": {"Hen": 5}}, "default": 1}',
        "prices.json": '{"fp": 1, "fn": 5}',
        "tags.true": "I O\nlive O\nin O\nNew B-LOC\nYork I-LOC\n\nAnn B-PER\nsings O\n",
        "tags.guess": "I O\nlive O\nin O\nNew B-LOC\nYork O\n\nAnn B-ORG\nsings O\n",
        "day-1.csv": text,
        "day-2.csv": text.replace("Cat,Dog", "Dog,Dog"),
    }
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    cm.save(cm.count(TRUTH, GUESS), "old.json")
    cm.save(cm.count(TRUTH, OTHER), "new.json")
    cm.save(cm.count(TRUTH, OTHER), "new.csv")
    cm.save(
        cm.count(["n", "y", "y", "n"] * 30, ["n", "y", "n", "n"] * 30, positive="y"), "binary.json"
    )
    cm.save(cm.count(TRUTH, GUESS, by=list("nse") * 24), "sites.json")
    for name in ("true", "guess"):
        Path(name).mkdir()
        maps = (
            np.arange(64).reshape(8, 8) // 9 % 3
            if name == "true"
            else np.arange(64).reshape(8, 8) // 10 % 3
        )
        np.save(Path(name, "street.npy"), maps)
    boxes = [
        {"image_id": 1, "category_id": 1 + n % 2, "bbox": [n * 9, 5, 20, 20], "score": 0.9 - n / 20}
        for n in range(6)
    ]
    truth = {
        "images": [{"id": 1, "file_name": "a.png", "width": 100, "height": 100}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [
            {
                "id": n,
                "image_id": 1,
                "category_id": 1 + n % 2,
                "bbox": [n * 9 + n, 6, 20, 20],
                "area": 400,
                "iscrowd": 0,
            }
            for n in range(5)
        ],
    }
    Path("truth.json").write_text(json.dumps(truth), encoding="utf-8")
    Path("boxes.json").write_text(json.dumps(boxes), encoding="utf-8")
    with contextlib.suppress(ImportError):
        arrow = importlib.import_module("pyarrow.csv")
        table = arrow.read_csv("preds.csv")
        importlib.import_module("pyarrow.parquet").write_table(
            table, "preds.parquet", row_group_size=20
        )
        importlib.import_module("pyarrow.feather").write_feather(table, "preds.arrow")


def command_lines() -> Iterator[str]:
    """Every command, on what it reads, with the options of a day."""
    sources = [
        "preds.csv",
        "preds.tsv",
        "preds.jsonl",
        "preds.parquet",
        "preds.arrow",
        "semicolon.csv",
        "old.json",
    ]
    sources += [
        "new.csv",
        "table.csv",
        "table.md",
        "table.tex",
        "printed.txt",
        "tallied.csv",
        "binary.json",
    ]
    sources += [
        "sites.json",
        "odd.csv",
        "empty.csv",
        "heads.csv",
        "broken.json",
        "absent.csv",
        "answers.csv",
        "day-*.csv",
    ]
    for source in sources:
        yield f"count {source}"
        yield f"report {source}"
        yield f"show {source}"
    formats = ("table", "markdown", "latex", "csv", "tsv", "json", "jsonl", "html")
    for form in formats:
        yield f"count preds.csv -f {form}"
        yield f"report preds.csv -f {form} --intervals"
        yield f"report preds.csv --by site -f {form}"
        yield f"show old.json -f {form}"
        yield f"compare preds.csv -a y_true -p y_pred -p other -f {form}"
        yield f"audit old.json --claims claims.json -f {form}"
        yield f"merge old.json new.json -f {form}"
        yield f"gate old.json new.json --no-worse accuracy=0.05 -f {form}"
        yield f"metrics -f {form}"
        yield f"count preds.csv -o out.{form}"
        yield f"show old.json --top 3 -f {form}"
        yield f"spans tags.true tags.guess -f {form}"
    for source in ("preds.csv", "preds.jsonl", "preds.parquet", "preds.arrow"):
        for options in (
            "-a y_true -p other",
            "--by site",
            "-w w",
            "-l Cat,Dog,Hen",
            "-l Cat,Dog --other drop",
            "-l Cat,Dog --other collect",
            "-l Cat,Dog",
            "--scores p_Cat,p_Dog,p_Hen -l Cat,Dog,Hen",
            "--scores 'p_*'",
            "--scores 'p_*' --top-k 2",
            "-a bin --scores p --threshold 0.3",
            "--hierarchy classes.txt --roll-up 1",
            "--costs costs.json",
            "--metrics accuracy,f1.macro,mcc,kappa",
            "--metrics nonsense",
            "--threads 2 --memory 100MB",
            "--max-pairs 2",
            "--missing-value Cat",
            "--fail-under f1.macro=0.9",
            "--fail-over error_rate=0.9",
            "-a nowhere",
            "--tally w",
            "--digits 6 --averages macro,micro",
        ):
            yield f"report {source} {options}"
            if "--fail" not in options and "--metrics" not in options and "--digits" not in options:
                yield f"count {source} {options} -f json"
    yield from (
        "",
        "--help",
        "--version-of-nothing",
        "cuont",
        "count",
        "count preds.csv --json",
        "report odd.csv --missing drop --missing-value NA",
        "report odd.csv --missing collect",
        "report answers.csv --any-spelling -l Cat,Dog,Hen --other collect",
        (
            "report answers.csv --extract answer-is,first-line -l Cat,Dog,Hen --refused 'I cannot*' "
            "--other collect"
        ),
        "report answers.csv --aliases names.csv -l Cat,Dog,Hen --other drop",
        "report several.csv --sep ';'",
        "report several.csv --sep ';' --matrix",
        "report judged.csv -p model --judge llm --gold checked --intervals",
        "report judged.csv -p model --judge llm",
        "report table.csv --rows predicted",
        "report sites.json",
        "thresholds preds.csv -a bin --scores p --positive 1",
        "thresholds preds.csv -a bin --scores p --positive 1 --best f1,recall.macro -f json",
        "thresholds preds.csv -a y_true --scores p_Cat --positive Cat --costs prices.json",
        "thresholds preds.csv",
        "compare old.json new.json",
        "compare old.json new.json --different-items",
        "compare old.json new.json --classes f1",
        "compare old.json new.json --costs costs.json",
        "compare -a y_true -p y_pred -p other preds.csv --metrics accuracy,f1.macro",
        "compare -a y_true -p first=y_pred -p second=other preds.parquet --metrics f1.macro,mcc",
        "compare -a y_true -p y_pred -p other preds.csv --diagnostic Cat",
        "compare -a y_true -p y_pred -p other preds.csv --costs costs.json",
        "compare -a y_true -p y_pred -p other preds.csv --hierarchy classes.txt --roll-up 2",
        "compare day-1.csv day-2.csv",
        "compare sites.json sites.json",
        "compare old.json",
        "gate old.json new.json --no-worse accuracy=0.05 --different-items",
        "gate old.json new.json --no-worse f1.macro=0.01 --same-items",
        "gate old.json new.json --at-most error_rate=0.3 --at-least 'recall[Cat]=0.9'",
        (
            "gate old.json new.json --no-worse f1.macro=0.01 --undecided pass --junit gate.xml "
            "--summary gate.md"
        ),
        "gate old.json new.json",
        "gate -a y_true -p y_pred -p other preds.csv --no-worse accuracy=0.05",
        "gate -a y_true -p y_pred -p other preds.arrow --no-worse balanced_accuracy=0.2",
        "audit old.json --claims claims.json",
        "audit table.csv --claims claims.csv",
        "audit printed.txt --claims claims.json --strict",
        "audit printed.txt -c accuracy=0.62 -c 'precision[Cat]=0.67' --rows predicted",
        "audit old.json -c accuracy=0.7 -c f1.macro=0.62 --total 72",
        "audit old.json",
        "infer --total 100 --positives 40 -c accuracy=0.93 -c precision=0.91",
        "infer -c accuracy=0.93 -c recall=0.91 -c precision=0.88 --total 1000 --metrics mcc,kappa",
        (
            "infer -s Cat=6 -s Fish=10 -s Hen=9 -c accuracy=0.48 -c 'precision[Cat]=0.308' -c "
            "'recall[Cat]=0.667'"
        ),
        "infer -c accuracy=0.93",
        "merge old.json new.json",
        "merge day-1.csv day-2.csv",
        "merge old.json new.csv -o sum.json",
        "merge old.json broken.json",
        "merge old.json table.csv binary.json",
        "merge old.json sites.json",
        "show old.json --top 5",
        "show old.json --normalize actual",
        "show old.json --hierarchy classes.txt --roll-up 1",
        "show old.json --order worst",
        "show old.json --order cluster --normalize predicted",
        "show old.json --fold 2",
        "show old.json --of Cat",
        "show sites.json",
        "show printed.txt --rows predicted -o m.json",
        "html old.json -o page.html",
        "html preds.csv -o page.html --by site",
        "html -a y_true -p y_pred -p other preds.csv -o page.html",
        "html old.json new.json --compare -o page.html",
        "html preds.csv --examples id,site -o page.html",
        "html old.json --costs costs.json -m f0.5.macro -o page.html",
        "report old.json --outside bounds",
        "report old.json --outside exclude --intervals -f json",
        "count odd.csv --missing collect -l Cat,Dog,Hen --other collect -o out.json",
        "count preds.csv --every 10s",
        "count preds.csv --resume check.json -o out.csv",
        "count - --input csv",
        "spans tags.true tags.guess",
        "spans tags.true tags.guess --match overlap",
        "spans tags.true tags.guess -f json",
        "spans tags.true tags.guess --grades",
        "spans tags.true tags.guess --scheme IOB2 --partial",
        "segment true guess",
        "segment true guess -f json",
        "segment true guess --boundary 1",
        "segment true guess --per-image -f csv",
        "segment true guess --ignore 2 -l road,car,sky",
        "detect truth.json boxes.json",
        "detect truth.json boxes.json -f json",
        "detect truth.json boxes.json --iou 0.3",
        "detect truth.json boxes.json --iou 0.5,0.75 --confidence 0.5",
        "detect truth.json boxes.json --coco",
        "detect truth.json boxes.json --matching confidence --html page.html",
        "metrics",
        "metrics kappa",
        "explain f1",
        "explain kappa",
        "explain nonsense",
        "completion bash",
    )
    for name in (
        "count",
        "report",
        "show",
        "compare",
        "gate",
        "audit",
        "infer",
        "merge",
        "html",
        "thresholds",
    ):
        yield f"{name} --help"
    for name in ("spans", "segment", "detect", "metrics", "explain", "completion", "demo"):
        yield f"{name} --help"


def run_command(line: str) -> dict[str, Any]:
    """Run a command in a folder with the files; give its status, both streams, and the files that it wrote."""
    import shlex
    from glob import glob

    main = importlib.import_module("confmat.cli").main
    before, here = set(), os.getcwd()  # noqa: PTH109 - to come back to
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            make_files()
            before = set(os.listdir())  # noqa: PTH208
            words = [name for word in shlex.split(line) for name in (sorted(glob(word)) or [word])]  # noqa: PTH207
            out, err = io.StringIO(), io.StringIO()
            status: Any = 0
            with (
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                try:
                    main(words)
                except SystemExit as ended:
                    status = ended.code
                except Exception:  # noqa: BLE001 - a raw traceback is an answer, too
                    status = traceback.format_exc(limit=1)
            written = {
                name: Path(name).read_text(encoding="utf-8")
                for name in sorted(set(os.listdir()) - before)  # noqa: PTH208
            }
        finally:
            os.chdir(here)
    found = {"out": out.getvalue(), "files": written, "status": status}
    return (
        {"refused": str(status), "words": err.getvalue(), **found}
        if status == 2
        else {"is": found, "err": err.getvalue()}
    )


# --- recording and comparing ----------------------------------------------------------------------


def cases(options: argparse.Namespace) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    """Yield the name of each case, its program if it has one, and the call that answers it."""
    if options.only in {"", "examples"} and options.mode == "record":
        for name, program in examples():
            yield f"example {name}", program, partial(run_steps, program)
    if options.only in {"", "commands"}:
        for line in command_lines():
            yield f"confmat {line}", None, partial(run_command, line)
    if options.only in {"", "tables"}:
        for name, call in tables(options.texts):
            yield name, None, partial(answer, call)
    if options.only in {"", "random"}:
        for name, call in randoms(range(options.skip, options.matrices)):
            yield name, None, partial(answer, call)


def record(options: argparse.Namespace) -> int:
    """Write every answer, a line each."""
    options.file.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with gzip.open(options.file, "wt", encoding="utf-8", compresslevel=4) as stream:
        for name, program, call in cases(options):
            stream.write(json.dumps([name, program, call()]) + "\n")
            count += 1
    print(f"{count:,} answers recorded")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Ask everything again; list faults in full, refusals by their words."""
    calls = {name: call for name, _, call in cases(options)}
    counts: Counter[str] = Counter()
    listed: defaultdict[str, list[str]] = defaultdict(list)
    with gzip.open(options.file, "rt", encoding="utf-8") as stream:
        for line in stream:
            name, program, old = json.loads(line)
            part = {"example": "examples", "confmat": "commands", "random": "random"}.get(
                name.split()[0], "tables"
            )
            if options.only not in {"", part} or (
                options.match and not re.search(options.match, name)
            ):
                continue
            new = (
                plain(run_steps(program) if program else calls[name]())
                if program or name in calls
                else {}
            )
            differences(name, old, new, counts, listed)
    for kind in ("another answer", "refused now", "answered now", "other words"):
        shown = listed[kind] if options.all or kind == "another answer" else listed[kind][:40]
        print(f"--- {kind}: {counts[kind]:,}")
        print("\n".join(shown))
    print(f"--- the same: {counts['the same']:,}")
    return int(counts["another answer"] > 0)


def differences(
    name: str, old: Any, new: Any, counts: Counter[str], listed: dict[str, list[str]]
) -> None:
    """Sort an answer into the same, another one, a refusal; look into those that hold many."""
    if isinstance(old, list) and isinstance(new, list):
        for place, (before, after) in enumerate(zip(old, new, strict=False)):
            differences(f"{name} [{place}]", before, after, counts, listed)
            # A refusal has no later steps: they would miss its names.
            if "is" in before and "refused" in after:
                return
        return
    if isinstance(old, dict) and not {"is", "refused"} & old.keys() and isinstance(new, dict):
        for key, before in old.items():
            differences(
                f"{name} {key}",
                before,
                new.get(key, {"refused": "absent", "words": ""}),
                counts,
                listed,
            )
        return
    inner = old.get("is")
    if (
        isinstance(inner, dict)
        and inner
        and all(
            isinstance(each, dict) and {"is", "refused"} & each.keys() for each in inner.values()
        )
    ):
        differences(name, inner, new.get("is", {}), counts, listed)
        return
    kind, words = sorted_into(old, new)
    counts[kind] += 1
    if kind != "the same" and words not in listed[kind]:
        listed[kind].append(f"{name}: {words}")


def sorted_into(old: Any, new: Any) -> tuple[str, str]:
    """Return what became of an answer, and the words that say it."""
    if "is" in old and "is" in new:
        kind = "the same" if same(old["is"], new["is"]) else "another answer"
        if kind == "the same" and not same(old.get("err", ""), new.get("err", "")):
            return "other words", f"{old['err']!r} -> {new['err']!r}"
        return kind, f"{excerpt(old['is'], new['is'])}"
    if "is" in old:
        return "refused now", f"{new.get('refused')}: {new.get('words', '')[:200]}"
    if "is" in new:
        return "answered now", f"{old['words'][:100]} -> {str(new['is'])[:100]}"
    alike = same(old["words"], new.get("words", "")) and old["refused"] == new.get("refused")
    return (
        ("the same", "")
        if alike
        else ("other words", f"{old['words'][:160]!r} -> {new.get('words', '')[:160]!r}")
    )


def excerpt(old: Any, new: Any) -> str:
    """Show where two answers part."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if not same(old[key], new.get(key)):
                return f"{key}: {excerpt(old[key], new.get(key))}"
    texts = [each if isinstance(each, str) else json.dumps(each) for each in (old, new)]
    place = next(
        (at for at, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts))
    )
    start = max(0, place - 40)
    return " -> ".join(repr(text[start : place + 60]) for text in texts)


def main() -> int:
    """Record or compare, as the command line says."""
    parser = argparse.ArgumentParser(
        description="Record the answers of the package, and ask again after a change."
    )
    parser.add_argument("mode", choices=("record", "compare"))
    parser.add_argument("file", type=Path, help="compressed lines of JSON")
    parser.add_argument(
        "--matrices", type=int, default=2000, metavar="N", help="random matrices (2000)"
    )
    parser.add_argument(
        "--skip",
        type=int,
        default=0,
        metavar="N",
        help="the first of them, asked by another process",
    )
    parser.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="texts whose tables are asked, too"
    )
    parser.add_argument(
        "--only", choices=("", "examples", "tables", "random", "commands"), default=""
    )
    parser.add_argument("--match", metavar="REGEX", help="compare only the cases whose name fits")
    parser.add_argument(
        "--all", action="store_true", help="list every refusal, not the first forty kinds"
    )
    options = parser.parse_args()
    os.environ.setdefault("COLUMNS", "100")
    return record(options) if options.mode == "record" else compare(options)


if __name__ == "__main__":
    sys.exit(main())
