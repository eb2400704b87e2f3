"""Files of aliases: CSV with the columns alias and label, or JSON."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from confmat.core.errors import InputError, Message
from confmat.core.files import read_text
from confmat.core.text import printable, some


def read_aliases(path: str | os.PathLike[str]) -> dict[Any, Any]:
    """The aliases of a file; names that come twice must lead to one label."""
    text = read_text(path, "aliases")
    file = Path(path)
    is_json = file.suffix.lower() == ".json" or text.lstrip()[:1] == "{"
    pairs = _of_json(text, file) if is_json else _of_csv(text, file)
    found: dict[Any, Any] = {}
    for where, name, label in pairs:
        if found.setdefault(name, label) != label:
            msg = f"{printable(file)}, {where}: {some([name])} leads to {some([label])} and to {some([found[name]])}"
            raise InputError(msg)
    if not found:
        msg = f"{printable(file)} holds no aliases"
        raise InputError(msg)
    return found


def _of_json(text: str, file: Path) -> list[tuple[str, Any, Any]]:
    def unique(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        return pairs

    try:
        data = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        msg = f"{printable(file)} is no JSON: {printable(str(error))}"
        raise InputError(msg) from None
    if not (isinstance(data, list) and all(isinstance(one, tuple) for one in data)):
        msg = f'{printable(file)}: aliases in JSON are one object, such as {{"spam mail": "spam"}}'
        raise InputError(msg)
    for name, label in data:
        if not isinstance(label, (str, int)):
            msg = f"{printable(file)}: the alias {some([name])} leads to {some([label])}, which is no label"
            raise InputError(msg)
    return [("object", name, label) for name, label in data]


def _of_csv(text: str, file: Path) -> list[tuple[str, Any, Any]]:
    delimiter = "\t" if file.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head = [field.strip().lower() for field in next(reader, [])]
        if sorted(head) != ["alias", "label"]:
            msg = f"{printable(file)}: the header of a table of aliases is alias{delimiter}label, not {some(head)}"
            raise InputError(msg)
        at = head.index("alias")
        rows = []
        for row in reader:
            if not row:
                continue
            if len(row) != 2 or not row[1 - at].strip():
                msg = f"{printable(file)}, line {reader.line_num}: an alias and a label, not {some(row) or 'nothing'}"
                raise InputError(msg)
            rows.append((f"line {reader.line_num}", row[at], row[1 - at].strip()))
    except csv.Error as error:
        msg = Message("{}, line {}: {}", printable(file), reader.line_num, error)
        raise InputError(msg) from None
    return rows
