"""Cross tables: the words on their axes and margins, data frames, and the counts behind printed rates."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from itertools import compress
from operator import gt
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import one_for_each, order_of
from confmat.core.building import as_names, check_numbers, one_kind
from confmat.core.counts import Counts
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import check_outside, in_order, is_missing, listed, plain
from confmat.core.options import Side, flag, is_several, told
from confmat.core.text import repeated, some

Array = NDArray[Any]

_INTEGER = re.compile("-?(0|[1-9][0-9]{0,18})")
Rows = Side

# ---- the words on axes and margins ---------------------------------------------------------------

# Words of both sides in the languages of those who publish tables: 4 for what says its side alone,
# 2 for what says it beside another name, 1 for what any other name overrules. A star means
# endings, _ for a space.
_ACTUAL = {
    4: "actual* true* truth* real reale reali reales reality referen* ref refs gold* groundtruth gt observed "
    "observation* obs expected target* benchmark* bench_mark y_true ytrue y_test ytest test_label* "
    "wahr wahre* wahrheit* tatsachlich* wirklich* echt* beobachtet* reel* vrai* verite* attendu* "
    "observe observee* "
    "verdad* reais observad* esperad* vero vera veri vere verita effettiv* riferiment* osservat* "
    "atteso attesa attesi "
    "werkelijk* waarheid* ware waar feitelijk* истин* фактич* факт* реальн* "
    "действительн* эталон* правда наблюд* ожидаем* rzeczywist* prawdziw* faktycz* skutecn* "
    "faktisk* verklig* virkelig* sann* gercek* 真 正解 实际 實際 実際 实况 実測 实测 参考 参照 실제 정답 참값",
    2: "ground* field disease* condition* patholog* histopatholog* histolog* biops* autops* stimul* presented spoken "
    "intended human* expert* annotat* clinic* correct* original* known survey* labeled labelled "
    "standard* manual* "
    "krank* erkrank* maladie* enfermedad* malattia* doenca* ziekte* болезн* richtig* terrain* "
    "terreno* campo "
    "in_situ desired teacher 疾病 病理",
    1: "label* outcome* y 标签 標籤",
}
_PREDICTED = {
    4: "predi* pred preds y_pred ypred yhat y_hat forecast* fcst classif* assigned detected detection* modeled "
    "modelled simulated inferred inference* guess* hypothes* hyp hyps hypo output* fitted vorher* "
    "prognos* geschatzt* "
    "schatzung* klassif* zugewiesen* zugeordnet* prevu* previs* estim* clasific* pronostic* "
    "asignad* "
    "atribuid* predett* stimat* assegnat* voorspel* geclassific* geschat* предсказ* прогноз* "
    "классиф* предикт* "
    "przewidyw* przewidzian* klasyfik* predykc* predpoved* tahmin* forutsag* 预测 預測 予測 推定 推测 推測 예측 "
    "추정",
    2: "test* map maps mapped mapping model* algorit* system* machine* screen* response* respuesta* reported "
    "recogni* identified decoded perceived returned chosen selected candidate* ai llm* software "
    "computer* automat* "
    "network* satellite* student into карт* модел* тест* "
    "模型 モデル 分类 分類 识别 識別 認識 判定 检测 検出 検査 テスト 분류",
    1: "result* answer*",
}
# A margin is a total if it has one of the first words and no other than these, or words of one
# side.
_TOTALS = (
    "all overall total totals totale totali totales totaux totaal totalt totalsumme sum sums summe "
    "summen summa somme "
    "suma soma margin margins marginal marginals gesamt gesamtergebnis gesamtsumme insgesamt "
    "eindtotaal pixelsum σ "
    "итог итого всего сумма razem celkem soucet toplam yhteensa 合计 合計 总计 總計 総計 总和 總和 합계 총합계 総合計"
)
_BESIDE_TOTALS = (
    "grand row rows column columns col general geral generale generell complessivo koncowa "
    "algemeen celkovy genel "
    "общий zeile zeilen spalte spalten ligne lignes colonne colonnes fila filas columna linha "
    "coluna riga rij kolom"
)


def folded(text: str) -> str:
    """Words without case, accents and punctuation: groundTruth, Ground-truth and GROUND_TRUTH are alike."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).casefold()
    if not apart.isascii():
        apart = "".join(
            c for c in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(c)
        )
    return " ".join(re.sub(r"[\W_]+", " ", apart).split())


