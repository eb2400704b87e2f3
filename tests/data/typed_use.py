"""Code of a user, as type checkers see it; tests/test_types.py runs them over this file."""

from typing import Any, assert_type

from numpy.typing import NDArray

import confmat as cm

m = cm.ConfusionMatrix([[4, 1], [2, 3]], ["cat", "dog"])
stack = cm.Stack({"old": m, "new": m})

# A value per class, one number of one class or of an average.
assert_type(cm.f1(m), NDArray[Any])
assert_type(cm.f1(m, of="cat"), float)
assert_type(cm.f1(m, average="macro"), float)
assert_type(cm.recall(m, average=cm.AVERAGES["weighted"], undefined="skip"), float)
assert_type(cm.f_beta(2)(m), NDArray[Any])
assert_type(cm.metrics.tversky(0.3, 0.7)(m, of="dog"), float)
assert_type(cm.metrics.coefficients.kuhns_3(m, of="dog"), float)

# One number of the whole matrix.
assert_type(cm.accuracy(m), float)
assert_type(cm.mutual_information(m), float)
assert_type(cm.mean_absolute_error(m, outside="exclude"), float)
assert_type(cm.metrics.weighted_kappa("linear")(m), float)

# A value, or a row of values, for each matrix of a stack.
assert_type(cm.accuracy(stack), NDArray[Any])
assert_type(cm.f1(stack, average="macro"), NDArray[Any])

# One matrix, or one for each group or cluster.
assert_type(cm.count(["a"], ["a"], weights=[1]), cm.ConfusionMatrix)
assert_type(cm.count(["a"], ["a"], by=[1]), cm.Stack)
assert_type(cm.judged(["a"], ["a"], gold=["a"]), cm.Judged)
assert_type(cm.judged(["a"], gold=["a"]), cm.Judged)
assert_type(cm.judged(["a"], {"old": ["a"], "new": ["a"]}, gold=["a"]), cm.Comparison)
assert_type(cm.count(["a"], ["a"], clusters=[1], missing="drop"), cm.Stack)
cm.count(["a"], ["a"], by=[1], clusters=[1])  # error

# One estimate where an argument says so, or a score that is one number; otherwise one, or one for each class.
assert_type(cm.interval(m, "f1", average="macro"), cm.Estimate)
assert_type(cm.interval(m, cm.f1, average=cm.AVERAGES["macro"], level=0.9), cm.Estimate)
assert_type(cm.interval(stack, "recall", of="cat"), cm.Estimate)
assert_type(cm.interval(m, "f1.macro").low, float)
assert_type(cm.interval(m, "accuracy", method="exact"), cm.Estimate)
assert_type(cm.interval(m, cm.mcc), cm.Estimate)
assert_type(cm.interval(m, cm.metrics.cost([[0, 1], [5, 0]])), cm.Estimate)
assert_type(cm.interval(m, cm.f1), cm.Estimate | cm.Estimates)
assert_type(cm.interval(m, "recall"), cm.Estimate | cm.Estimates)


def of_a_class_or_of_every(name: str | None) -> cm.Estimate | cm.Estimates:
    return cm.interval(m, "recall", of=name)


cm.interval(m, "f1", average="macro", levl=0.9)  # error

# The rates of a matrix, by any of their names.
assert_type(m.normalize("row"), NDArray[Any])
m.normalize("rows")  # error

# Sources: matrices, paths and logs, alone or by their names.
named: dict[str, str] = {"old": "old.eval", "new": "new.eval"}
log = cm.io.read_log("a.eval")
assert_type(cm.report(log), cm.Report)
assert_type(cm.compare({"a": log, "b": "b.eval"}), cm.Comparison)
cm.html("a.eval")
cm.html(log, "page.html")
cm.html(named)
cm.html({"a": m, "b": m})
cm.html({"a": "a.eval", "b": log, "c": m})
cm.html(3)  # error

# Names that are spelt wrong.
cm.conut(["a"], ["b"])  # error
cm.accuracy(m.totl)  # error
cm.f1(m, average=3)  # error
