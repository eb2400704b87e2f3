"""Formulas in plain text: nothing of LaTeX is left, and what they say is what the formula computes."""

from __future__ import annotations

import pytest

from confmat.metrics.averages import AVERAGES
from confmat.metrics.declaration import catalog
from confmat.metrics.description import plainly


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{\TP}{\TP + \FN}", "TP / (TP + FN)"),
        (
            r"1 - \frac{\sqrt{3}}{\pi} \cdot \ln \frac{\TP \cdot \TN}{\FP}",
            "1 − (√3 / π)·ln ((TP·TN) / FP)",
        ),
        (
            r"\frac{n \sum_i d_i - \sum_i r_i c_i}{n^2 - \sum_i r_i c_i}",
            "(n Σ_i d_i − Σ_i r_i c_i) / (n² − Σ_i r_i c_i)",
        ),
        (r"\sum_{ij} |i - j| C_{ij}", "Σ_ij |i − j| C_ij"),
        (r"\frac{\frac{a}{b}}{c}", "(a / b) / c"),
        (r"\frac{a}{b} (1 - \frac{c}{d})", "(a / b) (1 − c / d)"),
        (r"(\frac{a}{b})^2 + x^{3/4}", "(a / b)² + x^(3 / 4)"),
        (r"\Phi^{-1}(x) + \max(a, b)", "Φ⁻¹ (x) + max(a, b)"),
        (r"\frac{1}{\max(a, b)}", "1 / max(a, b)"),
        ("", ""),
    ],
)
def test_by_hand(latex: str, expected: str) -> None:
    assert plainly(latex) == expected


@pytest.mark.parametrize("name", catalog())
def test_no_metric_shows_latex(name: str) -> None:
    """In help, and in what the command line explains."""
    text = catalog()[name].__doc__ or ""
    formula = next((line for line in text.splitlines() if line.startswith("Formula: ")), "")
    assert "\\" not in formula
    assert formula.count("(") == formula.count(")")
    assert bool(formula) == bool(catalog()[name].latex)


def test_no_average_shows_latex() -> None:
    assert all("\\" not in plainly(average.latex) for average in AVERAGES.values())