@cache
def _patterns() -> list[tuple[int, re.Pattern[str]]]:
    """By weight, a pattern of the words; those of scripts without spaces are found within others."""
    made = []
    for sign, table in ((1, _ACTUAL), (-1, _PREDICTED)):
        for weight, words in table.items():
            keys = ["\\w*".join(map(folded, word.split("*"))) for word in words.split()]
            inside = [key for key in keys if key[0] >= "\u1100"]
            apart = "|".join(key for key in keys if key not in inside)
            made.append((sign * weight, re.compile("|".join([rf"\b(?:{apart})\b", *inside]))))
    return made


@cache
def of_margins() -> tuple[set[str], set[str]]:
    """Words for totals, and those that may be beside them."""
    return set(map(folded, _TOTALS.split())), set(map(folded, _BESIDE_TOTALS.split()))


def lean(name: str) -> int:
    """Say by how much a name leans to the actual side: 4 if it says so alone, down to -4 for the predicted one.

    >>> lean("Ground truth map"), lean("test result"), lean("label"), lean("x")
    (4, -2, 1, 0)
    """
    text = folded(name.replace("ŷ", "yhat")) if len(name) < 60 else ""
    found = {weight for weight, pattern in _patterns() if pattern.search(text)}
    return max(found, key=abs) if found and max(found) != -min(found) else 0


def axis_of(name: str) -> Rows | None:
    """Return the side that an axis called so holds; None where the name alone does not tell.

    >>> axis_of("y_true"), axis_of("Vorhersage"), axis_of("iris.pred"), axis_of("map")
    ('actual', 'predicted', 'predicted', None)
    """
    weight = lean(name)
    return None if abs(weight) < 4 else "actual" if weight > 0 else "predicted"


# The marks between the two names in a corner, the plainest first.
_BETWEEN = [
    re.compile(mark)
    for mark in (r"\\+", r"\|", "/", r"\bvs\b\.?|\bversus\b|\bby\b", "\u00d7", r"\s-\s", "[,;]")
]


# Names of axes with the way that they run.
_ARROW_BEHIND, _ARROW_BEFORE = re.compile(r"([\w ]+)\s*([→↓])"), re.compile(r"([→↓])\s*([\w ]+)")


def corner_names(corner: str) -> tuple[str, str]:
    r"""Read the names of the rows and of the columns in the cell at the corner; one alone is that of the rows.

    >>> (
    ...     corner_names("predicted\\actual"),
    ...     corner_names("actual → / predicted ↓"),
    ...     corner_names("class"),
    ... )
    (('predicted', 'actual'), ('predicted', 'actual'), ('class', ''))
    """
    named = {arrow: name.strip() for name, arrow in _ARROW_BEHIND.findall(corner)}
    if len(named) < 2:
        named = {arrow: name.strip() for arrow, name in _ARROW_BEFORE.findall(corner)}
    if len(named) == 2:
        return named["↓"], named["→"]
    parts = next(
        (parts for mark in _BETWEEN if len(parts := mark.split(corner)) == 2), (corner, "")
    )
    return parts[0].strip(), parts[1].strip()


def side_of_rows(row: str, column: str) -> Rows | None:
    """Return whether rows are actual or predicted by the names of both axes; the plainer one decides.

    >>> (
    ...     side_of_rows("detected", "actual"),
    ...     side_of_rows("test", "disease"),
    ...     side_of_rows("observed", "expected"),
    ... )
    ('predicted', 'predicted', None)
    """
    less = lean(row) - lean(column)
    return (
        None if abs(less) < (2 if row and column else 4) else "actual" if less > 0 else "predicted"
    )


