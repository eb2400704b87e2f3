"""What `confmat html` does: reads one matrix or several, with examples, and writes the page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from confmat.cli.free_answers import rules_of
from confmat.cli.reading import is_stored, names_of, read
from confmat.cli.related import chosen, hierarchy_of, score_named, scores_beside
from confmat.cli.terminal import Working
from confmat.cli.writing import form_of, inputs_of
from confmat.core.errors import InputError
from confmat.core.stack import Stack
from confmat.core.text import number, printable
from confmat.counting.examples import Examples
from confmat.display.html import html
from confmat.io.examples import examples_of_files
from confmat.reporting import Report

__all__ = ["written"]


def written(options: dict[str, Any]) -> None:
    """Read, write the page, and say where it is."""
    output = None if options["output"] == "-" else options["output"]
    form_of("html", output, inputs_of(options))
    if output is None and options["opens"]:
        msg = "--open needs a file; say where with -o"
        raise InputError(msg)
    for name in options["metrics"] or ():
        # A misspelt score is told before hours are spent on counting.
        score_named(name, options)
    found = _compared(options) if options["compare"] or options["names"] else _matrix(options)
    shown: dict[str, Any] = {
        "examples": _examples(options, found),
        "title": options["title"] or (None if options["compare"] else _title(options["files"])),
        "normalize": None if options["normalize"] == "none" else options["normalize"],
        "order": options["order"],
        "scores": [*scores_beside(found, options), *(chosen(options["metrics"], options) or ())],
    }
    hierarchy = hierarchy_of(options)
    if hierarchy is not None and options["roll_up"] is None:
        shown["class_groups"] = hierarchy
    if output is None:
        sys.stdout.write(html(found, **shown))
        return
    with Working("writing the page", quiet=options["quiet"]):
        path = html(found, output, **shown)
    if not options["quiet"]:
        size = number(max(1, round(path.stat().st_size / 1000)))
        click.echo(f"confmat: {printable(path)} written, {size} kB", err=True)
    if options["opens"]:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())


def _matrix(options: dict[str, Any]) -> Any:
    found = read(options)
    if isinstance(found, Report):
        msg = "this file holds a report, from which no counts can be had; confmat show prints it"
        raise InputError(msg)
    return found


def _compared(options: dict[str, Any]) -> Stack:
    """Each file for itself, by its name."""
    files = options["files"]
    parts = {}
    for name, file in zip(names_of(options), files, strict=True):
        found = _matrix({**options, "files": (file,)})
        if isinstance(found, Stack):
            msg = f"{printable(file)} holds a stack of matrices; compare its groups by giving it alone"
            raise InputError(msg)
        parts[name] = found
    return Stack(parts, axis="model")


def _title(files: tuple[str, ...]) -> str | None:
    return Path(files[0]).stem if len(files) == 1 and files[0] != "-" else None


def _examples(options: dict[str, Any], found: Any) -> Examples | None:
    """A few rows of each cell, read from the files once more."""
    if not options["examples"]:
        return None
    files = options["files"]
    if "-" in files:
        msg = "--examples reads the files once more, and standard input can be read once; give a file"
        raise InputError(msg)
    if stored := [name for name in files if is_stored(name, options["kind"])]:
        msg = f"--examples are rows, and {printable(stored[0])} is a stored matrix"
        raise InputError(msg)
    if options["scores"] is not None or options["sep"] is not None:
        msg = "--examples are of columns with one label in each row, not of --scores or --sep"
        raise InputError(msg)
    return examples_of_files(
        list(files),
        options["examples"],
        actual=options["actual"],
        predicted=options["predicted"],
        normalise=rules_of(dict(options)),
        matrix=found,
        per_cell=options["per_cell"],
        format=options["kind"],
        delimiter=options["delimiter"],
        na_values=options["na_values"],
        memory_limit=options["memory"],
        threads=options["threads"],
    )
