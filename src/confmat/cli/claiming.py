"""Claims from the command line: NAME=NUMBER, or a file of them; digits stay as they are typed."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import click

from confmat.core.errors import InputError
from confmat.core.files import read_text
from confmat.core.text import printable

__all__ = ["Claim", "SupportOf", "claims_of", "claims_option"]

Claims = dict[str, str]


class Claim(click.ParamType[tuple[str, str]]):
    """A score and its printed number: accuracy=0.93, "precision[Cat]=57 %"."""

    name = "score=number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the digits."""
        if isinstance(value, tuple):
            return value
        name, equals, number = str(value).rpartition("=")
        if not equals or not name.strip() or not number.strip():
            self.fail(f"{printable(value)!r} is not written like accuracy=0.93", param, ctx)
        return name.strip(), number.strip()


class SupportOf(click.ParamType[tuple[str, str]]):
    """A class and how many items it has: Cat=6."""

    name = "class=count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The class and the digits."""
        if isinstance(value, tuple):
            return value
        label, equals, number = str(value).rpartition("=")
        if not equals or not label or not number.strip():
            self.fail(f"{printable(value)!r} is not written like Cat=6", param, ctx)
        return label, number.strip()


def claims_option(command: Any) -> Any:
    """The two options that give claims."""
    command = click.option(
        "--claims",
        "files",
        multiple=True,
        metavar="FILE",
        help="Claims from a file: JSON of score to number, or CSV of score,number.",
    )(command)
    return click.option(
        "-c", "--claim", "claims", multiple=True, type=Claim(), help="A printed score; repeatable, digits as printed."
    )(command)


def claims_of(options: dict[str, Any]) -> Claims:
    """All claims, those of files first; the same score with other digits is an error."""
    found: Claims = {}
    for name in options["files"]:
        _add(found, _of_file(name))
    _add(found, list(options["claims"]))
    return found


def _add(found: Claims, pairs: list[tuple[str, str]]) -> None:
    for name, number in pairs:
        if found.setdefault(name, number) != number:
            msg = f"{printable(name)} is claimed twice: {printable(found[name])} and {printable(number)}"
            raise InputError(msg)


def _of_file(name: str) -> list[tuple[str, str]]:
    text = read_text(name, "claims")
    return _of_json(name, text) if text.lstrip().startswith(("{", "[")) else _of_csv(name, text)


def _of_json(name: str, text: str) -> list[tuple[str, str]]:
    try:
        # Numbers are kept as they are written: 0.930 has three decimals.
        found = json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=list)
    except ValueError as error:
        msg = f"{printable(name)} is no JSON: {error}"
        raise InputError(msg) from None
    if not all(isinstance(each, tuple) and isinstance(each[1], str) for each in found):
        msg = f'{printable(name)}: claims are an object of score to number, such as {{"accuracy": 0.930}}'
        raise InputError(msg)
    return [(str(key), value) for key, value in found]


def _of_csv(name: str, text: str) -> list[tuple[str, str]]:
    rows = [row for row in csv.reader(io.StringIO(text), skipinitialspace=True) if any(cell.strip() for cell in row)]
    if any(len(row) != 2 for row in rows):
        msg = f"{printable(name)}: each line is a score and its number, such as accuracy,0.930"
        raise InputError(msg)
    pairs = [(row[0].strip(), row[1].strip()) for row in rows]
    return pairs[1:] if pairs and not any(char.isdigit() for char in pairs[0][1]) else pairs
