"""The catalog: every metric by its name, its aliases and its peers' names, and scores spelt as text.

Built once, when it is first asked. Names are found whatever their case, spaces, dashes, accents and
quotes. Peers' names carry a namespace ("pycm:TPR", "sklearn:recall_score"); they come from the
`peers` fact of a metric and from `confmat.metrics.peers.entries()`, a mapping of such names to a
Metric, a PeerScore or a PeerValue. A score has one spelling everywhere: `f1`, `f1.macro`,
`f1[Cat]`, `f0.5.weighted`, `tversky(0.3, 0.7)[Cat]`. Means are also read as people print them:
Macro-F1, F1 (macro).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import compress
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import label_spelt
from confmat.core.building import positive_of
from confmat.core.errors import Argument, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.options import door
from confmat.core.text import near, printable, some
from confmat.metrics.averages import (
    AVERAGES,
    Average,
    Undefined,
    average_named,
    given_weights,
    missing,
)
from confmat.metrics.declaration import CATALOG, Factory, Items, Metric, catalog, factories
from confmat.metrics.margins import Outside, read_cells, read_margins


def _all() -> Iterator[Metric | Factory[Any]]:
    yield from catalog().values()
    yield from factories().values()


@cache
def peer_names() -> Mapping[str, Any]:
    """The metrics by their peers' names: "pycm:TPR" and the like, as the peer writes them."""
    names: dict[str, Any] = {}
    for metric in _all():
        for peer, theirs in metric.peers.items():
            for name in (theirs,) if isinstance(theirs, str) else theirs:
                names.setdefault(f"{peer}:{name}", metric)
    from confmat.metrics.peers import WITHOUT, entries

    return MappingProxyType(
        {name: metric for name, metric in (names | entries()).items() if name not in WITHOUT}
    )


# The signs that a name may be written with or without: spaces and dashes, quotes, accents of
# letters.
_LEFT_OUT = dict.fromkeys(map(ord, " -_\u2010\u2011\u2012\u2013\u2212'\u2019\"")) | {
    ord("\u00f8"): "o"
}


def _folded(name: str) -> str:
    """Names that are folded alike are one: Cramér's V and cramer_v, LR+ and lr_plus."""
    name = name.casefold().replace("\u2019s ", " ").replace("'s ", " ")
    for sign, word in (("+", "plus"), ("-", "minus"), ("\u2212", "minus")):
        if name.endswith(sign):
            name = name[: -len(sign)] + word
    if not name.isascii():
        name = "".join(
            c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c)
        )
    return name.translate(_LEFT_OUT)


@cache
def _index() -> Mapping[str, Any]:
    """Names and aliases, folded; an alias that two metrics claim is an error of the house."""
    index: dict[str, Any] = {}
    for metric in _all():
        for name in (metric.name, *metric.aliases):
            if index.setdefault(_folded(name), metric) is not metric:
                msg = f"{name!r} is claimed by {metric.name!r} and {index[_folded(name)].name!r}"
                raise MetricError(msg)
    return index


@cache
def _peer_index() -> Mapping[str, Any]:
    index: dict[str, Any] = {}
    for name, metric in peer_names().items():
        index.setdefault(_folded(name), metric)
    return index


def find(name: str) -> Any:
    """Return the metric, or the family of metrics, of that name or alias; None if there is none.

    Parameters
    ----------
    name
        A name, an alias, or a peer's name such as "pycm:TPR"; case, spaces and dashes do not
        matter.

    Returns
    -------
    Metric, Factory or None
        A peer's name may also give a score with the peer's averaging, or a value of its own.

    Examples
    --------
    >>> find("tpr") is find("Sensitivity") is metric("recall"), find("jacard")
    (True, None)
    """
    of_peers = ":" in name
    found = (peer_names() if of_peers else CATALOG).get(name)
    if found is None:
        found = (_peer_index() if of_peers else _index()).get(_folded(name))
    return _f_of(name) if found is None else found


@door
def metric(name: str | Metric | Factory[Any]) -> Any:
    """Return the metric, or the family of metrics, of that name or alias.

    Parameters
    ----------
    name
        A name or alias; case, spaces and dashes do not matter. A Metric passes as it is.

    Returns
    -------
    Metric or Factory
        The metric, or the function that makes the metrics of a family.

    Raises
    ------
    MetricError
        If there is no such metric; the message offers the nearest names.

    Examples
    --------
    >>> metric("tpr") is metric("Sensitivity") is metric("recall")
    True
    >>> metric("f0.5").name
    'f0.5'
    >>> metric("jacard")
    Traceback (most recent call last):
        ...
    confmat.core.errors.MetricError: there is no metric 'jacard'; did you mean 'jaccard'?
    """
    if not isinstance(name, str):
        if callable(name):
            return name
        msg = f"a metric is asked for by name or given as a Metric, not as {type(name).__name__}"
        raise MetricError(msg)
    found = find(name)
    if found is None:
        msg = f"there is no metric {name!r:.60}{_hint(name)}"
        raise MetricError(msg)
    return found


