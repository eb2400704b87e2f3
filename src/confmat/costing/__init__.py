"""Costing: which error costs how much, what the answers cost together, and whether no model would cost less."""

from confmat.costing.making import cost_report, expected_cost
from confmat.costing.reading import read_costs
from confmat.costing.report import Constant, CostOfCell, CostOfClass, CostReport, Rows

__all__ = [
    "Constant",
    "CostOfCell",
    "CostOfClass",
    "CostReport",
    "Rows",
    "cost_report",
    "expected_cost",
    "read_costs",
]
