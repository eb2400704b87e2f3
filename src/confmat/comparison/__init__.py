"""Models side by side: which differences hold, which do not, and which cannot be told from matrices alone."""

from confmat.comparison.clustered import Clusters
from confmat.comparison.comparing import compare, compare_pairings, compare_predictions
from confmat.comparison.differences import Difference
from confmat.comparison.outcome import CellChange, Comparison
from confmat.comparison.pairing import Pairing
from confmat.comparison.significance import Significance

__all__ = [
    "CellChange",
    "Clusters",
    "Comparison",
    "Difference",
    "Pairing",
    "Significance",
    "compare",
    "compare_pairings",
    "compare_predictions",
]
