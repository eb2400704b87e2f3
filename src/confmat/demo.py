"""The embedded example: `python -m confmat.demo` counts 25 animals and prints what there is to say about them."""

from __future__ import annotations

import confmat as cm

__all__ = ["main"]

# What 25 animals are, and what a classifier took each of them for.
ACTUAL = ["Cat"] * 6 + ["Fish"] * 10 + ["Hen"] * 9
PREDICTED = (
    ["Cat"] * 4 + ["Fish"] * 1 + ["Hen"] * 1
    + ["Cat"] * 6 + ["Fish"] * 2 + ["Hen"] * 2
    + ["Cat"] * 3 + ["Fish"] * 0 + ["Hen"] * 6
)  # fmt: skip


def main() -> None:
    """Count, print the matrix, print its basic scores."""
    matrix = cm.count(ACTUAL, PREDICTED)
    print(matrix)
    print()
    print(cm.report(matrix))
    print()
    print(f"counted by the {cm.kernel_name()} kernel")


if __name__ == "__main__":
    main()
