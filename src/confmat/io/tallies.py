"""Tables of counts: files and frames whose rows represent several items each, by the name of a column and its numbers.

A column that is called as one calls counts, and holds whole numbers, is one where no two rows agree
in all others. Everything else that is called so is refused, with the ways to say what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from confmat.core.errors import Argument, InputError, Message, warn
from confmat.core.frames import folded, is_total
from confmat.core.text import some
from confmat.io.queries import (
    ALIKE,
    BROKEN,
    COL,
    GROUPS,
    LEAST,
    MANY,
    NO_TALLY,
    PRESENT,
    ROW,
    SQUARES,
    TOTAL,
    WHOLES,
    Asked,
    asked_among,
)

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

# Rows that show whether a column holds numbers, and whether it goes on as it began.
FIRST_ROWS = 1_000
# So many rows tell single items from a table whose groups come one after another.
_MANY_ROWS = 100_000
# Counts of fewer cells may be 1, 2, 3, ... by chance.
_FEW_ROWS = 9
_REPEATED = "rows that agree in all other columns come more than once"
_WORDS = """
# count counts count1 countstar n nb nobs no nr num number cnt tally
freq freqs frequency frequencies weight size len value 0
support total sum hits quantity qty patients people persons subjects freqabs absfreq absolutefrequency
anzahl häufigkeit haeufigkeit menge fälle faelle nombre effectif effectifs fréquence compte décompte aantal frequentie
cantidad conteo frecuencia número recuento cuenta casos contagem quantidade frequência qtd qtde conteggio frequenza
quantità numerosità liczba liczność częstość ilość počet četnost antal antall frekvens määrä lukumäärä sayı adet frekans
количество число частота кількість darab gyakoriság πλήθος συχνότητα număr frecvență брой jumlah frekuensi sốlượng
عدد تكرار כמות מספר संख्या
数量 數量 计数 計數 频数 頻數 次数 次數 个数 件数 個数 度数 頻度 回数 カウント 개수 건수 빈도 횟수
"""
_THINGS = "cases|items|samples|instances|observations|obs|occurrences|pixels|records|predictions|examples|images|rows"
_NUMBER_OF = re.compile(
    rf"(n|nb|no|nr|num|number|count|cnt|total)?(of)?({_THINGS})|(count|number|anzahl|nombre)(of|von|de)?(id|pairs|pred)"
    r"|(item|row|doc|record|sample|case|pixel|image|event|pair|prediction)s?(count|counts|freq)"
    r"|(n|count|freq)(train|test|val|valid|validation|dev|eval|total|all)"
)
# Numbers and names of rows, which are no groups.
_BESIDE = re.compile(
    r"|unnamed0|index|rownames?|indexlevel0|.*(id|idx|key|uuid|hash)|(row|line)(no|nr|num|number)?"
)
_SHARE = re.compile(
    r"(percent|perc|pct|prop|share|cum|prozent|anteil).*|area(ha|km2|m2|sqkm|acres)?|hectares|acres"
)
# Names for numbers of one kind of items: train_count.
_COUNTED = re.compile(
    r"(n|num|number|freq|counts?)[ _.-].+|.+[ _.-](n|num|number|freq|counts?)", re.IGNORECASE
)
_NUMBER = re.compile(r"\s*\+?\d+(\.\d*)?([eE][-+]?\d+)?\s*", re.ASCII)
_LIKE_NUMBER = re.compile(r"\s*[-+]?\d")


# Each name of a wide table is asked about several times.
@lru_cache(maxsize=2**16, typed=True)
def _plain(name: Any) -> str:
    """A name without what people spell differently, blanks too."""
    return folded(str(name)).replace(" ", "") or str(name).strip()


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_plain, _WORDS.split()))


def is_count(name: Any) -> bool:
    """Whether the name of a column is one for numbers of items, in any language.

    >>> [
    ...     is_count(name)
    ...     for name in (
    ...         "Freq",
    ...         "nPredictions",
    ...         "Häufigkeit",
    ...         "COUNT(*)",
    ...         "n_tokens",
    ...         "c0",
    ...         "score",
    ...     )
    ... ]
    [True, True, True, True, False, False, False]
    """
    return _plain(name) in _known() or _NUMBER_OF.fullmatch(_plain(name)) is not None


def amount(value: Any) -> int | float | Decimal | None:
    """The number that a field of a table of counts holds, whatever its type; None if it holds none.

    >>> [amount(value) for value in (90, "90", Decimal(5), "1,290", -1, None, True)]
    [90, Decimal('90'), Decimal('5'), None, None, None, None]
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = Decimal(value.strip())
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    return value if 0 <= value < 2**63 else None


