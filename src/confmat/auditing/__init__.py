"""Printed numbers: whether they follow from a matrix, and which matrices they allow.

For reviewers and readers of papers. Claims are read by the digits that were printed and held
against one matrix. A `Stack` is refused, groups or clusters: a printed number is of one table.
"""

from confmat.auditing.findings import CHECKS, Check, Finding, Findings
from confmat.auditing.inference import Inference, infer
from confmat.auditing.verdicts import audit

__all__ = ["CHECKS", "Check", "Finding", "Findings", "Inference", "audit", "infer"]
