"""Printed numbers: whether they follow from a matrix, and which matrices they allow."""

from confmat.auditing.checks import CHECKS, Check
from confmat.auditing.door import audit
from confmat.auditing.findings import Finding, Findings
from confmat.auditing.inference import Inference
from confmat.auditing.inferring import infer

__all__ = ["CHECKS", "Check", "Finding", "Findings", "Inference", "audit", "infer"]