def is_total(name: str) -> bool:
    """Whether a row or column of this name is a sum of the others; pandas-ml calls them `__all__`.

    >>> is_total("Grand Total"), is_total("∑"), is_total("Total général"), is_total("Total loss")
    (True, True, True, False)
    """
    if len(name) > 60:
        return False
    totals, beside = of_margins()
    words = set(folded(name.replace("∑", "Σ")).split())
    # The sums of one side may have its name: "Reference totals".
    return bool(words & totals) and all(abs(lean(word)) > 1 for word in words - totals - beside)


# ---- data frames ---------------------------------------------------------------------------------


def read_frame(
    frame: Any, rows: str, labels: Any = None, positive: Any = None, outside: Iterable[str] = ()
) -> tuple[Labels, Counts]:
    """Labels and counts from a cross table with names on both sides."""
    outside = check_outside(outside)
    row_names, col_names, columns = _parts(frame, rows)
    table = check_numbers(_fill(_table(columns), row_names, col_names, frame), "frame")
    _check_totals(row_names, col_names, table, labels)
    _check_rates(table)
    both = one_kind([*row_names, *col_names], "the names of the frame", outside)
    row_names, col_names = both[: len(row_names)], both[len(row_names) :]
    for side, names in (("rows", row_names), ("columns", col_names)):
        if len(set(names)) < len(names):
            msg = f"the {side} of the frame repeat a label: {some(repeated(names))}"
            raise LabelError(msg)
    if labels is None:
        labels = _order(
            [[x for x in names if x not in outside] for names in (row_names, col_names)]
        )
    labels = Labels(labels, outside=outside, positive=positive)
    codes = [
        np.array([labels.index(name) for name in names], dtype=np.int64)
        for names in (row_names, col_names)
    ]
    filled = np.nonzero(table)
    return labels, Counts.of_cells(
        len(labels), codes[0][filled[0]], codes[1][filled[1]], table[filled]
    )


def _order(sides: list[list[Any]]) -> list[Any]:
    """The order of the side that has all classes; otherwise sorted."""
    rows, cols = sides
    if set(cols) <= set(rows):
        return rows
    return (
        cols
        if set(rows) <= set(cols)
        else in_order([*dict.fromkeys([*rows, *cols])], appearance=True)
    )


def _parts(frame: Any, rows: str) -> tuple[list[Any], list[Any], list[Array]]:
    """Names of rows and columns, and the columns one by one, since a table of them all would have one type."""
    if all(hasattr(frame, part) for part in ("index", "columns", "iloc")):
        _check_orientation(frame, rows)
        columns = [np.asarray(frame.iloc[:, i]) for i in range(len(frame.columns))]
        return list(frame.index), list(frame.columns), columns
    header = getattr(frame, "column_names", getattr(frame, "columns", None))
    names = list(header) if isinstance(header, (list, tuple)) else []
    if len(names) < 2:
        msg = Message(
            "cannot read {} as a cross table: it needs row names and column names",
            type(frame).__name__,
        )
        raise InputError(msg)
    first, *columns = (np.asarray(frame[name]) for name in names)
    row_names, col_names = list(map(plain, listed(first))), names[1:]
    if {*map(type, row_names)} <= {int} and all(map(_INTEGER.fullmatch, col_names)):
        # Such frames have texts for column names, whatever the classes are.
        col_names = [int(name) for name in col_names]
    return row_names, col_names, columns


def axis_names(frame: Any) -> tuple[str, str]:
    """The names of both axes of a frame; that of the index may be the corner of the file that it was read from."""
    row, column = (
        str(getattr(axis, "name", None) or "").strip() for axis in (frame.index, frame.columns)
    )
    return (row, column) if column else corner_names(row)


def _check_orientation(frame: Any, rows: str) -> None:
    """Refuse a frame whose axes are named otherwise than the caller says."""
    names = axis_names(frame)
    known = side_of_rows(*names)
    if known is not None and known != rows:
        msg = Message(
            "the frame's rows are named {!r} and its columns {!r}; say {}, or rename the axes",
            *names,
            Argument("rows", known),
        )
        raise InputError(msg)


