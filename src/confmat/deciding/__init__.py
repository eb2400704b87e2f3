"""Deciding: from scores to answers; the largest, the first k, or every threshold at once."""

from confmat.deciding.abstaining import abstain
from confmat.deciding.answering import from_scores, top_k_accuracy
from confmat.deciding.choosing import Best, best
from confmat.deciding.curves import Curve, average_precision, pr, roc, roc_auc
from confmat.deciding.grids import ThresholdTally
from confmat.deciding.riskcoverage import RiskCoverage, RiskPoint, risk_coverage
from confmat.deciding.score_curves import ScoreCurve
from confmat.deciding.sweeping import thresholds
from confmat.deciding.unanswering import Unanswered, Without, unanswered

__all__ = [
    "Best",
    "Curve",
    "RiskCoverage",
    "RiskPoint",
    "ScoreCurve",
    "ThresholdTally",
    "Unanswered",
    "Without",
    "abstain",
    "average_precision",
    "best",
    "from_scores",
    "pr",
    "risk_coverage",
    "roc",
    "roc_auc",
    "thresholds",
    "top_k_accuracy",
    "unanswered",
]
