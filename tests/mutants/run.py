"""Break metrics on purpose, and show that the laws notice every one: `python tests/mutants/run.py`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Print each mutant with the law that caught it; 0 if none survived."""
    from tests.mutants.mutants import MUTANTS, judge

    # Broken formulas divide by zero and worse.
    warnings.simplefilter("ignore")
    survivors = 0
    for mutant in MUTANTS:
        law = judge(mutant)
        survivors += not law
        print(f"{'caught' if law else 'SURVIVED':8}  {mutant.name:52}  {law}")
    print(f"{len(MUTANTS)} mutants, {len(MUTANTS) - survivors} caught, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
