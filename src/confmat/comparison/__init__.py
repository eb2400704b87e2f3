"""Models side by side: which differences hold, which do not, and which stay open with matrices alone."""

from confmat.comparison.categories import Comparisons
from confmat.comparison.clusters import Clusters
from confmat.comparison.differences import Difference
from confmat.comparison.door import compare, compare_pairings, compare_predictions
from confmat.comparison.gaps import Gap, gap
from confmat.comparison.outcome import AnswerChange, CellChange, Comparison
from confmat.comparison.pairing import Pairing
from confmat.comparison.ranking import Rank, Ranking
from confmat.comparison.ratios import Ratio
from confmat.comparison.significance import McNemar, Significance, mcnemar

__all__ = [
    "AnswerChange",
    "CellChange",
    "Clusters",
    "Comparison",
    "Comparisons",
    "Difference",
    "Gap",
    "McNemar",
    "Pairing",
    "Rank",
    "Ranking",
    "Ratio",
    "Significance",
    "compare",
    "compare_pairings",
    "compare_predictions",
    "gap",
    "mcnemar",
]