def _f_of(name: str) -> Metric | None:
    """Return the F score of a beta that its name gives: F2, f0.5, f-beta-2, F2-score; as reports head their columns."""
    f = re.fullmatch(r"f(?:beta)?(?P<beta>\d+(?:\.\d+)?)(?:score)?", _folded(name.strip()))
    if f is None:
        return None
    beta = float(f["beta"])
    return factories()["f_beta"](int(beta) if beta.is_integer() else beta)


def _hint(name: str) -> str:
    from confmat.metrics.peers import WITHOUT

    space = name.rpartition(":")[0]
    index = _peer_index() if space else _index()
    nearest = {_folded(each): here for each, here in WITHOUT.items()}.get(
        _folded(name if space else f"pycm:{name}")
    )
    if nearest is not None:
        return f": PyCM's value of this name has no counterpart; the nearest is {nearest}"
    if space and not any(each.startswith(f"{_folded(space)}:") for each in index):
        spaces = sorted({each.partition(":")[0] for each in peer_names()})
        return f"; the namespaces are {', '.join(spaces)}"
    spellings = {_folded(each): each for each in (peer_names() if space else _spellings())}
    return hint(name, _folded(name), index, spellings, {} if space else _peer_index())


def _spellings() -> Iterator[str]:
    for metric in _all():
        yield from (metric.name, *metric.aliases)


def hint(
    name: str,
    folded: str,
    index: Mapping[str, Any],
    spellings: Mapping[str, str],
    peers: Mapping[str, Any],
) -> str:
    """Return the end of the error: a note on the name, the score that it spells otherwise, or the nearest names.

    `index` and `peers` are metrics by folded names, `spellings` these names as they are written.
    """
    from confmat.core.words import line

    note = line(name, "metric")
    if note:
        return f": {note}"
    score = _as_score(name, index)
    if score is not None:
        return f"; the score is spelt {score!r}, and score(m, {score!r}) gives its value"
    elsewhere = [key.partition(":")[0] for key in peers if key.partition(":")[2] == folded]
    if elsewhere:
        # scikit-learn's names are what most people have at hand.
        space = "sklearn" if "sklearn" in elsewhere else elsewhere[0]
        there = f"{space}:{name.strip()}"
        found = getattr(peers[f"{space}:{folded}"], "name", None)
        return (
            f"; did you mean {found!r} or {there!r}?"
            if found in spellings.values()
            else f"; did you mean {there!r}?"
        )
    close = near(folded, index, 3)
    # Two aliases of one metric are one suggestion.
    spelt = list({id(index[each]): spellings.get(each, each) for each in reversed(close)}.values())[
        ::-1
    ]
    return f"; did you mean {' or '.join(map(repr, spelt[:2]))}?" if spelt else ""


def _as_score(name: str, index: Mapping[str, Any]) -> str | None:
    """The score that is spelt with its average before or behind the metric: Macro-F1, f1_macro, F1 (macro)."""
    words = re.split(r"[\s_.()\-]+", name.strip(" ()").casefold())
    for average, metric in ((words[0], words[1:]), (words[-1], words[:-1])):
        found = index.get("".join(metric))
        if average in AVERAGES and getattr(found, "kind", "") == "class":
            return f"{getattr(found, 'name', '')}.{average}"
    return None


_CLASS = re.compile(r"(?P<base>[^\[]+)\[(?P<of>.*)\]", re.DOTALL)
_CALL = re.compile(r"(?P<name>[^(]+)\((?P<args>.*)\)")


@dataclass(frozen=True)
class Score:
    """A metric, and either an average, or a class, or neither."""

    metric: Any
    average: Average | None = None
    of: Any = None
    # The metric in the words of whoever asked.
    asked: str = field(default="", compare=False, repr=False)

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


