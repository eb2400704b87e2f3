"""Costing: which error costs how much, what the answers cost together, and whether no model would cost less."""

from confmat.costs.making import cost_report, expected_cost
from confmat.costs.reading import read_costs
from confmat.costs.report import Constant, CostOfCell, CostOfClass, CostReport, Rows

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
