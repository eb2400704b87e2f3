"""Tables of counts: files and frames whose rows stand for so many items each, by their names and by what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import chain, islice
from typing import Any

from confmat.core.errors import Argument, InputError, Message, warn
from confmat.core.frames import folded
from confmat.core.text import some
from confmat.io.queries import NO_TALLY, Asked, asked_among

# A table of so many rows is long: its predicted labels are among its actual ones.
_LONG_ROWS = 5
# Among fewer rows, chance alone keeps pairs apart beside numbers of another name.
_FEW_ROWS = 4
# So many rows tell single items from a table whose groups come one after another.
_MANY_ROWS = 100_000
_WORDS = """
# count counts count1 countstar n nb nobs cnt tally freq freqs frequency frequencies weight size len value 0 f0
support total sum hits quantity qty amount patients people persons subjects freqabs absfreq absolutefrequency
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
    # Names that databases and statistics programs give to a column without one.
    r"|(c|v|x|f|var|col|column|expr)\d+|column"
)
# Numbers of rows, and shares of the counts.
_BESIDE = re.compile(r"|unnamed0|index|rownames?|indexlevel0")
_SHARE = re.compile(r"(percent|perc|pct|prop|share|cum|prozent|anteil).*|area(ha|km2|m2|sqkm|acres)?|hectares|acres")
_ID = re.compile(r".*(id|idx|key|uuid|hash)|(row|line)(no|nr|num|number)")
# Names for numbers of several kinds of items, side by side: train_count and test_count.
_COUNTED = re.compile(r".+(count|counts|number|num|freq|n)|(count|counts|number|num|freq|n).+")
_NUMBER = re.compile(r"\s*\+?\d+(\.\d*)?([eE][-+]?\d+)?\s*", re.ASCII)


def _plain(name: Any) -> str:
    """A name without what people spell differently, blanks too."""
    return folded(str(name)).replace(" ", "") or str(name).strip()


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_plain, _WORDS.split()))


def is_count(name: Any) -> bool:
    """Whether a column is called as one calls numbers of items, in whatever language.

    >>> [is_count(name) for name in ("Freq", "nPredictions", "Häufigkeit", "COUNT(*)", "n_tokens", "age", "score")]
    [True, True, True, True, False, False, False]
    """
    return _plain(name) in _known() or _NUMBER_OF.fullmatch(_plain(name)) is not None


def _is_share(name: Any) -> bool:
    """Whether a column is called as one calls shares and areas, which are no numbers of items."""
    return _SHARE.fullmatch(_plain(name)) is not None


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
    return [value if many is None else float(many) if many % 1 else int(many) for value, many in found]


def tally_among(names: Sequence[Any], asked: Asked) -> Asked | None:
    """The columns of what may be a table of counts: the one called so, or else the only other one."""
    others = [name for name in names if name not in asked.keys and not _BESIDE.fullmatch(_plain(name))]
    shares = [name for name in others if _is_share(name)]
    groups = [name for name in others if name not in shares]
    found = [name for name in groups if is_count(name)] or shares
    if not found and groups and not _ID.fullmatch(_plain(groups[0])):
        found = groups if len(groups) == 1 or all(_COUNTED.fullmatch(_plain(name)) for name in groups) else []
    if asked.weights is not None or not found:
        return None
    return replace(asked, weights=found[0], tally=True, beside=tuple(name for name in groups if name != found[0]))


def long_columns(names: Sequence[str]) -> tuple[int, int, int] | None:
    """Where a list of pairs has its labels of both sides and its counts; None where the header is of another table.

    >>> long_columns(["", "Prediction", "Reference", "Freq"]), long_columns(["", "cat", "dog"])
    ((2, 1, 3), None)
    """
    with suppress(InputError):
        found = tally_among(names, asked_among(names, None, None, None, None)) if 2 < len(names) < _LONG_ROWS else None
        if found is not None and is_count(found.weights) and not found.beside:
            return names.index(found.actual), names.index(found.predicted), names.index(found.weights)
    return None


def within(probe: Asked, names: Sequence[Any]) -> Asked | str:
    """The columns of a table of counts in another file; "absent" where it lacks the counts, "rows" where others."""
    if probe.weights not in names:
        return "absent"
    here = replace(probe, beside=tuple(name for name in probe.beside if name in names))
    return "rows" if set(here.columns) - set(names) else here


def reading(batches: Iterable[Iterable[Sequence[Any]]], probe: Asked, max_pairs: int) -> str:
    """Tell what rows of labels and a number are.

    "counts" or "shares" where no pair comes twice, "doubtful" where columns beside them differ from row to row, "bad: "
    and a value where that is no count; "repeated" where pairs come twice, or else "rows". Texts that are no labels of
    the truth are answers of single items, and what differs from row to row is no group. No more rows are looked at
    than show that there are too many pairs.
    """
    with suppress(InputError, TypeError):
        return _reading(islice(chain.from_iterable(batches), max_pairs + 1), probe)
    # A column of lists or of texts is none of counts, and whoever counts it says what is wrong.
    return "rows"


