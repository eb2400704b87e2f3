"""The few ways in which confmat says no.

ConfmatError (ValueError)
├── LabelError        a label is unknown, repeated, missing, or of another kind
├── InputError        what was passed cannot be read as labels, counts or weights
│   └── FileError     a file or a folder cannot be opened (OSError)
│       └── MissingFileError  there is none of that name (FileNotFoundError)
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
    "FileError",
    "InputError",
    "LabelError",
    "MetricError",
    "MissingFileError",
]


class ConfmatError(ValueError):
    """The root of every error that confmat raises on purpose."""


class LabelError(ConfmatError):
    """A label is unknown, repeated, missing, or of another kind than its neighbours."""


class InputError(ConfmatError):
    """What was passed cannot be read as labels, counts or weights."""


class FileError(OSError, InputError):
    """A file or a folder cannot be opened: `errno` and `filename` say why and which, as in every OSError.

    What a file holds is another matter: an InputError if it cannot be read, a BudgetError if it is too large.

    >>> error = FileError(13, "m.json: permission denied", "m.json")
    >>> print(error, error.errno, error.filename, isinstance(error, ConfmatError))
    m.json: permission denied 13 m.json True
    """

    def __str__(self) -> str:
        """The message alone, which names the file."""
        return self.strerror or super().__str__()


class MissingFileError(FileError, FileNotFoundError):
    """There is no file or folder of that name, so `except FileNotFoundError` catches it as well."""


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
