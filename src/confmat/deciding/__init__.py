"""Deciding: from scores to answers; the largest, the first k, or every threshold at once.

For whoever holds scores and has to choose an answer. Scores become matrices, a whole sweep of them
where a threshold moves. The functions that count refuse groups, clusters and labels outside the
classes, which have no score; `compare_scores` takes clusters.
"""

from confmat.deciding.benefits import DecisionCurve, decision_curve
from confmat.deciding.choices import Best, best
from confmat.deciding.confidence import RiskCoverage, RiskPoint, abstain, risk_coverage
from confmat.deciding.curves import Curve, ScoreCurve, average_precision, pr_curve, roc, roc_auc
from confmat.deciding.decisions import from_scores, top_k_accuracy
from confmat.deciding.policies import Unanswered, Without, unanswered
from confmat.deciding.rivals import compare_scores
from confmat.deciding.sweeps import thresholds

__all__ = [
    "Best",
    "Curve",
    "DecisionCurve",
    "RiskCoverage",
    "RiskPoint",
    "ScoreCurve",
    "Unanswered",
    "Without",
    "abstain",
    "average_precision",
    "best",
    "compare_scores",
    "decision_curve",
    "from_scores",
    "pr_curve",
    "risk_coverage",
    "roc",
    "roc_auc",
    "thresholds",
    "top_k_accuracy",
    "unanswered",
]
