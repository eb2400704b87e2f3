"""Tables of counts: files and frames whose rows stand for so many items each, by their names and by what they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from confmat.core.errors import Argument, InputError, Message, warn
from confmat.io.gathering import marked
from confmat.io.queries import NO_TALLY, Asked

# A table of so many rows is long: its predicted labels are among its actual ones.
_LONG_ROWS = 5
_WORDS = """
count counts count1 countstar n nobs cnt tally freq freqs frequency frequencies weight size len value 0 f0
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
)
# Numbers of rows, and shares of the counts.
_BESIDE = re.compile(r"|unnamed0|index|rownames?|indexlevel0|(percent|perc|pct|prop|share|cum|prozent|anteil).*")


def _plain(name: Any) -> str:
    """A name without what people spell differently, accents too."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", str(name)).lower()))


_KNOWN = frozenset(map(_plain, _WORDS.split()))


def is_count(name: Any) -> bool:
    """Whether a column is called as one calls numbers of items, in whatever language.

    >>> [is_count(name) for name in ("Freq", "nPredictions", "Häufigkeit", "COUNT(*)", "n_tokens", "age", "score")]
    [True, True, True, True, False, False, False]
    """
    return _plain(name) in _KNOWN or _NUMBER_OF.fullmatch(_plain(name)) is not None


def tally_among(names: Sequence[Any], asked: Asked) -> Asked | None:
    """The columns of a table of counts, with one of groups at most, if the names are those of one."""
    others = [name for name in names if name not in asked.keys and not _BESIDE.fullmatch(_plain(name))]
    counts = [name for name in others if is_count(name)]
    groups = [*([] if asked.by is None else [asked.by]), *(name for name in others if name not in counts)]
    if asked.weights is not None or len(counts) != 1 or len(groups) > 1:
        return None
    return replace(asked, weights=counts[0], by=groups[0] if groups else None, tally=True)


def of_rows(batches: Iterable[Iterable[Sequence[Any]]]) -> Iterable[tuple[tuple[Any, ...], int]]:
    """Rows of labels and a number, as a table of pairs has them."""
    return (((*map(marked, row[:-1]), row[-1]), 1) for rows in batches for row in rows)


def reading(rows: Iterable[tuple[tuple[Any, ...], int]], probe: Asked, asked: Asked, max_pairs: int) -> str:
    """Tell what rows are, each with its frequency: "counts" where no pair comes twice, "shares", "repeated" or "rows".

    Texts that are no labels of the truth are answers of single items, and what differs from row to row is no group.
    No more rows are looked at than show that there are too many pairs.
    """
    with suppress(InputError, TypeError):
        return _reading(islice(rows, max_pairs + 1), probe, asked)
    # A column of lists or of texts is none of counts, and whoever counts it says what is wrong.
    return "rows"


def _reading(rows: Iterable[tuple[tuple[Any, ...], int]], probe: Asked, asked: Asked) -> str:
    seen: set[tuple[Any, ...]] = set()
    found = "counts"
    for (*key, number), many in rows:
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < 2**63:
            return "rows"
        if many > 1 or tuple(key) in seen:
            return "repeated" if found == "counts" and probe.by is None else "rows"
        seen.add(tuple(key))
        found = "shares" if number % 1 else found
    left, right, groups = ({key[part : part + 1] for key in seen} for part in range(3))
    strange = len(seen) >= _LONG_ROWS and 2 * len(left & right) < len(right)
    return "rows" if strange or not seen or (probe.by != asked.by and len(groups) == len(seen) > 1) else found


def recognized(readings: Iterable[str], probe: Asked, asked: Asked) -> Asked:
    """The columns to count, by what the rows of each file are; an error or a warning where others could be meant."""
    found: set[str] = set()
    for one in readings:
        found.add(one)
        if one in {"rows", "repeated"}:
            break
    name, said, rows = probe.name(str(probe.weights)), Argument("tally", probe.weights), Argument("tally", NO_TALLY)
    # The columns as confmat writes them need no word.
    own = [probe.actual, probe.predicted, probe.weights] == ["actual", "predicted", "count"]
    if "repeated" in found:
        msg = "pairs come twice, so each row is counted as one item; {} says so without this note, {} adds up {}"
        warn(Message(msg, rows, said, name))
    if not found or found & {"rows", "repeated"}:
        return asked
    if not own and "shares" in found:
        msg = "no pair comes twice, and {} is called like counts but has a fraction; say {} or, to count rows, {}"
        raise InputError(Message(msg, name, Argument("weights", probe.weights), rows))
    if not own:
        msg = (
            "no pair comes twice, so {} is read as counts; {} says so without this note, {} counts each row as one item"
        )
        warn(Message(msg, name, said, rows))
    return replace(asked, weights=probe.weights, tally="shares" not in found)
