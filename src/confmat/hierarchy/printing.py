"""How a hierarchy reads in print: a tree of safe names, of bounded size."""

from __future__ import annotations

from confmat.core.text import fit, isolated, printable
from confmat.hierarchy.building import Nodes

__all__ = ["drawn"]

# Lines in all, children of one node (fewer where that shows another level), columns of a name, and levels: each moves
# its names four columns to the right.
LINES, CHILDREN, NAME, LEVELS = 40, (12, 5), 40, 12

Children = list[list[int]]


def drawn(nodes: Nodes) -> str:
    """The top of a hierarchy as a tree, every branch down to the same level; what does not fit is counted."""
    below: Children = [[] for _ in nodes.names]
    for child, parent in zip(nodes.children.tolist(), nodes.parents.tolist(), strict=True):
        below[parent].append(child)
    levels, most = max((_levels(below, cap), cap) for cap in CHILDREN)
    lines: list[str] = [] if nodes.names[0] is None else [_name(nodes, 0)]
    seen: set[int] = set()
    waiting = _entries(below[0], most, 1, "", top=not lines)
    while waiting:
        node, depth, lead, indent = waiting.pop()
        if node < 0:
            lines.append(f"{lead}… {-node:,} more")
            continue
        again, deep = node in seen, depth >= levels
        seen.add(node)
        what = "" if not below[node] else " (as above)" if again else f" … {len(below[node]):,} below" if deep else ""
        lines.append(f"{lead}{_name(nodes, node)}{what}")
        if not (again or deep):
            waiting += _entries(below[node], most, depth + 1, indent)
    return "\n".join(lines)


def _levels(below: Children, most: int) -> int:
    """How many levels fit, with so many children of a node at most: one in any case."""
    row, lines, levels = below[0][:most], 0, 0
    while row and levels < LEVELS:
        lines += len(row)
        if lines > LINES and levels:
            break
        levels += 1
        row = [child for node in row for child in below[node][:most]]
    return levels


def _entries(
    children: list[int], most: int, depth: int, indent: str, *, top: bool = False
) -> list[tuple[int, int, str, str]]:
    """Lines of children, the last first: node (or how many more, negative), depth, what stands before, and below it."""
    shown = children if len(children) <= most else children[: most - 1]
    places = shown if len(shown) == len(children) else [*shown, len(shown) - len(children)]
    entries = []
    for node in places:
        lead, next_indent = ("└── ", "    ") if node == places[-1] else ("├── ", "│   ")
        lead, next_indent = ("", "") if top else (indent + lead, indent + next_indent)
        entries.append((node, depth, lead, next_indent))
    return entries[::-1]


def _name(nodes: Nodes, node: int) -> str:
    return isolated(fit(printable(nodes.names[node]), NAME))
