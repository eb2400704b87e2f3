"""Costs: which error costs how much, what the answers cost together, and whether no model would cost less."""

from confmat.costs.files import read_costs
from confmat.costs.reports import Constant, CostOfCell, CostOfClass, CostReport, Rows, cost_report, expected_cost

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
