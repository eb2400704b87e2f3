"""The few ways in which confmat says no.

ConfmatError (ValueError)
├── LabelError        a label is unknown, repeated, missing, or of another kind
├── InputError        what was passed cannot be read as labels, counts or weights
├── BudgetError       the answer would not fit the stated budget
└── MetricError       a metric or an average is unknown, or cannot be asked this way

ConfmatWarning (UserWarning)
├── AlignmentWarning      two series were paired by position though their indexes differ
└── CompatibilityWarning  a familiar signature loses rows or labels, as its model does
"""

__all__ = [
    "AlignmentWarning",
    "BudgetError",
    "CompatibilityWarning",
    "ConfmatError",
    "ConfmatWarning",
    "InputError",
    "LabelError",
    "MetricError",
]


class ConfmatError(ValueError):
    """The root of every error that confmat raises on purpose."""


class LabelError(ConfmatError):
    """A label is unknown, repeated, missing, or of another kind than its neighbours."""


class InputError(ConfmatError):
    """What was passed cannot be read as labels, counts or weights."""


class BudgetError(ConfmatError):
    """The answer would not fit the stated budget of memory, classes or groups."""


class MetricError(ConfmatError):
    """A metric or an average is unknown, or cannot be asked in this way."""


class ConfmatWarning(UserWarning):
    """The root of every warning that confmat gives."""


class AlignmentWarning(ConfmatWarning):
    """Two series were paired by position although their indexes differ."""


class CompatibilityWarning(ConfmatWarning):
    """A function with another package's signature loses rows or labels, because that package does."""