def whole_numbers(values: Iterable[Any]) -> list[Any]:
    """Fields of a table of counts as integers where they hold whole numbers."""
    found = [(value, amount(value)) for value in values]
    return [
        value if many is None else float(many) if many % 1 else int(many) for value, many in found
    ]


def like_number(value: Any) -> bool:
    """Whether a field holds a number of any kind, such as -1, 0.5 or "20 items"."""
    number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    return number or (isinstance(value, str) and _LIKE_NUMBER.match(value) is not None)


def long_columns(names: Sequence[str]) -> tuple[int, int, int] | None:
    """Where a list of pairs has its labels of both sides and its counts; None where the header is of another table.

    >>> long_columns(["", "Prediction", "Reference", "Freq"]), long_columns(["", "cat", "dog"])
    ((2, 1, 3), None)
    """
    with suppress(InputError):
        asked = asked_among(names, None, None, None, None)
        counts, beside = _named(names, asked)
        if len(counts) == 1 and not beside and 2 < len(names) < 5:
            return names.index(asked.actual), names.index(asked.predicted), names.index(counts[0])
    return None


def _named(names: Sequence[Any], asked: Asked) -> tuple[list[Any], list[Any]]:
    """The columns that are called like counts, and all others that may hold groups."""
    others = [
        name for name in names if name not in asked.keys and not _BESIDE.fullmatch(_plain(name))
    ]
    # Beside a column called 1, one called 0 is the first of many.
    counts = [
        name for name in others if is_count(name) and not (str(name) == "0" and {1, "1"} & {*names})
    ]
    found = {*counts}
    return counts, [name for name in others if name not in found]


# ---- what the rows show --------------------------------------------------------------------------


@dataclass(slots=True)
class Evidence:
    """The evidence of rows that may be a table of counts: how many they are, and the sums of their numbers.

    Attributes
    ----------
    bad
        A field that is no whole number.
    is_number
        Whether any field is like a number.
    repeats
        Whether two rows agree in all columns but the numbers.
    groups
        How many different rows there are without labels and numbers.
    is_strange
        Whether most predicted labels never occur in the truth.
    wholes
        The sum of the numbers in rows whose groups are called totals.
    """

    rows: int = 0
    total: Any = 0
    squares: Any = 0
    bad: str | None = None
    is_number: bool = False
    repeats: bool = False
    groups: float = 0
    is_strange: bool = False
    wholes: Any = 0

    def add(self, value: Any, *, is_whole: bool) -> None:
        """Add a field; it `is_whole` where its row is called a total."""
        self.rows += 1
        self.is_number = self.is_number or like_number(value)
        number: Any = amount(value)
        if number is None or number % 1:
            self.bad = self.bad or f"{value!r:.40}"
            return
        self.total += number
        self.squares += number * number
        self.wholes += number * is_whole

    @property
    def is_running(self) -> bool:
        """Whether the numbers are 0, 1, 2, ... or 1, 2, 3, ..., as those of rows are."""
        n = self.rows
        sums = [(n * (n + k) / 2, n * (n + k) * (2 * n + k) / 6) for k in (1, -1)]
        return n > 2 and any(
            self.total == total and abs(float(self.squares) - squares) <= 1e-9 * squares
            for total, squares in sums
        )


def strange(actual: Collection[Any], predicted: Collection[Any]) -> bool:
    """Whether most of some predicted labels, as of free answers, are none of the truth."""
    return len(predicted) > 4 and 2 * len({*actual} & {*predicted}) < len({*predicted})