def _table(columns: list[Array]) -> Array:
    """Columns side by side: in one type where it holds them all exactly, otherwise as objects."""
    if not columns or not len(columns[0]):
        msg = "the frame is empty; a cross table has a row and a column per class"
        raise InputError(msg)
    kinds = {column.dtype.kind for column in columns}
    for column in columns:
        if column.dtype.kind not in "biufO":
            check_numbers(column, "frame")
    if kinds == {"f"} or (kinds <= set("biu") and np.result_type(*columns).kind != "f"):
        return np.column_stack(columns)
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for i, column in enumerate(columns):
        table[:, i] = column.astype(object)
    return table


def _fill(table: Array, row_names: list[Any], col_names: list[Any], frame: Any) -> Array:
    """0 where a whole row or column is missing, as `reindex` leaves it; integers where floats hold nothing else."""
    if table.dtype.kind not in "fO":
        return table
    holes = _holes(table)
    inside = holes & ~holes.all(axis=1, keepdims=True) & ~holes.all(axis=0, keepdims=True)
    if inside.any() or holes.all():
        _refuse_holes(holes if holes.all() else inside, row_names, col_names, frame)
    table = np.where(holes, 0, table)
    flat = table.ravel().tolist()
    floats = [isinstance(x, (float, np.floating)) for x in flat]
    if not all(_is_whole(float(x)) for x in compress(flat, floats)):
        return table
    if table.dtype.kind == "f":
        return table.astype(np.int64)
    for i in np.flatnonzero(floats):
        table.flat[i] = int(flat[i])
    return table


def _refuse_holes(holes: Array, row_names: list[Any], col_names: list[Any], frame: Any) -> NoReturn:
    i, j = np.argwhere(holes)[0].tolist()
    fill = "fillna" if hasattr(frame, "fillna") else "fill_null"
    place = f"row {row_names[i]!r:.60}, column {col_names[j]!r:.60}"
    msg = f"the frame has no count at {place}; if it means 0, give frame.{fill}(0)"
    raise InputError(msg)


def _holes(table: Array) -> NDArray[np.bool_]:
    if table.dtype.kind == "f":
        return np.isnan(table)
    return np.array(list(map(is_missing, table.ravel().tolist()))).reshape(table.shape)


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) < 2**53


def _check_totals(row_names: list[Any], col_names: list[Any], table: Array, labels: Any) -> None:
    """Refuse what `crosstab(margins=True)` appends: sums, which are no class, whatever both of them are called."""
    sides = (row_names, table), (col_names, table.T)
    sums = [
        len(names) > 1
        and numbers[-1].any()
        and np.allclose(numbers[:-1].sum(axis=0), numbers[-1], rtol=1e-9, atol=0)
        for names, numbers in sides
    ]
    both = (
        all(sums)
        and labels is None
        and min(table.shape) > 2
        and min(np.sum(table[-1] > 0), np.sum(table.T[-1] > 0)) > 2
    )
    for (names, _), is_sum in zip(sides, sums, strict=True):
        if is_sum and (both or is_total(str(names[-1]))):
            msg = f"the frame ends in totals ({names[-1]!r}); make it without margins"
            raise InputError(msg)


def rated(table: Array, wholes: Mapping[int, float] = {1: 1e-6}) -> tuple[str, int] | None:
    """Return the parts of a table of rates that all add up to 1 or 100, and which; `wholes` says how nearly."""
    if table.dtype.kind != "f" or table.ndim < 2 or not np.any(table != np.rint(table)):
        return None
    for part, axis in (("each row", -1), ("each column", -2), ("the table", (-2, -1))):
        sums = np.atleast_1d(table.sum(axis=axis))
        for whole, near in wholes.items():
            if np.all((np.abs(sums - whole) <= near) | (sums == 0)):
                return part, whole
    return None


