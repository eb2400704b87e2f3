"""The embedded example: `python -m confmat.demo` counts the predictions of a file and shows what there is to say.

The file, `data/demo.csv.gz`, is made by `tools/make_demo.py`: 4,000 photographs of farm animals, drawn from a fixed
seed, under the licence of the package.
"""

from __future__ import annotations

from pathlib import Path

import confmat as cm
from confmat.engines.files import count_files

__all__ = ["DATA", "main"]

DATA = Path(__file__).resolve().parent / "data" / "demo.csv.gz"


def main() -> None:
    """Count the file, print the matrix, score it, and show where it goes wrong."""
    matrix = count_files(DATA)
    print(f"What {matrix.total:,} photographs of farm animals show, and what a classifier took them for:\n")
    print(matrix)
    print("\nHow well each animal is found:\n")
    print(cm.report(matrix))
    wrong = sorted(((n, pair) for pair, n in matrix.pairs().items() if pair[0] != pair[1]), reverse=True)
    print("\nThe commonest confusions:\n")
    for n, (actual, predicted) in wrong[:3]:
        print(f"  {n:4,} times a {actual.lower()} was taken for a {predicted.lower()}")
    farms = count_files(DATA, by="farm")
    print("\nThe two farms side by side:\n")
    for farm, part in farms.items():
        print(f"  {farm:<12}{part.total:5,} photographs, macro F1 {cm.f1(part, average='macro'):.3f}")
    print(f"\ncounted by the {cm.kernel_name()} kernel from {DATA.name}, a file that comes with confmat")


if __name__ == "__main__":
    main()
