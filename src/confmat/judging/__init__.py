"""Judges that err: matrices and scores where only part of the truth is known."""

from confmat.judging.value import Judged

__all__ = ["Judged"]
