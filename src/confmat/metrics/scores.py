"""One spelling for a score everywhere: `f1`, `f1.macro`, `f1[Cat]`, `f0.5.weighted`, `tversky(0.3, 0.7)[Cat]`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confmat.core.building import positive_of
from confmat.core.errors import Argument, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.text import printable
from confmat.metrics.averages import AVERAGES, Average, average_named
from confmat.metrics.catalogue import find, metric
from confmat.metrics.declaration import Metric
from confmat.metrics.factories import Factory

__all__ = ["Score", "label_spelt", "one_number", "parse_score", "score", "several"]

_CLASS = re.compile(r"(?P<base>[^\[]+)\[(?P<of>.*)\]", re.DOTALL)
_CALL = re.compile(r"(?P<name>[^(]+)\((?P<args>.*)\)")


@dataclass(frozen=True)
class Score:
    """A metric, and either an average, or a class, or neither."""

    metric: Any
    average: Average | None = None
    of: Any = None

    @property
    def is_per_class(self) -> bool:
        """Whether it has a value for every class: a metric per class without an average and without a class."""
        bare = self.average is None and self.of is None
        return bare and isinstance(self.metric, Metric) and self.metric.kind == "class"

    def __call__(self, m: Any, **options: Any) -> Any:
        """The value of a matrix."""
        if not isinstance(self.metric, Metric):
            return self.metric(m)
        if self.average is not None:
            options["average"] = self.average
        if self.of is not None:
            options["of"] = label_spelt(m.labels, self.of)
        return self.metric(m, **options)

    def __str__(self) -> str:
        name = getattr(self.metric, "name", str(self.metric))
        if self.average is not None:
            return f"{name}.{self.average.name}"
        return name if self.of is None else f"{name}[{printable(self.of)}]"


def label_spelt(labels: Labels, text: Any) -> Any:
    """The class that is written so: the label itself, or the one that prints like the text.

    >>> label_spelt(Labels([0, 1, 2]), "2"), label_spelt(Labels(["2"]), "2")
    (2, '2')
    """
    if text in labels or not isinstance(text, str):
        return text
    if labels.kind == "int" and re.fullmatch(r"[-+]?\d+", text.strip()):
        return int(text)
    return next((label for label in labels if printable(label) == text), text)


def parse_score(text: Any) -> Score:
    """Read the score that a text asks for; a Metric or a Score passes.

    >>> str(parse_score("Sensitivity.macro")), str(parse_score("f1[Cat]")), str(parse_score("F0.5"))
    ('recall.macro', 'f1[Cat]', 'f0.5')
    """
    if isinstance(text, Score):
        return text
    if not isinstance(text, str):
        return Score(_made(metric(text)))
    text = text.strip()
    bracket = _CLASS.fullmatch(text)
    if bracket:
        return _of_class(parse_score(bracket["base"]), bracket["of"], text)
    one = _read(text)
    if one is not None:
        return Score(one)
    base, dot, last = text.rpartition(".")
    if dot and (one := _read(base)) is not None:
        how = average_named(last)
        if isinstance(one, Metric) and one.kind == "matrix":
            msg = f"{text!r}: {one.name} is one number of the whole matrix; there is nothing to average"
            raise MetricError(msg)
        return Score(one, average=how)
    # There is no such name: the error offers the nearest ones.
    return Score(_made(metric(base if dot and _is_average(last) else text)))


def one_number(asked: Any, labels: Labels | None = None) -> Score:
    """Return the score that is one number: a bare score per class is that of the positive one of two classes.

    Parameters
    ----------
    asked
        A score as text, a Metric, or a Score.
    labels
        Those of the matrix; without them no class can be the positive one.

    Returns
    -------
    Score
        The same score, or the score of the positive class.

    Raises
    ------
    MetricError
        If it has a value per class and there are not two classes, or neither is the positive one.

    Examples
    --------
    >>> str(one_number("recall", Labels(["no", "yes"], positive="yes")))
    'recall[yes]'
    >>> one_number("f1", Labels(["Cat", "Fish", "Hen"]))
    Traceback (most recent call last):
        ...
    confmat.core.errors.MetricError: f1 has a value per class, and one number is wanted: say 'f1.macro' or 'f1[Cat]'
    """
    score = parse_score(asked)
    if not score.is_per_class:
        return score
    if labels is not None and labels.n_classes == 2 and (positive := positive_of(labels)) is not None:
        return Score(score.metric, of=positive)
    label = "CLASS" if labels is None or not labels.n_classes else printable(labels.classes[0])
    msg = f"{score} has a value per class, and one number is wanted: say '{score}.macro' or '{score}[{label}]'"
    raise MetricError(msg)


def several(asked: Any, name: str, *single: type) -> list[Any]:
    """Several scores, or one that came alone: a text, a Metric, a Score, or what else is `single`.

    >>> several("f1.macro", "metrics"), several(["f1", "mcc"], "metrics")
    (['f1.macro'], ['f1', 'mcc'])
    """
    if isinstance(asked, (str, Metric, Score, *single)) or callable(asked):
        return [asked]
    if not isinstance(asked, Iterable):
        msg = Message("{} are names, or a list of them, not {}", Argument(name), type(asked).__name__)
        raise MetricError(msg)
    return list(asked)


def _of_class(score: Score, of: str, text: str) -> Score:
    if score.average is not None or (isinstance(score.metric, Metric) and score.metric.kind == "matrix"):
        msg = f"{text!r} asks for one class of a score that is one number"
        raise MetricError(msg)
    return Score(score.metric, of=of)


def _is_average(text: str) -> bool:
    return text.lower() in AVERAGES


def _read(text: str) -> Any:
    """The metric of exactly this text, or None."""
    call = _CALL.fullmatch(text)
    if call and ":" not in text:
        return _called(call["name"].strip(), call["args"])
    one = find(text)
    return None if one is None else _made(one)


def _called(name: str, args: str) -> Any:
    from ast import literal_eval

    found = metric(name)
    if not isinstance(found, Factory):
        msg = f"{name!r} takes no parameters"
        raise MetricError(msg)
    read: list[Any] = []
    for part in filter(None, map(str.strip, args.split(","))):
        try:
            read.append(literal_eval(part))
        except (ValueError, SyntaxError):
            read.append(metric(part) if _read(part) is not None else part)
    try:
        return found(*read)
    except TypeError as error:
        msg = Message("{}({}): {}", name, args, error)
        raise MetricError(msg) from error


def _made(found: Any) -> Any:
    if not isinstance(found, Factory):
        return found
    example = ", ".join(map(repr, found.example))
    msg = f"{found.name!r} is a family of metrics and needs parameters, such as {found.name}({example})"
    raise MetricError(msg)


def score(m: Any, text: Any, **options: Any) -> Any:
    """The value of a score spelt as text.

    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> round(score(m, "f1.macro"), 4), round(score(m, "f1[Hen]"), 4)
    (0.4651, 0.6667)
    """
    return parse_score(text)(m, **options)
