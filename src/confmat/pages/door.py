"""The door of the report page: the values it takes, their matrices, and where the page goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    TextIO,
    TypeAlias,
    TypedDict,
    Unpack,
    get_args,
    overload,
)

from confmat.calibrating import Calibration, calibration
from confmat.comparison import Comparison, Gap, Ranking
from confmat.core.errors import ConfmatError, InputError
from confmat.core.files import write_text
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import Normalize, axis_named, door, one_of, whole_number
from confmat.core.sources import opened
from confmat.core.stack import Stack
from confmat.core.text import fit, printable
from confmat.costs.reports import CostReport
from confmat.deciding import Best, Curve, DecisionCurve
from confmat.detection import BoxErrors
from confmat.display.examples import MOST_PICTURES, Pictures
from confmat.display.html import Page, filled
from confmat.display.layout import Grouping
from confmat.display.payload import CROWDED, MANY, Choices
from confmat.display.summary import NOT_COMPARED, stacked
from confmat.hierarchy import Hierarchy
from confmat.intervals.asked import AXIS
from confmat.metrics.catalog import Score, one_number, parse_score, several
from confmat.pages.parts import add_boxes, add_costs, calibration_curves
from confmat.pages.small import small_page, small_parts
from confmat.pages.sweep import is_sweep, swept

if TYPE_CHECKING:
    from confmat.io.logs import EvalLog

Order = Literal["auto", "given", "alphabetical", "support", "worst", "cluster", "hierarchy"]
Shading = Literal["auto", Normalize, "excess"]
Subject = (
    ConfusionMatrix
    | Stack
    | Mapping[Any, ConfusionMatrix]
    | Best
    | Curve
    | BoxErrors
    | Comparison
    | CostReport
    | Calibration
    | Gap
    | Ranking
    | DecisionCurve
    | Mapping[Any, Calibration]
)
# Paths and logs too, alone or by their names.
Source: TypeAlias = "Subject | str | os.PathLike[str] | EvalLog | Mapping[str, Any]"


class PageOptions(TypedDict, total=False):
    """Options of `html` that its kind of result does not depend on."""

    examples: Mapping[tuple[Any, Any], Iterable[Any]] | None
    images: Any
    image_bytes: int
    title: str | None
    normalize: Shading | None
    order: Order
    class_groups: Grouping
    scores: Iterable[Any]
    height: int
    overwrite: bool


@overload
def html(m: Source, file: None = None, **options: Unpack[PageOptions]) -> Page: ...
@overload
def html(m: Source, file: str | os.PathLike[str], **options: Unpack[PageOptions]) -> Path: ...
@overload
def html(m: Source, file: TextIO, **options: Unpack[PageOptions]) -> TextIO: ...
@opened  # type: ignore[misc]  # it takes the first argument by name, too
@door
def html(
    m: Subject,
    file: str | os.PathLike[str] | TextIO | None = None,
    *,
    examples: Mapping[tuple[Any, Any], Iterable[Any]] | None = None,
    images: Any = None,
    image_bytes: int = MOST_PICTURES,
    title: str | None = None,
    normalize: Shading | None = "auto",
    order: Order = "auto",
    class_groups: Grouping = True,
    scores: Iterable[Any] = (),
    height: int = 800,
    overwrite: bool = True,
) -> str | Path | TextIO:
    """A report as one HTML file: scores, ranked confusions, a heat map to walk in, and examples of each cell.

    Parameters
    ----------
    m
        A matrix, or the path of one or of a log of an evaluation; or several, as a mapping or a
        Stack, which are then compared: but those of a stack along "label", "image", "document",
        "cluster", "item" or "iou" are no rivals, and are beside each other. Those along
        "threshold" or "confidence" have a slider, and curves with their intervals, as has what
        `best`, `roc` or `pr_curve` gave; it opens where F1, or the first of `scores`, is best. A
        Comparison knows more: that of `compare_predictions` has the paired tests, and the items
        that are fixed and broken. Where the keys are dates, or the axis is "epoch", "day" or the
        like, each matrix is compared with the one before it. The result of `calibration` brings its
        reliability diagram and the histogram of scores, that of `box_errors` kinds of errors,
        average precision and examples, that of `cost_report` the cost of each cell, by which the
        map is shaded and the list is ranked. What holds no matrix has a small page of its
        sentences, picture and table: the result of `gap`, `decision_curve`, `compare_scores` or
        `Comparison.ranking`, and several such or several calibrations by name.
    file
        A path, whose file appears whole or not at all; an open text file; or None for the text of
        the page.
    examples
        The items of a cell, by (actual, predicted): lists of texts, of tuples or of mappings of
        column to value; of models compared on the same items, by (actual, (answer of the first,
        answer of the second)). A value is shown as a small picture if it is one (an array, an image
        of Pillow, a `data:` text) or names a file of one, with spans if it is {"text": ...,
        "spans": [(start, end, name), ...]}, and as text otherwise.
    images
        Where the pictures are that examples name: a folder, by default that of the page; or a
        mapping, a list or a function that gives a path or a picture for the value in their column
        "image". A "true box" or "predicted box" (four corners, in pixels or relative) or "mask" in
        the same mapping is drawn on it.
    image_bytes
        How much all pictures may take in the page; each takes at most 8,000 bytes.
    title
        The heading.
    normalize
        The shades of the heat map at first: shares of the "actual" class, of the "predicted" class,
        of "all", None for counts, or "excess" for errors beyond those that quasi-independence
        expects; "auto" is "actual", and beyond 1,000 classes the excess of the errors that stand
        out. "true" and "pred", "row" and "column" are other names of the first two. The reader may
        change it.
    order
        The order of the classes at first; "auto" is "hierarchy", group by group, where
        `class_groups` are given, else as given up to 30 classes, and beyond those that are confused
        with each other side by side.
    class_groups
        Groups of classes that the reader may fold, as `m.merge` takes them, or a Hierarchy, which
        folds at any level; True is those of `confmat.class_groups`.
    scores
        Scores above everything, beside the usual ones: names such as "recall[Cat]" or metrics such
        as `cost(prices)`, each one number. Pages of pixels have the mean IoU where none is named.
    height
        The height of the frame, in pixels, in which a notebook shows the page that is not written
        to a file.
    overwrite
        Whether a file of that name may be replaced.

    Returns
    -------
    Path, TextIO or str
        Where the page was written; without a file, its text.

    Notes
    -----
    The page embeds the cells that are not zero and never a whole table. Beyond 500,000 of them, the
    smallest are left out of the heat map, and the page says how many.

    Examples
    --------
    >>> page = html(ConfusionMatrix([[4, 1], [2, 5]], ["cat", "dog"]), title="Pets")
    >>> "<title>Pets</title>" in page, "default-src 'none'" in page
    (True, True)
    """
    options: dict[str, Any] = {
        "examples": examples, "images": images, "image_bytes": image_bytes, "normalize": normalize, "order": order,
        "class_groups": class_groups, "scores": scores,
    }  # fmt: skip
    if (small := small_parts(m)) is not None:
        defaults = signature(html).parameters
        if given := [
            name for name, value in options.items() if value is not defaults[name].default
        ]:
            msg = f"the page of a {type(m).__name__} takes no {given[0]}, which is of matrices; leave it out"
            raise InputError(msg)
        _check_file(file)
        return _placed(small_page(small, title), file, height, overwrite=overwrite)
    shown = _subject(m, list(map(parse_score, several(scores, "scores"))))
    _check_file(file)
    models, labels = shown.models, next(iter(shown.models.values())).labels
    compares = len(models) > 1 and shown.axis not in NOT_COMPARED
    named = compares and len(models) < 4
    text = " and ".join(map(printable, models)) if named else "Confusion matrix"
    text += " by threshold" if shown.sweep else ""
    shade, crowded = _shades(normalize), labels.n_classes > CROWDED
    usual = "cost" if shown.is_priced else "excess" if crowded else "actual"
    chosen = Choices(
        title=fit(printable(text if title is None else title), 300),
        axis=shown.axis,
        compares=compares,
        normalize=usual if shade == "auto" else shade,
        only=crowded and not shown.is_priced and shade in {"auto", "excess"},
        order=_order(order, class_groups, labels.n_classes),
        examples=shown.examples if examples is None else examples,
        class_groups=class_groups,
        pictures=Pictures.read(images, image_bytes, file),
        scores=tuple(one_number(each, labels) for each in shown.scores),
        sweep=shown.sweep,
        parts=shown.parts,
    )
    page = filled(models, chosen, m if isinstance(m, Comparison) else None)
    return _placed(page, file, height, overwrite=overwrite)


def _check_file(file: Any) -> None:
    """Refuse what no page can be written to."""
    if (
        file is not None
        and not isinstance(file, (str, os.PathLike))
        and not callable(getattr(file, "write", None))
    ):
        msg = f"`file` is a path, an open text file, or None for the text of the page, not {type(file).__name__}"
        raise InputError(msg)


def _placed(page: str, file: Any, height: Any, *, overwrite: bool) -> Any:
    """Write a page and return where it is, or its text where no file is named."""
    if file is None:
        text = Page(page)
        text.height = whole_number("height", height)
        return text
    if not isinstance(file, (str, os.PathLike)):
        file.write(page)
        return file
    write_text(page, file, overwrite=overwrite)
    return Path(file)


class _Shown(NamedTuple):
    """The matrices that a page shows, with what their kind of result brings."""

    models: Mapping[Any, ConfusionMatrix]
    axis: str
    scores: list[Score]
    sweep: dict[str, Any] | None = None
    parts: tuple[Callable[[dict[str, Any]], None], ...] = ()
    examples: Any = None
    is_priced: bool = False


def _subject(m: Any, scores: list[Score]) -> _Shown:
    """Read the result that a page is of."""
    if isinstance(m, CostReport):
        shown = _subject(m.matrix, scores)
        return shown._replace(parts=(partial(add_costs, m),), is_priced=True)
    if isinstance(m, BoxErrors):
        shown = _subject(m.matrix, scores)
        return shown._replace(parts=(partial(add_boxes, m),), examples=m.examples)
    t, sweep = m.thresholds() if isinstance(m, Calibration) else m, None
    if is_sweep(t):
        models, sweep, scores = swept(t, scores)
        axis, calibrated = "threshold", _calibrated(m)
        if calibrated is not None:
            sweep["curves"][:0] = calibration_curves(calibrated, sweep["keys"])
    elif isinstance(t, ConfusionMatrix):
        models, axis = {"counts": t}, "model"
    else:
        stack = stacked(t, "a page shows")
        models, axis = dict(stack.items()), printable(stack.axis)
    return _Shown(models, axis, scores or _usual(models), sweep)


def _usual(models: Mapping[Any, ConfusionMatrix]) -> list[Score]:
    """The scores of some matrices beside the usual ones."""
    of_pixels = any(note.kind == "pixels" for m in models.values() for note in m.notes)
    return [parse_score("jaccard.macro")] if of_pixels else []


def _calibrated(m: Any) -> Calibration | None:
    """The calibration that is given, or that of a whole sweep of probabilities."""
    try:
        of_scores = isinstance(m, Stack) and m.axis == AXIS
        return m if isinstance(m, Calibration) else calibration(m) if of_scores else None
    except ConfmatError:
        return None


def _shades(normalize: Any) -> str:
    """The shades that are asked for, checked."""
    shade = "none" if normalize is None or normalize is False else normalize
    one_of("normalize", shade, ("none", *get_args(Shading)))
    return axis_named("normalize", shade) if shade in get_args(Normalize) else shade


def _order(order: Order, class_groups: Any, n_classes: int) -> str:
    """The order in which the classes are at first."""
    one_of("order", order, Order)
    has_groups = isinstance(class_groups, (Hierarchy, Mapping))
    if order == "hierarchy" and not has_groups:
        msg = "`order='hierarchy'` needs a Hierarchy or groups as `class_groups`"
        raise InputError(msg)
    usual = "hierarchy" if has_groups else "cluster" if n_classes > MANY else "given"
    return usual if order == "auto" else order
