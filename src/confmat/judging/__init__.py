"""Judges that err: matrices and scores where only part of the truth is known.

For whoever trusts a judge, a model or a crowd, with some items checked. One corrected matrix, which
says how sure it is. Weights, groups and clusters are refused, and so is a sample in which no two
items were checked.
"""

from confmat.judging.value import Judged

__all__ = ["Judged"]
