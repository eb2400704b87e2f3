"""Printed numbers: whether they follow from a matrix, and which matrices they allow."""

from confmat.auditing.findings import CHECKS, Check, Finding, Findings
from confmat.auditing.inference import Inference, infer
from confmat.auditing.verdicts import audit

__all__ = ["CHECKS", "Check", "Finding", "Findings", "Inference", "audit", "infer"]