def unseen(
    score: Score,
    m: Any,
    undefined: Undefined = "fair",
    outside: Outside = "wrong",
    weights: Any = None,
) -> str:
    """Return the remark on the classes that a mean leaves out because they never occur; "" where there are none.

    The remark on agreement beyond chance is that a single class occurs, or is predicted.

    >>> from confmat import ConfusionMatrix
    >>> unseen(parse_score("f1.macro"), ConfusionMatrix([[190, 10], [0, 0]], ["well", "sick"]))
    "a mean over 1 of 2 classes; 'sick' never occurs"
    """
    metric = score.metric
    if metric.kind == "matrix" and metric.chance == 0 and m.n_classes > 1:
        remark = _single_class(metric, m, outside)
        if remark:
            return remark
    if undefined not in ("fair", "skip") or not _is_over_classes(score, weights):
        return ""
    absent, used = _absent(score, m, undefined, outside, weights)
    if not used or not absent.any():
        return ""
    names = some(compress(m.labels.classes, absent.tolist()))
    never = "never occurs" if absent.sum() == 1 else "never occur"
    return f"a mean over {used:,} of {len(absent):,} classes; {names} {never}"


def _is_over_classes(score: Score, weights: Any) -> bool:
    """Whether it is a mean that loses by classes that never occur; a mean by totals weighs them with 0."""
    average = score.average
    if average is None or average.pooled or (average.weigh is not None and weights is None):
        return getattr(score.metric, "over_occurring", False)
    return True


def _absent(
    score: Score, m: Any, undefined: Undefined, outside: Outside, weights: Any
) -> tuple[NDArray[np.bool_], int]:
    """The classes that a mean leaves out because they never occur, and how many it is over."""
    metric, average = score.metric, score.average
    absent = np.asarray(read_cells(m, outside).actual) == 0
    if average is None or not absent.any():
        return absent, len(absent) - int(absent.sum())
    options = {"undefined": undefined, "weights": weights, "outside": outside}
    used = metric.averaged(m, average, **options)[1].used
    if undefined == "skip":
        absent &= missing(metric.per_class(m, outside=outside))
    if weights is not None:
        absent &= given_weights(m, weights, len(absent)) > 0
    return absent, used


def _single_class(metric: Metric, m: Any, outside: Outside) -> str:
    margins = read_margins(m, outside, metric.sees)
    sides = (margins.actual, "occurs"), (margins.predicted, "is predicted")
    single = [verb for side, verb in sides if np.count_nonzero(side) == 1]
    if not single or missing(metric(m, outside=outside)):
        return ""
    return f"a single class {single[0]}: chance alone would do as well"


def parse_score(text: Any) -> Score:
    """Read the score that a text asks for; a Metric or a Score passes.

    Parameters
    ----------
    text
        A name alone, with an average (`f1.macro`; also as it is printed: Macro-F1, F1 (macro)),
        with a class (`f1[Cat]`), or with parameters (`f_beta(2)`).

    Returns
    -------
    Score
        The metric with its average or its class.

    Raises
    ------
    MetricError
        If there is no such metric or average.

    Examples
    --------
    >>> str(parse_score("Sensitivity.macro")), str(parse_score("f1[Cat]")), str(parse_score("F0.5"))
    ('recall.macro', 'f1[Cat]', 'f0.5')
    """
    if isinstance(text, Score):
        return text
    if not isinstance(text, str):
        return Score(_made_scores(metric(text)))
    text = text.strip()
    bracket = _CLASS.fullmatch(text)
    if bracket:
        return _of_class(parse_score(bracket["base"]), bracket["of"], text)
    if find(text) is None:
        text = _as_score(text, _index()) or text
    read = _read(text)
    if read is not None:
        return Score(read, asked=text)
    return _mean(text)


def _mean(text: str) -> Score:
    base, _, last = text.rpartition(".")
    read = _read(base) if base else None
    if read is None:
        # There is no such name: the error offers the nearest ones.
        return Score(_made_scores(metric(base if base and _is_average(last) else text)))
    average = average_named(last)
    if isinstance(read, Metric) and read.kind == "matrix":
        msg = (
            f"{text!r}: {read.name} is one number of the whole matrix; there is nothing to average"
        )
        raise MetricError(msg)
    return Score(read, average=average)