def is_sum(group: Any) -> bool:
    """Whether a group is called as the sums of the others are: by a word of totals, NULL or blank."""
    if isinstance(group, str):
        return not group.strip() or is_total(group)
    return str(group) in {"None", "nan", "NaN", "NaT", "<NA>"}


def evidence_of(
    batches: Iterable[Iterable[Sequence[Any]]], probe: Asked, max_pairs: int
) -> Evidence:
    """Look at rows of labels, groups and a number; at no more than show what they are, or that they are too many."""
    width, found = len(probe.keys) - len(probe.beside), Evidence()
    seen, groups, sides = set[int](), set[int](), (set[str](), set[str]())
    for *labels, value in islice(chain.from_iterable(batches), max_pairs + 1):
        found.add(value, is_whole=any(map(is_sum, labels[width:])))
        # Labels of other types are other labels.
        row = [*map(repr, labels)]
        seen.add(hash(tuple(row)))
        groups.add(hash(tuple(row[width:])))
        sides[0].add(row[0])
        sides[1].add(row[1])
        found.repeats = len(seen) < found.rows
        # Later rows could only show other reasons.
        if (
            found.repeats and (found.bad or found.rows >= FIRST_ROWS)
        ) or _MANY_ROWS == found.rows < 2 * len(groups):
            break
    found.groups, found.is_strange = len(groups), strange(*sides)
    return found


def _known_numbers(column: nw.Series[Any]) -> list[Any]:
    """The values of a column, 0 for those that are missing."""
    return [
        0 if gone else value or 0
        for value, gone in zip(column.to_list(), column.is_null(), strict=True)
    ]


def evidence_in(pairs: nw.DataFrame[Any]) -> Evidence:
    """The evidence that an engine has found beside the pairs."""
    values = {name: _known_numbers(pairs[name]) for name in pairs.columns}
    rows, present, total, squares, groups, wholes, broken = (
        sum(values[name]) for name in (MANY, PRESENT, TOTAL, SQUARES, GROUPS, WHOLES, BROKEN)
    )
    found = Evidence(
        int(rows), total, squares, is_number=present > 0, groups=groups - 1e-6, wholes=wholes
    )
    found.repeats = max(values[ALIKE], default=0) > 1
    found.is_strange = strange(values[ROW], values[COL])
    texts = [value for value in values[LEAST] if isinstance(value, str)]
    if texts:
        # Their numbers cannot be added, so they are counts of nobody.
        found.is_number = any(map(like_number, texts))
        found.bad = _bad_text(texts, "" if found.repeats else " as text")
    elif present < rows:
        found.bad = "None"
    elif broken:
        found.bad = "fractions"
    elif min(values[LEAST], default=0) < 0:
        found.bad = str(min(values[LEAST]))
    return found


def _bad_text(texts: list[str], otherwise: str) -> str | None:
    """The first text that is no count, or the first of all if even counts are none as text."""
    odd = [text for text in texts if amount(text) is None]
    return f"{odd[0]!r:.40}" if odd else f"{texts[0]!r:.40}{otherwise}" if otherwise else None


def with_numbers(rows: Iterable[Sequence[Any]], names: Sequence[Any]) -> list[Any]:
    """The columns that hold a number in the first rows."""
    first = [*zip(*islice(rows, FIRST_ROWS), strict=True)] or [()] * len(names)
    return [
        name for name, column in zip(names, first, strict=True) if any(map(like_number, column))
    ]


# ---- what they are -------------------------------------------------------------------------------


