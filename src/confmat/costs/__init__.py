"""Costs: which error costs how much, what the answers cost together, and whether no model would cost less.

For whoever pays for errors. It reads a matrix and prices. A cell that has no price is refused,
labels outside the classes too; `cost_report` refuses a `Stack`, for which `expected_cost` gives one
number for each matrix.
"""

from confmat.costs.files import read_costs
from confmat.costs.reports import (
    Constant,
    CostOfCell,
    CostOfClass,
    CostReport,
    Rows,
    cost_report,
    expected_cost,
)

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
