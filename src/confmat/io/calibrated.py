"""`calibration_frame` and `calibration_files`: scores summed by bin, in one group-by or batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import mul
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from confmat.calibrating import Bins, Calibration, calibration
from confmat.calibrating.bins import SUMS, Closed, Equal, read_bins
from confmat.calibrating.door import CalibrationOptions, of_labels
from confmat.core.errors import InputError, Message
from confmat.core.files import about
from confmat.core.options import as_list, door, one_of
from confmat.deciding.model_scores import Missing, read_probabilities, read_truth
from confmat.io.counting import texts_of
from confmat.io.frames import MAX_PAIRS, asking
from confmat.io.queries import (
    COL,
    ROW,
    Asked,
    Opened,
    collected,
    find_column,
    find_columns,
    native_of,
    opened,
    renamed,
)
from confmat.io.samples import Scores, batches
from confmat.io.sources import Format, sources
from confmat.io.threads import Clock, Told

Array = NDArray[Any]
# Edges that an engine compares each score with, one by one.
_MOST_EDGES = 200
# Bins of rows without a score, and of those whose score is none.
_ABSENT, _BEYOND = -1, -2


@overload
def calibration_frame(
    frame: Any,
    scores: Any,
    *,
    of: Literal["each"],
    actual: Any = None,
    **options: Unpack[CalibrationOptions],
) -> dict[Any, Calibration]: ...
@overload
def calibration_frame(
    frame: Any,
    scores: Any,
    *,
    of: Any = None,
    actual: Any = None,
    **options: Unpack[CalibrationOptions],
) -> Calibration: ...
@door
def calibration_frame(
    frame: Any,
    scores: Any,
    *,
    actual: Any = None,
    bins: Any = 15,
    equal: Equal = "width",
    closed: Closed = "left",
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    of: Any = None,
    missing: Missing = "error",
) -> Calibration | dict[Any, Calibration]:
    """Sum scores and what became true by bin, as `calibration` does, where a frame or a table of a database has them.

    Databases and clusters run one group-by on the bin and the label, with the same floats for
    edges.

    Parameters
    ----------
    frame
        A frame, as `count_frame` takes it.
    scores
        The column of scores; or several, one for each class, of a frame in memory.
    actual
        The column of actual labels; by default found by its name.
    bins, equal, closed, labels, positive, of, missing
        As in `calibration`. Databases take bins of equal width, or up to 200 edges.

    Returns
    -------
    Calibration
        As of `calibration`.

    Examples
    --------
    >>> import pandas as pd  # doctest: +SKIP
    >>> frame = pd.DataFrame({"y": [0, 1, 1], "p": [0.1, 0.7, 0.9]})  # doctest: +SKIP
    >>> calibration_frame(frame, "p", actual="y").brier  # doctest: +SKIP
    """
    one_of("missing", missing, Missing)
    source, several = opened(frame), isinstance(scores, (list, tuple))
    columns = [
        find_column(source.names, name, "scores") for name in (scores if several else [scores])
    ]
    truth, first = find_columns(
        [name for name in source.names if name not in columns[1:]], actual, columns[0]
    )
    options: dict[str, Any] = {"labels": labels, "positive": positive, "of": of}
    if source.memory is not None:
        table = source.memory
        values = table.select(columns) if several else table.get_column(first)
        binned = {"bins": bins, "equal": equal, "closed": closed, "missing": missing}
        return calibration(
            native_of(table.get_column(truth)), values.to_native(), **binned, **options
        )
    if several:
        msg = "a database sums one column of {scores}; give that of a class, with {of:...} if there are more than two"
        raise InputError(Message(msg))
    chosen = read_bins(bins, equal, closed, None)
    if chosen.rule is None and len(chosen) > _MOST_EDGES:
        msg = "databases compare each score with each edge, and {:,} are more than {:,}; give {bins} a number or fewer"
        raise InputError(Message(msg, len(chosen), _MOST_EDGES))
    with asking():
        asked = Asked(truth, first, None, None, {})
        names, sums = sums_where_they_are(source, asked, chosen, missing)
    return of_labels(chosen, sums, names, str(first), labels, positive, of)


def sums_where_they_are(
    source: Opened, asked: Asked, bins: Bins, missing: Missing, wanted: Sequence[str] = SUMS
) -> tuple[list[Any], Array]:
    """The labels that occur, and by label the sums of each bin, from one group-by where the rows are."""
    import narwhals.stable.v2 as nw

    frame, safe = renamed(source, asked)
    s, x = nw.col("s"), nw.col("x")
    zero, one = nw.lit(0.0), nw.lit(1.0)
    rows = frame.select(
        nw.col(safe.actual).alias(ROW),
        nw.col(safe.predicted).cast(nw.Float64).alias("s"),
        nw.lit(1, dtype=nw.Int64).alias("items"),
    )
    # Not a number is below nothing, wherever an engine sorts it, and not all engines can be asked
    # for it.
    below, other = (s < zero) | (one - s < zero), nw.lit(_ABSENT)
    other = nw.when(below).then(nw.lit(_BEYOND)).otherwise(other)
    odd = nw.when((s >= zero) & (s <= one)).then(nw.lit(0)).otherwise(other)
    # Other scores are not looked at, and their bins say why.
    rows = rows.with_columns(odd.cast(nw.Int64).alias("odd"))
    rows = rows.with_columns(nw.when(nw.col("odd") == 0).then(s).otherwise(one).alias("x"))
    found = {f"s{power}": reduce(mul, [x] * power) for power in (1, 2, 3, 4)}
    for name, end, q in (("hit", "never", x), ("miss", "always", one - x)):
        found[name] = zero - nw.when(q > zero).then(q).otherwise(one).log()
        found[f"{name}2"] = found[name] * found[name]
        found[end] = nw.when(q == zero).then(nw.lit(1)).otherwise(nw.lit(0))
    place = nw.when(nw.col("odd") == 0).then(_bin(bins)).otherwise(nw.col("odd"))
    each = {name: found[name] for name in wanted if name in found}
    rows = rows.with_columns(place.alias(COL), **each)
    sums = [nw.col(name).sum().alias(f"_{name}") for name in wanted]
    query = rows.group_by(ROW, COL).agg(*sums).head(MAX_PAIRS + 1)
    table = collected(query, safe, MAX_PAIRS)
    labels = table[ROW].cast(nw.String) if safe.actual in safe.texts else table[ROW]
    truth = read_truth(native_of(labels, safe.name(safe.actual)))
    values = np.array([table[f"_{name}"].cast(nw.Float64).to_numpy() for name in wanted])
    # Daft answers a comparison with nothing by nothing.
    places = np.asarray(table[COL].fill_null(_ABSENT).to_numpy())
    kept = _known(values[0], places, truth.codes, missing, safe)
    by_label = np.zeros((len(truth.names), len(wanted), len(bins)))
    by_label[truth.codes[kept], :, places[kept]] = values[:, kept].T
    return truth.names, by_label


def _bin(bins: Bins) -> Any:
    """The bin of a score that lies within 0 to 1, by the floats that `Bins.places` compares with."""
    import narwhals.stable.v2 as nw

    x, many = nw.col("x"), len(bins)
    up, down = (nw.lit(number, dtype=nw.Int64) for number in (1, 0))

    def above(edge: Any) -> Any:
        return nw.when(x >= edge if bins.closed == "left" else x > edge).then(up).otherwise(down)

    if bins.rule is None:
        return sum((above(nw.lit(float(edge))) for edge in bins.edges[1:-1]), down)

    def edge(number: Any) -> Any:
        # The number times zero makes a column of it, since some engines multiply by the inverse of a number.
        times = number.cast(nw.Float64)
        return times / (x * 0.0 + float(many)) if bins.rule == "/" else times * nw.lit(1 / many)

    # Whether engines round a product or cut it, the bin is one of three, and the edges decide
    # which.
    near = (x * float(many)).cast(nw.Int64)
    return (near - up + above(edge(near)) + above(edge(near + up))).clip(0, many - 1)


def _known(many: Array, places: Array, codes: Array, missing: Missing, asked: Asked) -> Array:
    """Which groups of rows have a label and a score; an error where rows may not be left out."""
    beyond, absent, unlabelled = (
        int(many[which].sum()) for which in (places == _BEYOND, places == _ABSENT, codes < 0)
    )
    check_within(beyond, asked.name(asked.predicted))
    if missing == "error" and (absent or unlabelled):
        msg = "{:,} rows have no score and {:,} no label; say {missing:'drop'} to leave such items out"
        raise InputError(Message(msg, absent, unlabelled))
    return np.asarray((places >= 0) & (codes >= 0))


def check_within(beyond: int, column: str) -> None:
    """Refuse scores beyond 0 to 1."""
    if beyond:
        msg = "the column {} holds {:,} scores beyond 0 to 1, which are no probabilities; scale them first"
        raise InputError(Message(msg, column, beyond))


class FileOptions(TypedDict, total=False):
    """The options of `calibration_files` that say nothing about what it returns."""

    actual: str | None
    bins: Any
    closed: Closed
    labels: Iterable[Any] | None
    positive: Any
    missing: Missing
    na_values: Iterable[str]
    format: Format | None
    delimiter: str | None
    memory_limit: str
    threads: int | None
    progress: Told | None


@overload
def calibration_files(
    paths: Any, scores: Any, *, of: Literal["each"], **options: Unpack[FileOptions]
) -> dict[Any, Calibration]: ...
@overload
def calibration_files(
    paths: Any, scores: Any, *, of: Any = None, **options: Unpack[FileOptions]
) -> Calibration: ...
@door
def calibration_files(
    paths: Any,
    scores: Any,
    *,
    actual: str | None = None,
    bins: Any = 15,
    closed: Closed = "left",
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    of: Any = None,
    missing: Missing = "error",
    na_values: Iterable[str] = (),
    format: Format | None = None,  # noqa: A002 - as count_files calls it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    progress: Told | None = None,
) -> Calibration | dict[Any, Calibration]:
    r"""Sum scores and what became true by bin, as `calibration` does, from files that need not fit into memory.

    Parameters
    ----------
    paths
        Files, as `count_files` takes them.
    scores
        The column of scores; or several, one for each class, or a pattern such as "p_*", whose star
        means it.
    actual
        The column of actual labels; by default found by its name.
    bins, closed, labels, positive, of, missing
        As in `calibration`; bins have equal width, or the edges that are given.
    na_values, format, delimiter, memory_limit, threads, progress
        As in `count_files`.

    Returns
    -------
    Calibration
        As of `calibration`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "preds.csv").write_text("y,p\n0,0.1\n1,0.7\n1,0.9\n")
    ...     round(calibration_files(f"{folder}/*.csv", "p", actual="y").brier, 4)
    0.0367
    """
    one_of("missing", missing, Missing)
    columns = Scores(
        [scores] if isinstance(scores, str) else as_list("scores", scores, "columns"),
        actual,
        None,
        None,
    )
    chosen, absent = read_bins(bins, "width", closed, None), texts_of(na_values)
    files: Any = [] if hasattr(paths, "read") else sources(paths, format)
    if log := next((file for file in files if file.format == "log"), None):
        msg = f"{log} is a log of an evaluation, which holds answers and no columns of scores"
        raise InputError(msg)
    # Sums of one column by the labels that occur, which are known at the end; of a table as it
    # comes.
    sums: dict[Any, Array] = {}
    whole: Any = None
    labels, clock, seen = None if labels is None else [*labels], Clock(progress), 0
    for file, rows in batches(
        files or paths,
        columns,
        format=format,
        delimiter=delimiter,
        memory=memory_limit,
        threads=threads,
    ):
        truth, _, _, values = columns.parts(rows)
        truth = [None if name is None or str(name) in absent else name for name in truth]
        with about(file):
            if values.shape[1] == 1:
                items = read_probabilities(truth, values[:, 0], missing)
                found = chosen.sums(items.truth.codes, len(items.truth.names), items.scores)
                for name, part in zip(items.truth.names, found, strict=True):
                    sums[name] = sums.get(name, 0) + part
            else:
                more = calibration(
                    truth,
                    values[:, columns.order(labels)],
                    bins=chosen.edges,
                    closed=closed,
                    labels=labels or columns.classes,
                    positive=positive,
                    of=of,
                    missing=missing,
                )
                whole = more if whole is None else _joined(whole, more)
        seen += len(rows)
        clock.tell(None, seen)
    if not sums and whole is None:
        msg = "there are no rows to sum"
        raise InputError(msg)
    if whole is not None:
        return whole
    return of_labels(
        chosen, np.stack([*sums.values()]), [*sums], columns.found[0], labels, positive, of
    )


def _joined(before: Any, more: Any) -> Any:
    return (
        {name: part + more[name] for name, part in before.items()}
        if isinstance(before, dict)
        else before + more
    )
