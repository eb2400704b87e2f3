"""The law of names: whatever is one per class, stratum or column goes by its names, so a new order changes nothing.

The doors are derived from the signatures of all that is public: an argument of the kinds below that
no case crosses fails here.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import metrics as cmx

pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="Polars is not installed")
pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")

NAMES = ("a", "b", "c")
TABLE = np.array([[50, 7, 1], [3, 40, 5], [2, 0, 30]])
M = cm.ConfusionMatrix(TABLE, NAMES)
PRICES = np.array([[0, 1, 5], [9, 0, 2], [3, 4, 0]])
RATES = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]])
TRUTH = ["a", "b", "c", "a", "c", "b"]
SCORES = np.array(
    [
        [0.7, 0.2, 0.1],
        [0.1, 0.6, 0.3],
        [0.3, 0.3, 0.4],
        [0.2, 0.5, 0.3],
        [0.1, 0.2, 0.7],
        [0.4, 0.5, 0.1],
    ]
)
MASKS = [np.array([[0, 1, 2], [2, 1, 1]])], [np.array([[0, 1, 2], [2, 0, 1]])]
TOTALS: Any = {"b": 7, "a": 4, "c": 10}
STRATA = cm.count(TRUTH * 3, TRUTH[::-1] * 3, strata=[*"abc"] * 6)

# ---- one number for each name --------------------------------------------------------------------


def same_masks(names: Any) -> Any:
    return cm.count_masks(*MASKS, labels=names).reorder(["x", "y", "z"])


def compared(sizes: Any) -> Any:
    found = cm.compare_predictions(
        TRUTH * 3,
        {"one": TRUTH[::-1] * 3, "two": TRUTH * 3},
        strata=[*"abc"] * 6,
        sizes=sizes,
        metrics="accuracy",
    )
    return str(found)


def inferred(supports: Any) -> Any:
    found = cm.infer({"recall[a]": "0.862", "recall[b]": "0.833"}, supports=supports)
    assert found.verdict == "unique"
    return found.range("precision[a]"), found.range("kappa")


def prevalence(counts: Any) -> Any:
    return [one.value for one in cm.estimate_prevalence(counts, reference=M)]


# The door and its argument; what each of a, b and c has; the answer.
NUMBERS: list[tuple[str, str, list[Any], Callable[[Any], Any]]] = [
    ("<metric>", "weights", [1, 2, 3], lambda v: cm.f1(M, average="weighted", weights=v)),
    (
        "Metric.averaged",
        "weights",
        [1, 2, 3],
        lambda v: cm.recall.averaged(M, "geometric", weights=v)[0],
    ),
    ("interval", "weights", [1, 2, 3], lambda v: cm.interval(M, "f1", weights=v).low),
    (
        "interval",
        "at_prevalence",
        [0.2, 0.5, 0.3],
        lambda v: cm.interval(M, "accuracy", at_prevalence=v).low,
    ),
    (
        "ConfusionMatrix.from_rates",
        "totals",
        [4, 7, 10],
        lambda v: cm.ConfusionMatrix.from_rates(RATES, v, NAMES),
    ),
    (
        "audit",
        "supports",
        [58, 48, 32],
        lambda v: str(cm.audit(TABLE, {}, labels=NAMES, supports=v).errors),
    ),
    ("infer", "supports", [58, 48], inferred),
    (
        "estimate_prevalence",
        "counts",
        [30, 50, 40],
        prevalence,
    ),
    (
        "Stack.standardize",
        "sizes",
        [100, 300, 200],
        lambda v: cm.interval(STRATA.standardize(v), "accuracy").low,
    ),
    ("compare_predictions", "sizes", [100, 300, 200], compared),
    ("ConfusionMatrix.relabel", "names", ["x", "y", "z"], M.relabel),
    ("on_scale", "values", [1, 5, 9], lambda v: cmx.on_scale("mean_absolute_error", v)(M)),
    ("weighted_kappa", "values", [1, 5, 9], lambda v: cmx.weighted_kappa(values=v)(M)),
    ("gwet_ac2", "values", [1, 5, 9], lambda v: cmx.gwet_ac2(values=v)(M)),
    ("within", "values", [1, 5, 9], lambda v: cmx.within(4, values=v)(M)),
]
HOLDERS: dict[str, Callable[[list[str], list[Any]], Any]] = {
    "dict": lambda names, values: dict(zip(names, values, strict=True)),
    "pandas": lambda names, values: pd.Series(values, index=names),
    "pandas frame of one row": lambda names, values: pd.DataFrame([values], columns=names),
    "polars": lambda names, values: pl.DataFrame({"class": names, "value": values}),
    "arrow": lambda names, values: pa.table({"class": names, "value": values}),
}
# Where a part of the names is an answer of its own, by the help of the argument.
PARTIAL = {
    ("interval", "at_prevalence"),
    ("audit", "supports"),
    ("infer", "supports"),
    ("ConfusionMatrix.relabel", "names"),
    ("estimate_prevalence", "counts"),
}


def same(one: Any, other: Any) -> bool:
    """Whether two answers are one, up to rounding."""
    return (
        bool(one == other) if not isinstance(one, float) else one == pytest.approx(other, rel=1e-12)
    )


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize(
    ("door", "argument", "values", "ask"), NUMBERS, ids=[f"{x[0]}-{x[1]}" for x in NUMBERS]
)
def test_numbers_go_by_their_names(
    door: str, argument: str, values: list[Any], ask: Callable[[Any], Any], holder: str
) -> None:
    hold, names = HOLDERS[holder], list(NAMES[: len(values)])
    expected = ask(dict(zip(names, values, strict=True)))
    for order in permutations(range(len(values))):
        assert same(ask(hold([names[i] for i in order], [values[i] for i in order])), expected), (
            order
        )
    with pytest.raises(cm.ConfmatError):
        ask(hold([*names[1:], "stranger"], values))
    if (door, argument) not in PARTIAL:
        with pytest.raises(cm.ConfmatError):
            ask(hold(names[1:], values[1:]))


def test_masks_go_by_their_numbers() -> None:
    expected = same_masks({0: "x", 1: "y", 2: "z"})
    assert same_masks({2: "z", 0: "x", 1: "y"}) == expected
    assert same_masks(pd.Series(["z", "x", "y"], index=[2, 0, 1])) == expected
    assert same_masks(["x", "y", "z"]) == same_masks(pd.Series(["x", "y", "z"])) == expected
    instances = [np.stack([side[0]] * 2, axis=-1) for side in MASKS]
    listed, by_number = (
        cm.panoptic(*instances, labels=x)
        for x in (["x", "y", "z"], pd.Series([*"zxy"], index=[2, 0, 1]))
    )
    assert sorted(map(str, listed.table().texts())) == sorted(map(str, by_number.table().texts()))


# ---- tables --------------------------------------------------------------------------------------


def square(table: Any, order: tuple[int, ...], across: tuple[int, ...]) -> Any:
    whole = pd.DataFrame(table, index=NAMES, columns=NAMES)
    return whole.iloc[list(order), list(across)]


def saved(tmp_path: Path, frame: Any, corner: str = "") -> Any:
    path = tmp_path / "table.csv"
    frame.to_csv(path, index_label=corner)
    return path


SQUARE: dict[tuple[str, str], tuple[Any, Callable[[Any, Path], Any]]] = {
    ("ConfusionMatrix.from_frame", "frame"): (
        TABLE,
        lambda f, _: cm.ConfusionMatrix.from_frame(f).reorder(NAMES),
    ),
    ("ConfusionMatrix", "counts"): (
        TABLE,
        lambda f, _: cm.ConfusionMatrix.from_frame(f, labels=NAMES),
    ),
    ("ConfusionMatrix.from_predicted_rows", "counts"): (
        TABLE,
        lambda f, _: cm.ConfusionMatrix.from_frame(f.T, rows="predicted").reorder(NAMES),
    ),
    ("ConfusionMatrix.from_rates", "rows"): (
        RATES,
        lambda f, _: cm.ConfusionMatrix.from_rates(f, TOTALS, NAMES),
    ),
    ("io.from_sklearn", "array"): (TABLE, lambda f, _: cm.io.from_sklearn(f).reorder(NAMES)),
    ("io.from_csv", "text"): (
        TABLE,
        lambda f, _: cm.io.from_csv(f.to_csv(index_label="actual")).reorder(NAMES),
    ),
    ("read_printed", "text"): (
        TABLE,
        lambda f, _: cm.read_printed(f.to_string(), rows="actual").reorder(NAMES),
    ),
    ("read_printed", "labels"): (
        TABLE,
        lambda f, _: cm.read_printed(f.to_string(), rows="actual", labels=NAMES),
    ),
    ("audit", "m"): (
        TABLE,
        lambda f, _: str(cm.audit(f, {"recall[a]": "0.862", "f1.macro": "0.866"}).errors),
    ),
    ("audit", "labels"): (
        TABLE,
        lambda f, _: str(cm.audit(f, {"recall[a]": "0.862"}, labels=NAMES).errors),
    ),
    ("expected_cost", "costs"): (PRICES, lambda f, _: cm.expected_cost(M, f)),
    ("Costs", "costs"): (PRICES, lambda f, _: cmx.cost(cm.Costs(f))(M)),
    ("costs", "corner"): (
        PRICES,
        lambda f, _: cm.expected_cost(M, f.T.rename_axis(index="predicted\\actual")),
    ),
    ("costs", "matrix"): (
        PRICES,
        lambda f, _: cm.expected_cost(M, cm.ConfusionMatrix.from_frame(f)),
    ),
    ("audit", "matrix"): (
        TABLE,
        lambda f, _: str(
            cm.audit(cm.ConfusionMatrix.from_frame(f), {"recall[a]": "0.862"}, labels=NAMES).errors
        ),
    ),
    ("metrics.cost", "costs"): (PRICES, lambda f, _: cmx.cost(f)(M)),
    ("metrics.normalized_cost", "costs"): (PRICES, lambda f, _: cmx.normalized_cost(f)(M)),
    ("metrics.total_cost", "costs"): (PRICES, lambda f, _: cmx.total_cost(f)(M)),
    ("cost_report", "costs"): (PRICES, lambda f, _: cm.cost_report(M, f).total),
    ("costs.read_costs", "path"): (
        PRICES,
        lambda f, path: cmx.cost(cm.costs.read_costs(saved(path, f)))(M),
    ),
    ("costs.read_costs", "corner"): (
        PRICES,
        lambda f, path: cmx.cost(cm.costs.read_costs(saved(path, f.T, "predicted\\actual")))(M),
    ),
    ("costs", "axes"): (
        PRICES,
        lambda f, _: cm.expected_cost(M, f.T.rename_axis(index="predicted", columns="actual")),
    ),
}
"""Doors that read a square table by its names; both sides are permuted, each by itself."""


@pytest.mark.parametrize("door", SQUARE, ids=" ".join)
def test_square_tables_go_by_their_names(door: tuple[str, str], tmp_path: Path) -> None:
    table, ask = SQUARE[door]
    expected = ask(square(table, (0, 1, 2), (0, 1, 2)), tmp_path)
    for order in permutations(range(3)):
        for across in permutations(range(3)):
            assert same(ask(square(table, order, across), tmp_path), expected), (order, across)


def test_thresholds_are_best_by_named_prices() -> None:
    t = cm.thresholds(["a", "b", "b", "a"], [0.2, 0.7, 0.4, 0.5], labels=["a", "b"], positive="b")
    prices = pd.DataFrame([[0, 1], [9, 0]], index=["a", "b"], columns=["a", "b"])
    assert str(cm.best(t, costs=prices)) == str(cm.best(t, costs=prices.iloc[::-1, ::-1]))


# Tables with a column of scores, or of 0 and 1, for each class.
COLUMNS: dict[tuple[str, str], Callable[[Any, list[str] | None], Any]] = {
    ("compare_scores", "scores"): lambda f, labels: [
        one.value
        for one in cm.compare_scores(
            TRUTH, {"model": f}, labels=labels, metrics=["roc_auc[b]", "roc_auc[c]"]
        ).estimates.values()
    ],
    ("from_scores", "scores"): lambda f, labels: cm.from_scores(TRUTH, f, labels=labels).reorder(
        NAMES
    ),
    ("thresholds", "scores"): lambda f, labels: cm.roc_auc(
        cm.thresholds(TRUTH, f, labels=labels, of="b")
    ),
    ("calibration", "scores"): lambda f, labels: (
        cm.calibration(TRUTH, f, labels=labels, of="b").brier
    ),
    ("decision_curve", "scores"): lambda f, labels: cm.decision_curve(
        TRUTH, f, labels=labels, of="b"
    )["model"].y.sum(),
    ("top_k_accuracy", "scores"): lambda f, labels: cm.top_k_accuracy(TRUTH, f, k=2, labels=labels),
}


@pytest.mark.parametrize("prefix", ["", "p_", "score of "])
@pytest.mark.parametrize(
    "make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
@pytest.mark.parametrize("door", COLUMNS, ids=" ".join)
def test_columns_go_by_their_names(
    door: tuple[str, str], make: Callable[[Any], Any], prefix: str
) -> None:
    ask, frame = COLUMNS[door], pd.DataFrame(SCORES, columns=[prefix + name for name in NAMES])
    expected = ask(SCORES, list(NAMES))
    for order in permutations(range(3)):
        permuted = make(frame.iloc[:, list(order)])
        for labels in ([*NAMES], ["c", "a", "b"]) if prefix else (None, [*NAMES], ["c", "a", "b"]):
            assert same(ask(permuted, labels), expected), (order, labels)
    with pytest.raises(cm.ConfmatError):
        ask(make(frame.rename(columns={f"{prefix}a": "x"})), [*NAMES])


def _counted(frame: Any) -> list[Any]:
    """The rows that the query of a frame brings home."""
    connection = pytest.importorskip("duckdb").connect()
    connection.register("items", frame)
    text = cm.io.query(connection.table("items"), by="site")
    return sorted(connection.sql(text).fetchall())


# Tables with a row for each item, whose columns are asked by their names.
ROWS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("count_frame", "frame"): lambda f: cm.count_frame(f, by="site"),
    ("query", "frame"): _counted,
    ("thresholds_frame", "frame"): lambda f: str(
        cm.thresholds_frame(f, actual="y_pred", score="site", of="b", bins=2).counts
    ),
    ("calibration_frame", "frame"): lambda f: (
        cm.calibration_frame(f, "p", actual="y_true", of="a").brier
    ),
    ("compare_frame", "frame"): lambda f: str(
        cm.compare_frame(f, actual="y_true", predictions=["y_pred", "new"])
    ),
    ("Examples.from_frame", "frame"): lambda f: str(
        cm.Examples.from_frame(f, actual="y_true", predicted="y_pred", columns=["site"]).to_dict()
    ),
}


@pytest.mark.parametrize(
    "make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
@pytest.mark.parametrize("door", ROWS, ids=" ".join)
def test_columns_of_items_go_by_their_names(
    door: tuple[str, str], make: Callable[[Any], Any]
) -> None:
    columns = {"y_true": TRUTH, "y_pred": TRUTH[::-1], "new": TRUTH, "site": [0, 1] * 3}
    columns["p"] = [0.1, 0.9, 0.4, 0.6, 0.2, 0.7]
    expected = ROWS[door](make(pd.DataFrame(columns)))
    names = [*columns]
    for order in [names[::-1], *(names[place:] + names[:place] for place in range(1, len(names)))]:
        assert same(
            ROWS[door](make(pd.DataFrame({name: columns[name] for name in order}))), expected
        ), order


@pytest.mark.parametrize("labels", [None, [0, 1, 2], [2, 0, 1]])
def test_columns_called_by_numbers_are_these_classes(labels: list[int] | None) -> None:
    truth = [NAMES.index(name) for name in TRUTH]
    expected = cm.from_scores(truth, SCORES, labels=[0, 1, 2])
    frame = pd.DataFrame(SCORES)
    for order in permutations(range(3)):
        assert (
            cm.from_scores(truth, frame.iloc[:, list(order)], labels=labels).reorder([0, 1, 2])
            == expected
        )
        ones = (frame > 0.25).astype(int)
        assert (
            not cm.count_multilabel(ones, ones.iloc[:, list(order)], labels=labels)
            .counts[:, 0, 1]
            .any()
        )


def test_a_star_on_the_command_line_is_the_class(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from confmat.cli.program import cli

    path = tmp_path / "t.csv"
    path.write_text("y,p_b,p_a\na,.1,.9\nb,.8,.2\n")
    for given in (["--scores", "p_*"], ["--scores", "p_b,p_a"], ["--scores", "p_a,p_b"]):
        for labels in ("a,b", "b,a"):
            found = CliRunner().invoke(
                cli, ["count", str(path), *given, "-l", labels, "-a", "y", "-f", "json"]
            )
            assert found.exit_code == 0, found.output
            assert cm.accuracy(cm.io.from_json(found.output)) == 1
    found = CliRunner().invoke(cli, ["count", str(path), "--scores", "p_*", "-l", "a,c", "-a", "y"])
    assert found.exit_code


def test_names_of_a_printed_table_are_not_changed() -> None:
    text = pd.DataFrame([[5, 1], [2, 7]], index=["a", "b"], columns=["a", "b"]).to_string()
    for labels in (["b", "c"], ["x", "y"]):
        with pytest.raises(cm.LabelError, match="not in `labels`"):
            cm.read_printed(text, labels=labels, rows="actual")


# ---- every door ----------------------------------------------------------------------------------

# Types that leave room for several values.
SEVERAL = re.compile(r"\b(?:Any|Mapping|Iterable|Sequence|dict|list|tuple|Array)\b")
# Arguments that hold one entry for each class, stratum or column, wherever they are.
KINDS = {
    "scores",
    "costs",
    "values",
    "totals",
    "supports",
    "sizes",
    "at_prevalence",
    "names",
    "weights",
    "counts",
}
KINDS |= {"frame", "rows", "array"}
# Every other argument whose type leaves room for several values, by what it holds.
OTHERS = {
    "one for each item, in their order, or a column by its name": """
        actual predicted truth gold judge answer answers by clusters confidence probability strata tally sequences
        ratings overlaps images items predictions""",
    "a mapping, which has no places, or a value with names of its own": """
        groups matrices margins examples data peers claims nested parents pairs hierarchy comparison seed resume text
        aliases""",
    "names, in the order in which they are wanted": """
        labels outside order keys columns na_values averages metrics overall path paths places""",
    "one thing, or several for each of which there is an answer": """
        m thing label name key of positive metric score source ax cmap change dtype value k iou thresholds ignore things
        top bottom example cols diagonal total every judge_right figsize shades notes kept bins""",
}
# By item: one number for each item, in the order of the items, or columns of what is stored.
OF_ITEMS = {
    *("Tally.subtract", "Tally.update", "abstain", "compare_predictions", "count", "count_files"),
    *(
        "count_frame",
        "count_multilabel",
        "from_scores",
        "query",
        "risk_coverage",
        "thresholds",
        "top_k_accuracy",
    ),
}
REASONS = {
    "html scores": "names of metrics",
    "calibration_files scores": "names of columns",
    "Stack.from_array counts": "an array has no names",
    "weighted_kappa weights": "a table by place; one with names is refused",
    "read_yolo names": "the names themselves",
    "Hierarchy.distances_at rows": "nodes by their places",
}
ALIKE = {
    "calibration_frame scores": "calibration_files scores",
    "gwet_ac2 weights": "weighted_kappa weights",
}
# Faces have the signatures of others, over the same doors.
PLACES = {"", *vars(cm)["_ROOMS"]} - {"keras", "onedal", "sklearn", "torch"}


def doors() -> Iterator[tuple[str, str]]:
    """Every public function and method, with each of its arguments that may hold several values."""
    for place in PLACES:
        room = importlib.import_module(f"confmat.{place}" if place else "confmat")
        for name in room.__all__:
            thing = getattr(room, name)
            methods = vars(thing).items() if inspect.isclass(thing) else ()
            for called, function in [
                (name, thing),
                *((f"{name}.{key}", getattr(thing, key)) for key, _ in methods),
            ]:
                # The arguments of a value are checked where it is made; a method that is inherited
                # is its parent's.
                value = inspect.isclass(function) and function not in {cm.ConfusionMatrix, cm.Costs}
                child = called.partition(".")[0] in {"Judged", "Sample"}
                hidden = called.rpartition(".")[2].startswith("_")
                if value or child or hidden or not callable(function):
                    continue
                metric = type(function).__name__ in {"ClassMetric", "MatrixMetric"}
                for argument, one in inspect.signature(function).parameters.items():
                    holds_several = SEVERAL.search(str(one.annotation))
                    if holds_several and one.kind not in {one.VAR_KEYWORD, one.VAR_POSITIONAL}:
                        yield "<metric>" if metric else called, argument


def test_every_door_is_crossed() -> None:
    crossed = {(door, argument) for door, argument, _, _ in NUMBERS} | {
        ("best", "costs"),
        *COLUMNS,
        *ROWS,
    }
    crossed |= {
        (door.removeprefix("metrics.").removeprefix("io."), argument) for door, argument in SQUARE
    }
    found = set(doors())
    others = set(" ".join(OTHERS.values()).split())
    assert {argument for _, argument in found} <= KINDS | others
    left = {(door, argument) for door, argument in found if argument in KINDS} - crossed
    left -= {(door, "weights") for door in OF_ITEMS}
    excused = {tuple(key.split()) for key in [*REASONS, *ALIKE]}
    assert left - excused == set()
    assert len(REASONS) + len(OTHERS) <= 10
    assert set(ALIKE.values()) <= set(REASONS)


def test_one_class_has_one_number_however_it_is_spelt() -> None:
    m = cm.count([1, 2, 3] * 10, [1, 3, 2] * 10)
    with pytest.raises(cm.LabelError, match="twice"):
        cm.interval(m, "accuracy", at_prevalence={"1": 0.1, 1: 0.2, 2: 0.2, 3: 0.5})
    with pytest.raises(cm.LabelError, match="no label '9'"):
        cm.estimate_prevalence({"9": 3, "1": 4}, reference=m)


def test_a_verdict_that_passes_is_merged_with_none() -> None:
    found = cm.judged(["pass", "fail"] * 9, gold=["pass", "fail", None] * 6)
    with pytest.raises(cm.InputError, match="leave no share"):
        found.merge({"all": ["pass", "fail"]})


def test_sources_are_opened_by_name_too(tmp_path: Path) -> None:
    cm.save(M, tmp_path / "m.json")
    report: Any = cm.report
    compare: Any = cm.compare
    assert report(m=tmp_path / "m.json").overall == cm.report(M).overall
    assert str(compare(matrices={"one": tmp_path / "m.json", "two": M})) == str(
        cm.compare({"one": M, "two": M})
    )


def test_one_column_is_not_that_of_the_other_class() -> None:
    truth, frame = ["neg", "pos"] * 10, pd.DataFrame({"neg": [0.9, 0.1] * 10})
    for scores in (frame, frame["neg"]):
        for ask in (cm.from_scores, cm.thresholds):
            with pytest.raises(cm.LabelError, match="another class than 'pos'"):
                ask(truth, scores, positive="pos")
        assert cm.accuracy(cm.from_scores(truth, scores, positive="neg")) == 1


def test_texts_of_numbers_name_the_columns_of_numbers() -> None:
    truth = [NAMES.index(name) for name in TRUTH]
    frame = pl.DataFrame({str(place): SCORES[:, place] for place in (2, 0, 1)})
    assert cm.from_scores(truth, frame).reorder([0, 1, 2]) == cm.from_scores(truth, SCORES)
