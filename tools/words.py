"""Refuse phrases that make a reader ask "what?": sentences without a noun, and "told" where "reported" is meant.

Comments, docstrings and messages of Python files, comments of the kernel, and Markdown are read.
Without arguments, the offending sentences of the strict paths are printed, with paths those of the
paths; `--rooms` counts them by room.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Paths that hold no offender any more, and may get none.
STRICT = [
    "run.py",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/",
    "tools/",
    "tests/",
    "benchmarks/",
    "native/",
]
STRICT += [
    "src/confmat/auditing/",
    "src/confmat/cli/",
    "src/confmat/comparison/",
    "src/confmat/core/",
    "src/confmat/costs/",
    "src/confmat/counting/",
    "src/confmat/deciding/",
    "src/confmat/demo.py",
    "src/confmat/detection/",
    "src/confmat/display/",
    "src/confmat/hierarchy/",
    "src/confmat/intervals/",
    "src/confmat/io/",
    "src/confmat/kernels/",
    "src/confmat/keras.py",
    "src/confmat/metrics/",
    "src/confmat/matching.py",
    "src/confmat/multilabel/",
    "src/confmat/onedal.py",
    "src/confmat/reporting/",
    "src/confmat/segmentation/",
    "src/confmat/sklearn/",
    "src/confmat/spans/",
    "src/confmat/structure/",
    "src/confmat/torch.py",
]
# Sentences that are right as they stand, by a part of them; most are quoted.
ALLOWED: list[str] = []

PHRASES = {
    r"\b(?:is|are|was|were|be|been|being) told\b(?! apart)": "say 'is reported', or who says it",
    r"\b(?:that|which|what|who) (?:is|are|was|were) none\b(?! of)": "name the noun: 'an unknown label'",
    # A question may open so.
    r"(?:^|[.!?:;] |[(\"'])What\b(?![^.!?]*\?)": "open with the noun: 'The reader that ...'",
    r"(?:^|[.!?;] )Of (?!course\b)": "open with the subject",
    r"(?:^|[.!?;] )(?:That of|Those of|Those that|Whoever)\b": "name the noun: 'Nodes that ...'",
}


def main(arguments: list[str]) -> int:
    """Print offenders, or with `--rooms` how many each room has; 1 if there is one."""
    if arguments == ["--rooms"]:
        rooms: Counter[str] = Counter()
        for path in files():
            name = relative(path)
            rooms["/".join(name.split("/")[: 3 if name.startswith("src/") else 2])] += sum(
                1 for _ in offenders(path)
            )
        print(*(f"{count:6} {room}" for room, count in rooms.most_common() if count), sep="\n")
        return 0
    strict = tuple(arguments or STRICT)
    refused = [
        f"{name}:{line}: {sentence}\n    {advice}"
        for name, path in ((relative(path), path) for path in files())
        if name.startswith(strict)
        for line, sentence, advice in offenders(path)
    ]
    print(*refused, f"{len(refused)} sentences to rewrite", sep="\n")
    return 1 if refused else 0


def relative(path: Path) -> str:
    """Name a file within the repository."""
    return path.relative_to(ROOT).as_posix()


def files() -> list[Path]:
    """List every file that holds prose."""
    trees = [ROOT / name for name in ("src", "tests", "benchmarks", "tools", "docs", "native")]
    found = [
        path
        for tree in trees
        for path in tree.rglob("*")
        if path.suffix in {".py", ".md", ".hpp", ".cpp"}
    ]
    built = {ROOT / "docs/_build", ROOT / "docs/reference/generated"}
    return sorted(
        path
        for path in [*ROOT.glob("*.md"), ROOT / "run.py", *found]
        if built.isdisjoint(path.parents) and path.exists()
    )


def offenders(path: Path) -> Iterator[tuple[int, str, str]]:
    """Give the line, the sentence and the advice of each phrase that is refused."""
    for line, text in prose(path):
        for pattern, advice in PHRASES.items():
            for match in re.finditer(pattern, text, re.MULTILINE):
                start = text.rfind("\n", 0, match.start() + 1) + 1
                sentence = (
                    text[match.start() : match.start() + 100].strip(" .!?:;(\"'").partition("\n")[0]
                )
                if not any(part in text[start : match.end() + 100] for part in ALLOWED):
                    yield line + text.count("\n", 0, match.start()), sentence, advice


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Give the texts of a file, each with its first line; a paragraph is one line of a text."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from paragraphs(
            1, re.sub(r"(?ms)^(`{3,}).*?^\1$", lambda code: "\n" * code[0].count("\n"), source)
        )
    elif path.suffix == ".py":
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield from paragraphs(node.lineno, listed(node.value))
        yield from comments(python_comments(source))
    else:
        lines = enumerate(source.splitlines(), start=1)
        yield from comments((number, line.partition("// ")[2]) for number, line in lines)


def listed(text: str) -> str:
    """Mark lines that stand further in than the one above: descriptions of parameters, which are texts of their own."""
    lines = text.split("\n")
    for at in range(2, len(lines)):
        above, line = (len(each) - len(each.lstrip()) for each in lines[at - 1 : at + 1])
        if lines[at - 1].strip() and line > above:
            lines[at] = f"{lines[at][:line]}- {lines[at][line:]}"
    return "\n".join(lines)


def python_comments(source: str) -> Iterator[tuple[int, str]]:
    """Give each comment of Python with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.removeprefix("#").strip()


def comments(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Join comments of successive lines to one text."""
    first, texts = 0, list[str]()
    for number, text in lines:
        if texts and number == first + len(texts) and text:
            texts.append(text)
            continue
        if texts:
            yield first, " ".join(texts)
        first, texts = number, [text] if text else []
    if texts:
        yield first, " ".join(texts)


def paragraphs(first: int, text: str) -> Iterator[tuple[int, str]]:
    """Split a text at empty lines, and join the lines of each part."""
    number = first
    for part in re.split(r"\n[ \t]*\n|\n(?=[ \t]*[-*#|>] )", text):
        words = " ".join(part.split()).lstrip("-*#|> ")
        if words:
            yield number, words
        number += part.count("\n") + 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