def recognized(
    names: Sequence[Any],
    asked: Asked,
    numeric: Callable[[list[Any]], list[Any]],
    readings: Callable[[Asked], Iterable[Evidence | str]],
) -> Asked:
    """The columns to count, with those of counts if the rows are a table of these; an error where that is in doubt.

    Parameters
    ----------
    names, asked
        The columns that there are, and those of labels and groups.
    numeric
        Tells which of some columns hold numbers.
    readings
        Gives what the rows of each file show of a column of numbers; "absent" where a file has no
        such column.
    """
    if asked.weights is not None:
        return asked
    named, groups, is_weak = _suspected(names, asked, numeric)
    if not named:
        return asked
    probe = replace(asked, weights=named[0], tally=None, beside=tuple(groups))
    if len(named) > 1:
        raise _doubtful(probe, Message("so {} {}", ("is", "are")[len(named) > 2], some(named[1:])))
    is_own = [probe.actual, probe.predicted, probe.weights] == ["actual", "predicted", "count"]
    found = _verdicts(readings(probe), probe, is_own=is_own)
    if found <= {"rows", "absent"} or (is_weak and _REPEATED in found):
        return asked
    if is_weak:
        raise _doubtful(probe, "it may hold shares, or the numbers of a part")
    if found != {"counts"}:
        reasons = sorted(found - {"rows", "counts", "absent"}) or ["other files hold none"]
        raise _doubtful(probe, reasons[0])
    if not is_own:
        msg = (
            "no two rows agree in all other columns, so {} is read as counts; {} says so without "
            "this note, {} counts each row as one item"
        )
        ways = Argument("tally", probe.weights), Argument("tally", NO_TALLY)
        warn(Message(msg, probe.name(str(probe.weights)), *ways))
    return replace(asked, weights=probe.weights, tally=True, is_shown=not is_own)


def _suspected(
    names: Sequence[Any], asked: Asked, numeric: Callable[[list[Any]], list[Any]]
) -> tuple[list[Any], list[Any], bool]:
    """The columns that may hold counts, those that may hold groups, and whether the former have weak names for it."""
    counts, beside = _named(names, asked)
    named = numeric(counts) if counts else []
    beside = [*beside, *(name for name in counts if name not in named)]
    groups = [name for name in beside if not _SHARE.fullmatch(_plain(name))]
    is_weak = not named and bool(beside) and all(_COUNTED.fullmatch(str(name)) for name in groups)
    if is_weak:
        named, groups = numeric(beside)[:1], []
    return named, groups, is_weak


def _verdicts(readings: Iterable[Evidence | str], probe: Asked, *, is_own: bool) -> set[str]:
    """Whether the rows of each file are "rows" or "counts" or "absent", or why nobody can tell."""
    return {
        reading if isinstance(reading, str) else _verdict(reading, probe, is_own=is_own)
        for reading in readings
    }


def _verdict(found: Evidence, probe: Asked, *, is_own: bool) -> str:
    """Whether rows are "rows" or "counts", or the reason why nobody can tell."""
    if not found.is_number or (found.bad and (found.repeats or found.is_strange)):
        return "rows"
    if found.bad:
        return f"it holds {found.bad}, which is no count"
    if found.is_running and not is_own:
        return "rows" if found.repeats or found.rows >= _FEW_ROWS else "it numbers the rows"
    return _REPEATED if found.repeats else _of_distinct(found, probe, is_own=is_own)


def _of_distinct(found: Evidence, probe: Asked, *, is_own: bool) -> str:
    """Whether rows of which no two agree are "counts", or the reason why nobody can tell."""
    if not is_own and (found.is_strange or (probe.beside and 2 * found.groups > found.rows)):
        return "what is beside it differs from row to row"
    if found.wholes and not found.wholes % (found.total - found.wholes or 1):
        return "some of its rows are totals of others"
    return "counts"


def _doubtful(probe: Asked, reason: str) -> InputError:
    """The error for a column with a name for counts that may hold something else, with the ways to say what it is."""
    column = probe.weights
    msg = Message(
        "{} is called like counts, but {}; say {} if its numbers are counts, {} if they are weights, or {} to "
        "count each row as one item",
        probe.name(str(column)),
        reason,
        Argument("tally", column),
        Argument("weights", column),
        Argument("tally", NO_TALLY),
    )
    return InputError(msg)


def within(probe: Asked, names: Sequence[Any]) -> Asked | str:
    """The columns of a table of counts in another file; "absent" where it lacks the counts, "rows" where others."""
    known = {*names}
    if probe.weights not in known:
        return "absent"
    here = replace(probe, beside=tuple(name for name in probe.beside if name in known))
    return "rows" if {*here.columns} - known else here
