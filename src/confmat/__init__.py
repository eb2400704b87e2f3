"""confmat: the confusion-matrix engine.

A confusion matrix is a sum of counted pairs; everything else is a function of that sum.
"""

from typing import Any as _Any

# An unknown kernel in the environment is reported at import and not in the middle of a count.
import confmat.kernels as _kernels  # noqa: F401
from confmat.core.errors import ConfmatError as _ConfmatError
from confmat.core.values import Scored as _Scored

# Rooms that are public under their own names. The front page itself is the stub beside this file: type checkers read
# it, and so does `_pages`; each name stands there once.
_ROOMS = [
    "costs",
    "deciding",
    "detection",
    "hierarchy",
    "io",
    "keras",
    "metrics",
    "multilabel",
    "onedal",
    "segmentation",
    "sklearn",
    "spans",
    "structure",
    "torch",
]

# Names that other packages have, or that people try, and the place of each here.
_SWEEP = "(confmat.thresholds(actual, scores))"
_PROBABILITIES = "it needs predicted probabilities, which confmat does not keep; use scikit-learn's"
_ELSEWHERE = {
    "auc": f"confmat.roc_auc{_SWEEP} is the area under the ROC curve, confmat.metrics.one_point_auc that of one matrix",
    "auroc": f"it is confmat.roc_auc{_SWEEP}",
    "roc_auc_score": f"it is confmat.roc_auc{_SWEEP}",
    "roc_curve": f"it is confmat.roc{_SWEEP}",
    "precision_recall_curve": f"it is confmat.pr_curve{_SWEEP}",
    "average_precision_score": f"it is confmat.average_precision{_SWEEP}",
    "confusion_matrix": "it is confmat.count(actual, predicted)",
    "multilabel_confusion_matrix": "it is confmat.count_multilabel(actual, predicted)",
    "mlcm": "it is confmat.count_multilabel(actual, predicted, matrix=True)",
    "subset_accuracy": "it is confmat.exact_match(confmat.count_multilabel(actual, predicted, along='item'))",
    "classification_report": "it is confmat.report(confmat.count(actual, predicted))",
    "log_loss": _PROBABILITIES,
    "brier_score": _PROBABILITIES,
    "brier_score_loss": _PROBABILITIES,
    "calibration": _PROBABILITIES,
    "calibration_curve": _PROBABILITIES,
    "bleu": "it compares texts; confmat counts labels",
    **dict.fromkeys(("heatmap", "heat_map"), "it is confmat.plot(matrix)"),
    **dict.fromkeys(
        ("sample_size", "power"), "confmat.items_needed(0.9, width=0.1) plans how many items a study takes"
    ),
    **dict.fromkeys(
        ("noninferiority", "non_inferiority", "no_worse", "equivalence", "tost"),
        "confmat.compare(...).of('accuracy').no_worse(0.01) says whether a margin holds, equivalent() on both sides",
    ),
    "diagnostic": "it is confmat.compare_predictions(...).diagnostic('sick')",
    # Names of earlier versions.
    "detections": "it is confmat.count_boxes",
    "catalogue": "it is confmat.catalog",
    "recognise": "it is confmat.recognize",
    "groups": "it is confmat.class_groups",
    "Groups": "it is confmat.structure.ClassGroups",
    "order": "it is confmat.structure.class_order",
    "pr": "it is confmat.pr_curve",
    "examples_of_files": "it is confmat.examples",
    "examples_of_detections": "confmat.detection.box_errors(...).examples gives it",
    "normalised_cost": "it is confmat.metrics.normalized_cost",
    "Inference": "confmat.infer gives it; its type: from confmat.auditing import Inference",
    "AlignmentWarning": "a ConfmatWarning: from confmat.core.errors import AlignmentWarning",
    "CompatibilityWarning": "a ConfmatWarning: from confmat.core.errors import CompatibilityWarning",
    "Role": "write: from confmat.display.roles import Role",
    "to_csv": "it is value.to_csv(), or confmat.save(value, 'file.csv')",
    "to_json": "it is confmat.io.to_json, or confmat.save(value, 'file.json')",
    "to_latex": "it is value.to_latex(), or confmat.save(value, 'file.tex')",
    "to_markdown": "it is value.to_markdown(), or confmat.save(value, 'file.md')",
}


def _pages() -> dict[str, str]:
    """Read the front page from its stub: the module of each name."""
    import ast
    from pkgutil import get_data

    if "_page" not in globals():
        # Not by a path: the package may be in a zip.
        tree = ast.parse(get_data("confmat", "__init__.pyi") or b"")
        globals()["_page"] = {
            alias.name: statement.module
            for statement in tree.body
            if isinstance(statement, ast.ImportFrom) and statement.module
            for alias in statement.names
            if statement.level == 0
        }
    page: dict[str, str] = globals()["_page"]
    return page


def __getattr__(name: str) -> _Any:
    from importlib import import_module

    if name == "__all__":
        value: _Any = sorted(_pages())
    elif name in _pages():
        value = getattr(import_module(_pages()[name]), name)
    elif name in _ROOMS:
        value = import_module(f"confmat.{name}")
    else:
        msg = f"module 'confmat' has no attribute {name!r}{'' if name.startswith('_') else _hint(name)}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def _hint(name: str) -> str:
    """Where something of this name is, or the names that are spelt nearly so."""
    from confmat import metrics
    from confmat.core.text import meant

    if name in _ELSEWHERE:
        return f"; {_ELSEWHERE[name]}"
    for room in (metrics, metrics.coefficients):
        if name in room.__all__:
            return f"; it is {room.__name__}.{name}"
    try:
        own = getattr(metrics.parse_score(name).metric, "name", "")
    except _ConfmatError as error:
        for place in _ROOMS:
            if name in _listed(f"confmat.{place}"):
                return f"; it is confmat.{place}.{name}"
        if "is spelt" in str(error):
            return f": {str(error).partition('; ')[2]}"
        return meant(name, sorted(_pages()), 2)
    return f"; it is confmat.{own}" if own in _pages() else f"; confmat.metric({name!r}) gives it"


def _way_of_score(name: str) -> str:
    """How a matrix is asked for the score of this name; empty where no score is spelt nearly so."""
    from difflib import get_close_matches

    from confmat.metrics import catalog, parse_score

    try:
        near = [str(parse_score(name))]
    except _ConfmatError as error:
        _, is_score, spelling = str(error).partition("the score is spelt ")
        if is_score:
            return f"the score is spelt {spelling}"
        near = get_close_matches(name.lower(), catalog(), 1, 0.75)
    return f"scores are functions of the matrix, such as confmat.score(m, {near[0]!r})" if near else ""


_Scored._way_of_score = staticmethod(_way_of_score)


def _listed(room: str) -> list[str]:
    """Read the names that a room lists, without importing it."""
    import ast
    from importlib.util import find_spec

    loader: _Any = getattr(find_spec(room), "loader", None)
    for statement in ast.parse(loader.get_source(room) or "").body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(statement.value)
            return names
    return []


def __dir__() -> list[str]:
    return sorted([*_pages(), *(name for name in globals() if name.startswith("__"))])