def _check_rates(table: Array) -> None:
    """Refuse what `crosstab(normalize=...)` gives: shares of a row, of a column or of all."""
    part = rated(table, {1: 1e-6, 100: 1e-4})
    if part is not None:
        msg = (
            f"{part[0]} of the frame adds up to {part[1]}: these are rates, no counts; "
            "ConfusionMatrix.from_rates(frame, totals) finds the counts behind rates of the actual "
            "classes; "
            "if they are weights, give ConfusionMatrix(frame.to_numpy(), labels)"
        )
        raise InputError(msg)


def rates_frame(frame: Any, labels: Sequence[Any] | None) -> tuple[Array, list[Any]]:
    """Rates and their labels from a frame; rows and columns are put in the order of the labels, or of its rows."""
    if hasattr(frame, "iloc") and side_of_rows(*axis_names(frame)) == "predicted":
        msg = Message(
            "{rows} must be the rates of the actual classes, and the rows of this frame are "
            "predicted classes"
        )
        raise InputError(msg)
    return square_frame(frame, "actual", labels)


def square_frame(
    frame: Any, rows: str, labels: Iterable[Any] | None = None
) -> tuple[Array, list[Any]]:
    """A table with the same names on both sides, in the order of the labels, or of its rows; and that order."""
    names, headings, columns = _parts(frame, rows)
    wanted = names if labels is None else as_names(labels)
    if not names:
        msg = Message("the frame is empty")
        raise InputError(msg)
    down, across = (order_of(mine, wanted, "rows") for mine in (names, headings))
    return np.column_stack([columns[place] for place in across])[down], list(wanted)


# Beyond, a rate is no rate of countable things, and its fraction would fill the memory.
_MOST_DIGITS = 400


def read_rates(
    rows: Any, totals: Any, decimals: int | None, percent: bool, labels: Sequence[Any] | None = None
) -> NDArray[np.int64]:
    """The only table of counts that rounds to these rates under these totals; an error when none or many do.

    Each printed rate means the interval half a unit in the last place to either side; a row's
    counts must lie in their intervals and add up to the row's total.
    """
    table, slack = _read_cells(rows)
    size = len(table)
    lengths = sorted({*map(len, table)})
    if lengths != [size]:
        msg = Message(
            "{rows} must be a square table of rates, one row per actual class, not rows of {}",
            lengths,
        )
        raise InputError(msg)
    totals = one_for_each(totals, range(size) if labels is None else labels, "totals")
    if not all(map(_is_size, totals)):
        msg = Message(
            "`totals` must be whole numbers of items, zero or more and below 2^63, not {!r:.100}",
            list(totals),
        )
        raise InputError(msg)
    places = _places(decimals, table)
    scale = 100 if flag("percent", percent) else 1
    half = Fraction(1, 2 * 10**places * scale)
    counts = np.zeros((size, size), dtype=np.int64)
    for i, (row, total) in enumerate(zip(table, totals, strict=True)):
        rates = [None if rate is None else rate / scale for rate, _ in row]
        counts[i] = _row(rates, int(total), half + slack, i, percent=percent)
    return counts


def _places(decimals: Any, table: list[list[tuple[Fraction | None, int]]]) -> int:
    """How many decimals the rates have: as the caller says, or as the longest has."""
    if decimals is None:
        return max(digits for row in table for _, digits in row)
    if type(decimals) is int and 0 <= decimals <= _MOST_DIGITS:
        return decimals
    msg = Message(
        "`decimals` must be a number of digits from 0 to {}, not {}", _MOST_DIGITS, told(decimals)
    )
    raise InputError(msg)


def _read_cells(rows: Any) -> tuple[list[list[tuple[Fraction | None, int]]], Fraction]:
    """The rates with their digits, and by how much one that is computed in binary can miss its own decimal."""
    if hasattr(rows, "detach"):
        rows = rows.detach().numpy()
    cells = [_listed(row, "rows") for row in _listed(rows, "rows")]
    # Rates are 1 at most, so the spacing of floats there bounds what rounding did.
    types = {type(rate) for row in cells for rate in row if isinstance(rate, np.floating)}
    slack = max([Fraction(1, 10**14), *(Fraction(float(np.finfo(kind).eps)) for kind in types)])
    return [[_exact(rate) for rate in row] for row in cells], slack


