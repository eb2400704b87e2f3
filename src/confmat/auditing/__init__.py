"""Printed numbers: whether they follow from a matrix, and which matrices they allow."""

from confmat.auditing.checks import CHECKS, Check
from confmat.auditing.door import audit
from confmat.auditing.findings import Finding, Findings

__all__ = ["CHECKS", "Check", "Finding", "Findings", "audit"]