def one_number(asked: Any, labels: Labels | None = None) -> Score:
    """Return the score that is one number: a bare score per class is that of the positive one of two classes.

    Parameters
    ----------
    asked
        A score as text, a Metric, or a Score.
    labels
        The labels of the matrix; without them no class can be the positive one.

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
    classes = () if labels is None else labels.classes
    if labels is not None and len(classes) == 2:
        positive = positive_of(labels)
        if positive is not None:
            return Score(score.metric, of=positive)
    name = score.asked or str(score)
    shown = list(map(printable, classes if len(classes) == 2 else classes[:1])) or ["CLASS"]
    *first, last = f"{name}.macro", *(f"{name}[{label}]" for label in shown)
    offers = ", ".join(map("'{}'".format, first)) + f" or '{last}'"
    msg = f"{name} has a value per class, and one number is wanted: say {offers}"
    raise MetricError(msg)


# Scores that are shown where nobody names any: in short, of two classes, and of several.
HEADLINE = ("accuracy", "balanced_accuracy", "f1.macro", "kappa", "mcc")
USUAL_OF_TWO = (
    "accuracy",
    "recall",
    "specificity",
    "precision",
    "npv",
    "f1",
    "balanced_accuracy",
    "mcc",
    "kappa",
)
USUAL_OF_SEVERAL = (
    "accuracy", "balanced_accuracy", "precision.macro", "recall.macro", "f1.macro", "precision.weighted", "f1.weighted",
    "kappa", "mcc",
)  # fmt: skip
# Metrics that are printed so often that a number without an explanation may be one of them.
OFTEN_PRINTED = (
    "accuracy", "error_rate", "balanced_accuracy", "one_vs_rest_balanced_accuracy", "average_accuracy",
    "f1_of_macro", "kappa", "weighted_kappa_linear", "weighted_kappa_quadratic", "mcc", "scott_pi", "pabak",
    "gwet_ac1", "multiclass_g_mean", "no_information_rate", "adjusted_balanced_accuracy",
    "recall", "precision", "specificity", "npv", "f1", "f2", "f0.5", "jaccard", "class_accuracy",
    "false_negative_rate", "false_positive_rate", "false_discovery_rate", "false_omission_rate", "prevalence",
    "detection_rate", "detection_prevalence", "one_point_auc", "class_g_mean", "g_measure", "informedness",
    "markedness", "class_mcc", "class_kappa",
)  # fmt: skip


def share_of_hits(items: Items) -> Metric:
    """Return the share of right answers among these items of a class.

    >>> share_of_hits("actual"), share_of_hits("predicted").name
    (<Metric recall: Share of a class's actual members that were found.>, 'precision')
    """
    each = (
        metric
        for metric in catalog().values()
        if metric.kind == "class" and metric.better == "higher"
    )
    return next(metric for metric in each if metric.share_of == items)


def several(asked: Any, name: str, *single: type) -> list[Any]:
    """Return several scores as a list, or one that came alone: a text, a Metric, a Score, or another of type `single`.

    >>> several("f1.macro", "metrics"), several(["f1", "mcc"], "metrics")
    (['f1.macro'], ['f1', 'mcc'])
    """
    if isinstance(asked, (str, Metric, Score, *single)) or callable(asked):
        return [asked]
    if not isinstance(asked, Iterable):
        msg = Message(
            "{} are names, or a list of them, not {}", Argument(name), type(asked).__name__
        )
        raise MetricError(msg)
    return list(asked)


def _of_class(score: Score, of: str, text: str) -> Score:
    if score.average is not None or (
        isinstance(score.metric, Metric) and score.metric.kind == "matrix"
    ):
        msg = f"{text!r} asks for one class of a score that is one number"
        raise MetricError(msg)
    return Score(score.metric, of=of)


def _is_average(text: str) -> bool:
    return text.lower() in AVERAGES


def _read(text: str) -> Any:
    """The metric of exactly this text, or None."""
    call = _CALL.fullmatch(text)
    if call and ":" not in call["name"]:
        return _called(call["name"].strip(), call["args"])
    found = find(text)
    return None if found is None else _made_scores(found)


def _called(name: str, args: str) -> Any:
    from ast import literal_eval

    found = metric(name)
    if not isinstance(found, Factory):
        msg = f"{name!r} takes no parameters"
        raise MetricError(msg)
    read: list[Any] = []
    try:
        # As a call is written, so that a table of costs is one parameter.
        read += literal_eval(f"({args},)")
    except (ValueError, SyntaxError, TypeError, RecursionError):
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


def _made_scores(found: Any) -> Any:
    if not isinstance(found, Factory):
        return found
    example = ", ".join(map(repr, found.example))
    msg = f"{found.name!r} is a family of metrics and needs parameters, such as {found.name}({example})"
    raise MetricError(msg)


@door
def score(m: Any, text: Any, **options: Any) -> Any:
    """Return the value of a score spelt as text.

    Parameters
    ----------
    m
        A matrix or a stack.
    text
        The score: `f1.macro`, `f1[Cat]`, `accuracy`; or a Metric.
    **options
        Options of the metric, such as `undefined` and `outside`.

    Returns
    -------
    float or ndarray
        One number, or one per class where the score names neither an average nor a class.

    Examples
    --------
    >>> from confmat import ConfusionMatrix
    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> round(score(m, "f1.macro"), 4), round(score(m, "f1[Hen]"), 4)
    (0.4651, 0.6667)
    """
    return parse_score(text)(m, **options)
