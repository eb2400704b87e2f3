"""How often does the audit accuse wrongly? Random matrices, true claims and false ones, and what it says of them.

`python -m benchmarks.false_accusations` draws 100 tables for each number of decimals, `--full` 500.
Each table has two to six classes and 50 to 2,000 items, and eight claims: scores of classes,
averages and of the whole, rounded half up or half to even. Then the same is asked with one claim
replaced by a random number, and with rows and columns exchanged.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import numpy as np

import confmat as cm
from confmat.auditing import Finding, audit

SEED = 20_240
AVERAGED = ("precision", "recall", "f1", "f2", "specificity", "jaccard")
WHOLE = ("accuracy", "kappa", "mcc", "balanced_accuracy")
VERDICTS = ("ok", "warning", "mistake", "error")


@dataclass
class Tally:
    """The verdicts on so many tables."""

    decimals: int
    tables: int = 0
    claims: int = 0
    # Tables whose claims are all true.
    true_errors: int = 0
    true_warnings: int = 0
    # Verdicts on the one random number in a table.
    random: Counter[str] = field(default_factory=Counter)
    # Tables with rows and columns exchanged.
    turned: int = 0
    turned_errors: int = 0

    def row(self) -> str:
        """A line of the table."""
        found = [f"{self.random[each] / self.tables:.3f}" for each in VERDICTS]
        return (
            f"| {self.decimals} | {self.claims:,} | {self.true_errors} | {self.true_warnings} | "
            f"{' | '.join(found)} | {self.turned / self.tables:.3f} | {self.turned_errors} |"
        )


def drawn(rng: np.random.Generator) -> cm.ConfusionMatrix:
    """A table: a classifier that is right more often than not, some classes rare."""
    k, n = int(rng.integers(2, 7)), int(rng.integers(50, 2001))
    right = rng.uniform(0.5, 0.95)
    shares = rng.dirichlet(np.full(k, 2.0))
    rates = right * np.eye(k) + (1 - right) * rng.dirichlet(np.full(k, 1.0), k)
    counts = rng.multinomial(n, (shares[:, None] * rates).ravel()).reshape(k, k)
    return cm.ConfusionMatrix(counts, [f"c{i}" for i in range(k)])


def rounded(value: float, decimals: int, rng: np.random.Generator) -> str:
    """The digits of a value, half up or half to even."""
    how = ROUND_HALF_UP if rng.random() < 0.5 else ROUND_HALF_EVEN
    # Ten digits are enough to tell a tie from what only looks like one.
    return str(Decimal(f"{value:.10f}").quantize(Decimal(1).scaleb(-decimals), how))


def claimed(m: cm.ConfusionMatrix, decimals: int, rng: np.random.Generator) -> dict[str, str]:
    """Eight true claims, those without a value left out."""
    names = [
        f"{name}[{rng.choice(list(m.labels))}]" for name in rng.choice(AVERAGED, 4, replace=False)
    ]
    names += [
        f"{name}.{rng.choice(['macro', 'weighted'])}"
        for name in rng.choice(AVERAGED, 2, replace=False)
    ]
    names += list(rng.choice(WHOLE, 2, replace=False))
    values = {name: cm.score(m, name) for name in names}
    return {
        name: rounded(value, decimals, rng) for name, value in values.items() if not np.isnan(value)
    }


def verdict(found: Finding) -> str:
    """How a false claim was taken: as true, as a convention, as a published mistake by name, or as an error."""
    if found.severity != "error":
        return found.severity
    return "error" if found.code in {"not-reproducible", "impossible"} else "mistake"


def simulated(decimals: int, tables: int, seed: int = SEED) -> Tally:
    """Audit random tables."""
    rng = np.random.default_rng([seed, decimals])
    tally = Tally(decimals)
    for _ in range(tables):
        m = drawn(rng)
        claims = claimed(m, decimals, rng)
        found = audit(m, claims)
        tally.tables += 1
        tally.claims += len(claims)
        tally.true_errors += len(found.errors)
        tally.true_warnings += len(found.warnings)
        name = str(rng.choice(list(claims)))
        number = f"{rng.integers(0, 10**decimals + 1) / 10**decimals:.{decimals}f}"
        tally.random[verdict(audit(m, claims | {name: number})[name])] += 1
        # As printed, without a word about its rows.
        turned = audit(m.T.counts, claims, labels=m.labels.classes)
        tally.turned += "transposed" in turned.codes
        tally.turned_errors += len(turned.errors)
    return tally


def main() -> None:
    """Print the table of the guide."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="500 tables of each kind")
    tables = 500 if parser.parse_args().full else 100
    print(
        "| decimals | true claims | errors | warnings | ok | warning | mistake | error | found "
        "turned | errors then |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for decimals in (2, 3, 4):
        print(simulated(decimals, tables).row())


if __name__ == "__main__":
    main()