def _reading(rows: Iterable[Sequence[Any]], probe: Asked) -> str:
    seen: dict[tuple[Any, ...], Any] = {}
    known = is_count(probe.weights)
    for *labels, value in rows:
        # Labels of other types are other labels.
        key = tuple(one if isinstance(one, str) else (type(one), one) for one in labels)
        if not known and amount(value) is None:
            return "rows"
        if key in seen:
            fields = [*seen.values(), value]
            whole = all(number is not None and not number % 1 for number in map(amount, fields))
            return "repeated" if whole and len(probe.keys) == 2 and not _is_running(fields) else "rows"
        seen[key] = value
        if len(seen) == _MANY_ROWS and _kind_of(seen, probe) == "rows":
            break
    return _kind_of(seen, probe)


def _kind_of(seen: dict[tuple[Any, ...], Any], probe: Asked) -> str:
    """Tell what rows are of which no two have all columns beside the number in common."""
    width, fields, numbers = len(probe.keys) - len(probe.beside), [*seen.values()], [*map(amount, seen.values())]
    pairs, own = {key[:width] for key in seen}, _is_own(probe)
    left, right = ({key[part] for key in pairs} for part in range(2))
    like_numbers = any(
        isinstance(field, (str, int, float, Decimal)) and re.match(r"\s*[-+]?\d", str(field)) for field in fields
    )
    if (
        not like_numbers
        or (len(seen) < _FEW_ROWS and not is_count(probe.weights) and not _is_share(probe.weights))
        or (_is_running(fields) and not own)
        or (len(seen) >= _LONG_ROWS and 2 * len(left & right) < len(right))
    ):
        return "rows"
    beside = zip(probe.beside, zip(*(key[width:] for key in seen), strict=True), strict=True)
    columns = [column for name, column in beside if not is_count(name) and not _is_running(column)]
    few = [column for column in columns if own or 2 * len(set(column)) <= len(seen)]
    groups = [*zip(*few, strict=True)] or [()] * len(seen)
    apart = {(*key[:width], *group) for key, group in zip(seen, groups, strict=True)}
    if len(pairs) < len(seen) and (len(apart) < len(seen) or 2 * len(set(groups)) > len(seen) * (1 + own)):
        return "rows"
    if None in numbers:
        return f"bad: {fields[numbers.index(None)]!r:.40}"
    if any(number % 1 for number in numbers if number):
        return "shares"
    return "doubtful" if len(few) < len(columns) and len(pairs) == len(seen) else "counts"


def _is_own(probe: Asked) -> bool:
    """Whether the columns are called as confmat writes them, which needs no word."""
    return [probe.actual, probe.predicted, probe.weights] == ["actual", "predicted", "count"]


def _is_running(fields: Sequence[Any]) -> bool:
    """Whether a column numbers the rows."""
    numbers = [amount(field) for field in fields]
    return len(numbers) > 2 and any(numbers == [*range(first, first + len(numbers))] for first in (0, 1))


def _refuse_doubtful(found: dict[str, str], probe: Asked, remedy: Message) -> None:
    rivals = [one for one in probe.beside if is_count(one)]
    reasons = {
        "absent": "other files have no such column",
        "bad": f"it holds {found.get('bad')}, which is no count",
        "rivals": f"so {'is' if len(rivals) == 1 else 'are'} {some(rivals)}",
        "doubtful": "what stands beside it differs from row to row",
    }
    for kind, reason in reasons.items():
        if kind in found or (kind == "rivals" and rivals):
            msg = "no pair comes twice, and {} is called like counts, but {}; {}"
            raise InputError(Message(msg, probe.name(str(probe.weights)), reason, remedy))


def recognized(readings: Iterable[str], probe: Asked, asked: Asked) -> Asked:
    """The columns to count, by what the rows of each file are; an error or a warning where others could be meant."""
    found: dict[str, str] = {}
    for one in readings:
        kind, _, shown = one.partition(": ")
        found[kind] = shown
        if kind in {"rows", "repeated"}:
            break
    name, said, rows = probe.name(str(probe.weights)), Argument("tally", probe.weights), Argument("tally", NO_TALLY)
    own = _is_own(probe)
    known, share = is_count(probe.weights), _is_share(probe.weights)
    if "repeated" in found and known:
        msg = "pairs come twice, so each row is counted as one item; {} says so without this note, {} adds up {}"
        warn(Message(msg, rows, said, name))
    if not found.keys() - {"absent"} or found.keys() & {"rows", "repeated"}:
        return asked
    if not known and not share:
        if found.keys() <= {"counts", "doubtful"} and found:
            msg = (
                "no pair comes twice, but each row is counted as one item; {} says so without this note, {} adds up {}"
            )
            warn(Message(msg, rows, said, name))
        return asked
    _refuse_doubtful(found, probe, Message("say {} or, to count rows, {}", said, rows))
    if not own and (share or "shares" in found):
        what = "shares" if share else "counts but has a fraction"
        msg = "no pair comes twice, and {} is called like {}; say {} or, to count rows, {}"
        raise InputError(Message(msg, name, what, Argument("weights", probe.weights), rows))
    if not own or "shares" in found:
        what, said = ("weights", Argument("weights", probe.weights)) if "shares" in found else ("counts", said)
        msg = "no pair comes twice, so {} is read as {}; {} says so without this note, {} counts each row as one item"
        warn(Message(msg, name, what, said, rows))
    return replace(asked, weights=probe.weights, tally="shares" not in found)
