"""Weigh the source: tokens, lines of code and complexity of each room.

    python3 tools/weigh.py              a line for each room, the heaviest first
    python3 tools/weigh.py io metrics   a line for each file of these rooms
    python3 tools/weigh.py --functions  the functions with the most branches
    python3 tools/weigh.py --loaded "import confmat as cm; cm.count([1], [1])"   what a program loads

It is a mirror, not a test. A token is one of Python's tokenizer that is neither layout nor comment
nor docstring, so that a long line weighs as much as a short one, and an explanation nothing. A
function's complexity is one more than the places where it branches (McCabe 1976): `if`, loops,
`except`, `case`, comprehensions and each `and` or `or`.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "confmat"
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
BRANCHES = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
    ast.comprehension,
)
# Complexity that is worth a remark, and complexity that nobody should have to read.
MANY, TOO_MANY = 10, 20


@dataclass(frozen=True)
class Weight:
    """Tokens, lines that hold one, and the complexity of each function by its place."""

    tokens: int
    lines: int
    functions: tuple[tuple[int, str], ...]

    def __add__(self, other: Weight) -> Weight:
        return Weight(
            self.tokens + other.tokens, self.lines + other.lines, self.functions + other.functions
        )

    def above(self, limit: int) -> int:
        """Count the functions with a greater complexity."""
        return sum(complexity > limit for complexity, _ in self.functions)


def main() -> None:
    """Weigh what the command line names."""
    parser = argparse.ArgumentParser(
        description="Weigh the source by room: tokens, lines of code, complexity."
    )
    parser.add_argument("rooms", nargs="*", help="rooms whose files are listed one by one")
    parser.add_argument(
        "--functions",
        type=int,
        nargs="?",
        const=20,
        metavar="N",
        help="list the N most complex ones",
    )
    parser.add_argument(
        "--loaded", metavar="PROGRAM", help="weigh only the files that this program imports"
    )
    options = parser.parse_args()
    weights = {
        path: weigh(path)
        for path in (loaded(options.loaded) if options.loaded else SOURCE.rglob("*.py"))
    }
    if options.functions:
        every = (each for weight in weights.values() for each in weight.functions)
        for complexity, place in sorted(every, reverse=True)[: options.functions]:
            print(f"{complexity:4}  {place}")
        return
    groups: defaultdict[str, list[Weight]] = defaultdict(list)
    for path, weight in weights.items():
        inside = path.relative_to(SOURCE)
        room = inside.parts[0]
        if not options.rooms:
            groups[room].append(weight)
        elif room.removesuffix(".py") in options.rooms:
            groups[str(inside)].append(weight)
    show({name: add(parts) for name, parts in groups.items()})


def show(weights: dict[str, Weight]) -> None:
    """Print a line for each, the heaviest first, and their sum."""
    width = max(map(len, weights), default=0)
    print(
        f"{'':{width}}  {'tokens':>8} {'code lines':>11} {'functions':>10} {f'> {MANY}':>5} "
        f"{f'> {TOO_MANY}':>5} worst"
    )
    rows = sorted(weights.items(), key=lambda each: -each[1].tokens)
    for name, weight in [*rows, ("total", add(weights.values()))]:
        worst = max((complexity for complexity, _ in weight.functions), default=0)
        counts = f"{len(weight.functions):10,} {weight.above(MANY):5} {weight.above(TOO_MANY):5} {worst:5}"
        print(f"{name:{width}}  {weight.tokens:8,} {weight.lines:11,} {counts}")


def add(weights: Iterable[Weight]) -> Weight:
    """Add weights."""
    return reduce(Weight.__add__, weights, Weight(0, 0, ()))


def weigh(path: Path) -> Weight:
    """Weigh a file."""
    source = path.read_bytes()
    tree = ast.parse(source)
    explained = docstrings(tree)
    tokens = [
        each
        for each in tokenize.tokenize(io.BytesIO(source).readline)
        if each.type not in LAYOUT and each.start not in explained
    ]
    lines = {line for each in tokens for line in range(each.start[0], each.end[0] + 1)}
    functions = tuple(
        (complexity(node), f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}")
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS)
    )
    return Weight(len(tokens), len(lines), functions)


def docstrings(tree: ast.AST) -> set[tuple[int, int]]:
    """Find where docstrings begin."""
    places = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS))
            and ast.get_docstring(node, clean=False) is not None
        ):
            places.add((node.body[0].lineno, node.body[0].col_offset))
    return places


def complexity(function: ast.AST) -> int:
    """Count the ways through a function, without the functions inside it, which are counted by themselves."""
    branches = 1
    for node in inside(function):
        if isinstance(node, ast.BoolOp):
            branches += len(node.values) - 1
        elif isinstance(node, BRANCHES):
            branches += 1 + len(getattr(node, "ifs", ()))
    return branches


def inside(function: ast.AST) -> Iterator[ast.AST]:
    """Walk through a function, but not into those that it defines."""
    for node in ast.iter_child_nodes(function):
        yield node
        if not isinstance(node, FUNCTIONS):
            yield from inside(node)


def loaded(program: str) -> list[Path]:
    """Run a program in a process of its own, and list the files of this package that it imported."""
    listing = (
        "import sys; print(*(m.__file__ for m in sys.modules.values() if getattr(m, "
        "'__file__', None)), sep='\\n')"
    )
    output = subprocess.check_output([sys.executable, "-c", f"{program}\n{listing}"], text=True)  # noqa: S603
    paths = map(Path, output.splitlines())
    return sorted({path for path in paths if path.suffix == ".py" and path.is_relative_to(SOURCE)})


if __name__ == "__main__":
    main()
