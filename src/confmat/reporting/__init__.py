"""Reports: scores of a matrix or a stack side by side, with their intervals."""

from confmat.reporting.making import METRICS, OVERALL, report
from confmat.reporting.value import Report

__all__ = ["METRICS", "OVERALL", "Report", "report"]