def _listed(values: Any, name: str) -> list[Any]:
    """A list, its numbers as they are: of float32 the shortest digits are others than those of the same float64."""
    if is_several(values):
        return list(values)
    wanted = (
        "a square table of rates, one row per actual class"
        if name == "rows"
        else "one number per row"
    )
    msg = Message(
        "{} must be {}, not {} {!r:.60}", Argument(name), wanted, type(values).__name__, values
    )
    raise InputError(msg)


def _is_size(total: Any) -> bool:
    try:
        return bool(0 <= total < 2**63 and total == int(total))
    except (TypeError, ValueError, OverflowError):
        return False


def _exact(rate: Any) -> tuple[Fraction | None, int]:
    """A printed rate and its number of decimals; NaN and None mean the rate of an empty row."""
    try:
        if rate is None or rate != rate:
            return None, 0
        number = Decimal(_digits(rate))
    except (InvalidOperation, ValueError, TypeError, OverflowError):
        msg = Message("{rows} must hold rates, and {!r:.60} is not a number", rate)
        raise InputError(msg) from None
    if not number.is_finite() or number < 0:
        msg = Message("a rate must be finite and not negative, not {!r:.60}", rate)
        raise InputError(msg)
    if max(abs(number.adjusted()), -int(number.as_tuple().exponent)) > _MOST_DIGITS:
        msg = Message(
            "a rate may have {} digits at most, before or behind the point, not {!r:.60}",
            _MOST_DIGITS,
            rate,
        )
        raise InputError(msg)
    return Fraction(number), max(0, -int(number.as_tuple().exponent))


def _digits(rate: Any) -> Any:
    """The digits that were printed, or the shortest that tell a float from its neighbours of the same type."""
    if isinstance(rate, np.floating) and np.isfinite(rate):
        return np.format_float_positional(rate, unique=True, trim="-")
    return rate if isinstance(rate, (str, int, Decimal)) else repr(float(rate))


def _row(
    rates: list[Fraction | None], total: int, slack: Fraction, i: int, *, percent: bool
) -> list[int]:
    """The counts of a row that lie as near to its rates as they can, and add up to the total."""
    known = [rate for rate in rates if rate is not None]
    if total == 0:
        if any(known):
            msg = f"row {i} has rates above 0 but a total of 0"
            raise InputError(msg)
        return [0] * len(rates)
    if len(known) < len(rates):
        msg = f"row {i} has a total of {total} but a missing rate"
        raise InputError(msg)
    if not percent and sum(known) > Fraction(3, 2):
        msg = f"the rates of row {i} add up to {float(sum(known)):g}; if they are per cents, say percent=True"
        raise InputError(msg)
    low = [max(0, math.ceil((rate - slack) * total)) for rate in known]
    high = [min(total, math.floor((rate + slack) * total)) for rate in known]
    shown = list(map(float, known))
    if any(map(gt, low, high)) or not sum(low) <= total <= sum(high):
        msg = (
            f"no whole numbers add up to {total} in row {i} and round to its rates {shown}; check "
            "the total, the orientation and the number of decimals"
        )
        raise InputError(msg)
    first, last = _filled(low, high, total), _filled(low[::-1], high[::-1], total)[::-1]
    # One of the rows that fit has the most at its left, the other at its right.
    if first != last:
        msg = (
            f"the digits of row {i} do not determine its counts: {first} and {last}, of total "
            f"{total}, both round to {shown}; give more decimals"
        )
        raise InputError(msg)
    return first


def _filled(low: list[int], high: list[int], total: int) -> list[int]:
    """The lowest values, and what is left of the total as far to the left as it goes."""
    spare = total - sum(low)
    row = []
    for a, b in zip(low, high, strict=True):
        step = min(spare, b - a)
        row.append(a + step)
        spare -= step
    return row
