"""AnswerLog: the number of answers that each step read, with examples, and the answers that none read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from confmat.core.errors import InputError
from confmat.core.naming import name_to_json
from confmat.core.options import how_many, told, whole_number
from confmat.core.tables import Column, Table, Tabular, percent
from confmat.core.text import fit, number, printable, room, table
from confmat.core.values import Guarded

# In the order in which they are tried; "extract" names its way besides.
STEPS = (
    "exact",
    "space",
    "case",
    "punctuation",
    "alias",
    "extract",
    "refused",
    "abstained",
    "error",
    "fuzzy",
)
UNREAD = ("ambiguous", "invalid")
# Characters of an answer that are kept as an example.
_SHOWN_CHARACTERS = 200


class Reading(NamedTuple):
    """The label that an answer means, None where it means none, and the step that found it."""

    label: Any
    step: str


class AnswerLog(Guarded, Tabular):
    """The answers that each step of an `Answers` read: how many, with the most common ones as examples.

    An empty log fills while answers are counted: `count(actual, answers,
    answers=rules.logged(log))`. Logs add up. The numbers are in the unit of the counts: answers, or
    weight; missing answers are not read. The numbers of the steps are exact however many answers
    there are.

    Parameters
    ----------
    max_answers
        Different answers that each step remembers at least; beyond twice as many, the rarest are
        forgotten.

    Examples
    --------
    >>> from confmat import Answers
    >>> log = Answers(["yes", "no"], aliases={"nope": "no"}).explain(
    ...     ["yes", "YES!", "Yes", "nope", "perhaps"]
    ... )
    >>> print(log)
    step         answers  share  examples
    exact              1  20.0%  yes (1)
    case               1  20.0%  Yes → yes (1)
    punctuation        1  20.0%  YES! → yes (1)
    alias              1  20.0%  nope → no (1)
    invalid            1  20.0%  perhaps (1)
    total              5         3 rescued, 1 unread
    >>> log.rescued, log.unread()
    (3, [('perhaps', 1)])
    """

    def __init__(self, *, max_answers: int = 10_000) -> None:
        self.max_answers = whole_number("max_answers", max_answers)
        # Counters take weights as well; their types know integers alone.
        self._sums: Counter[Any] = Counter()
        self._answers: defaultdict[str, Counter[Any]] = defaultdict(Counter)
        super().__init__()

    # ---- what it holds ---------------------------------------------------------------------------

    @property
    def steps(self) -> dict[str, int | float]:
        """How many answers each step read, in the order of the steps."""
        return {step: self._sums[step] for step in sorted(self._sums, key=_place)}

    @property
    def total(self) -> int | float:
        """All answers."""
        return sum(self._sums.values())

    @property
    def rescued(self) -> int | float:
        """Answers that mean a class or an outside label without being written as it."""
        return sum(number for step, number in self._sums.items() if step not in {"exact", *UNREAD})

    def unread(self, most: int | None = None) -> list[tuple[Any, int | float]]:
        """Return the answers that no step read, or that would mean several classes.

        Parameters
        ----------
        most
            How many answers to return; None for all.

        Returns
        -------
        list of tuple
            The answer and its number, the most common first.
        """
        answers = [(answer, number) for step in UNREAD for answer, _, number in self.examples(step)]
        return sorted(answers, key=lambda counted: -counted[1])[: how_many("most", most)]

    def examples(self, step: str, most: int | None = None) -> list[tuple[Any, Any, int | float]]:
        """Return answers that a step read, with their labels.

        Parameters
        ----------
        step
            The name of a step, as in `steps`.
        most
            How many to return; None for all.

        Returns
        -------
        list of tuple
            The answer, its label and their number, the most common first; long answers are cut
            after 200 characters.
        """
        if not (isinstance(step, str) and (step in self._sums or step in {*STEPS, *UNREAD})):
            msg = (
                f"there is no step {told(step)}; this log has {', '.join(self.steps) or 'none yet'}"
            )
            raise InputError(msg)
        common = self._answers.get(step, Counter()).most_common(how_many("most", most))
        return [(answer[1], label[1], number) for (answer, label), number in common]

    def to_dict(self, most: int | None = 20) -> dict[str, Any]:
        """Return plain data: the steps in order, each with its number and its answers.

        Parameters
        ----------
        most
            How many answers of each step to include, the most common first; None for all.
        """
        steps = [
            {
                "step": step,
                "answers": number,
                "examples": [
                    {"answer": name_to_json(answer), "label": name_to_json(label), "answers": count}
                    for answer, label, count in self.examples(step, most)
                ],
            }
            for step, number in self.steps.items()
        ]
        return {"total": self.total, "rescued": self.rescued, "steps": steps}

    # ---- filling it ------------------------------------------------------------------------------

    def _enter(self, readings: Iterable[tuple[Any, Reading, Any]]) -> None:
        """Add answers with their readings and numbers."""
        with self._lock:
            for answer, (label, step), number in readings:
                if not number:
                    continue
                self._sums[step] += number
                is_long = isinstance(answer, str) and len(answer) > _SHOWN_CHARACTERS
                short = f"{answer[:_SHOWN_CHARACTERS]}…" if is_long else answer
                # Types belong to the key: 1 and True are two answers.
                self._answers[step][(type(short), short), (type(label), label)] += number
                self._forget(step)

    def _forget(self, step: str) -> None:
        """Let go of the rarest answers of a step, if there are too many."""
        kept = self._answers[step]
        if len(kept) > 2 * self.max_answers:
            self._answers[step] = Counter(dict(kept.most_common(self.max_answers)))

    def __add__(self, other: object) -> AnswerLog:
        if not isinstance(other, AnswerLog):
            return NotImplemented
        both = AnswerLog(max_answers=max(self.max_answers, other.max_answers))
        for log in (self, other):
            with log._lock:
                both._sums.update(log._sums)
                for step, kept in log._answers.items():
                    both._answers[step].update(kept)
                    both._forget(step)
        return both

    # ---- printing it -----------------------------------------------------------------------------

    _prints_more = True

    def table(self) -> Table:
        """Return the steps as a table: the answers that each read, their share, and the most common ones."""
        steps, total = self.steps, self.total
        examples = [
            ", ".join(_example_text(*example) for example in self.examples(step, 4))
            for step in steps
        ]
        columns = (
            Column("step", list(steps), is_label=True),
            Column("answers", list(steps.values()), number),
            Column("share", [many / total for many in steps.values()], percent),
            Column("examples", examples, str, is_label=True),
        )
        return Table(
            columns,
            (f"{number(total)} answers: {self._verdict()}",) if total else ("no answers yet",),
        )

    def _verdict(self) -> str:
        unread = sum(self._sums.get(step, 0) for step in UNREAD)
        return f"{number(self.rescued)} rescued, {number(unread)} unread"

    def __str__(self) -> str:
        if not self.total:
            return "no answers yet"
        steps = self.table()
        rows = [steps.heads, *steps.texts(), ["total", number(self.total), "", self._verdict()]]
        return "\n".join(fit(line, room()) for line in table(rows, steps.align))

    def __repr__(self) -> str:
        return f"<AnswerLog of {number(self.total)} answers, {number(self.rescued)} rescued>"


def _place(step: str) -> tuple[int, str]:
    """The rank of a step: "extract (json)" with the extracts, the unread ones at the end."""
    order = (*STEPS, *UNREAD)
    return order.index(step.partition(" (")[0]), step


def _example_text(answer: Any, label: Any, many: int | float) -> str:
    shown = fit(printable(answer), 30)
    arrow = "" if label is None or str(label) == str(answer) else f" → {fit(printable(label), 30)}"
    return f"{shown}{arrow} ({number(many)})"
