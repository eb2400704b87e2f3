"""The embedded example: `python -m confmat.demo` counts the predictions of a file and shows what there is to say.

It ends by writing `confmat-demo.html` into the current directory, or where that cannot be written
into a temporary one.

The file, `data/demo.csv.gz`, is made by `tools/make_demo.py`: 4,000 photographs of farm animals,
drawn from a fixed seed, under the licence of the package.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import confmat as cm
from confmat.display.terminal import has_colors
from confmat.io.counting import count_files
from confmat.io.samples import examples

# The columns that an example shows.
EXAMPLES = ("photo", "farm")
DATA = Path(__file__).resolve().parent / "data" / "demo.csv.gz"


def main(folder: Path | None = None) -> None:
    """Count the file, print the matrix, score it, show where it goes wrong, and write the page."""
    matrix = count_files(DATA)
    shown = cm.show if has_colors(sys.stdout) else print
    print(f"{matrix.total:,} photographs of farm animals, and the answers of a classifier:\n")
    shown(matrix)
    print("\nHow well each animal is found:\n")
    shown(cm.report(matrix))
    wrong = sorted(
        ((n, pair) for pair, n in matrix.pairs().items() if pair[0] != pair[1]), reverse=True
    )
    print("\nThe commonest confusions:\n")
    for n, (actual, predicted) in wrong[:3]:
        print(f"  {n:4,} times a {actual.lower()} was taken for a {predicted.lower()}")
    farms = count_files(DATA, by="farm")
    print("\nThe two farms side by side:\n")
    for farm, part in farms.items():
        print(
            f"  {farm:<12}{part.total:5,} photographs, macro F1 {cm.f1(part, average='macro'):.3f}"
        )
    print(
        f"\ncounted by the {cm.kernel_name()} kernel from {DATA.name}, a file that comes with "
        "confmat"
    )
    page = write_page(matrix, Path() if folder is None else folder)
    print(f"\nThe same to look at, click and search, with examples of each confusion:\n\n  {page}")


def write_page(matrix: cm.ConfusionMatrix, folder: Path) -> Path:
    """Write the report, with the photographs behind each cell, and give its place."""
    page = folder.resolve() / "confmat-demo.html"
    shown = examples(DATA, EXAMPLES, matrix=matrix)
    try:
        cm.html(matrix, page, title="Farm animals", examples=shown)
    except OSError:
        page = Path(tempfile.mkdtemp(prefix="confmat-")) / page.name
        cm.html(matrix, page, title="Farm animals", examples=shown)
    return page


if __name__ == "__main__":
    main()
