"""`save` and `load`: results stored in files, with errors that name file and line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from confmat.core.errors import InputError
from confmat.core.files import about, decoded, named, path_of, read_bytes, write_text
from confmat.core.formats import FORMATS, format_named, json_text
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door
from confmat.core.seals import seal_text
from confmat.core.stack import Stack
from confmat.core.tables import Tabular
from confmat.io.csv_format import from_csv
from confmat.io.json_format import Storable, from_json, to_json
from confmat.io.logs import read_logs
from confmat.io.printed.own import to_text
from confmat.io.printed.pasted import read_printed
from confmat.io.sources import ROWS_SUFFIXES, log_at
from confmat.reporting import Report

Path_ = str | os.PathLike[str]


def written(value: Any, name: str) -> str | bytes:
    """Return a value in a format; JSON is its stored form, and text what `print` shows, of a matrix whole.

    Parameters
    ----------
    value
        A matrix, or any result that has a table.
    name
        The name of a format, or the suffix of its files.

    Raises
    ------
    InputError
        If there is no such format, or if it is no text and no file.
    """
    form = format_named(name)
    if form.name == "json":
        if isinstance(value, (ConfusionMatrix, Stack, Report)):
            return to_json(value)
        stored = getattr(value, "to_dict", None) or value.table().to_dict
        return json_text(stored())
    if form.name == "text":
        return to_text(value) if isinstance(value, ConfusionMatrix) else f"{value}\n"
    if form.gives == "frame":
        msg = f"a {form.name} frame is no text; Table.to({form.name!r}) makes it"
        raise InputError(msg)
    text: str | bytes = value.table().to(form.name)
    return text


@door
def save(value: Tabular, path: Path_, *, overwrite: bool = True) -> None:
    """Write a matrix or any other result to a file; the suffix says how: .json, .csv, .md, .tex, .html, .xlsx, ...

    Only .json keeps everything; matrices and stacks are read back from it by `load`. The file
    appears whole or not at all.

    Parameters
    ----------
    value
        A ConfusionMatrix, Stack, Report, or another result that has a table.
    path
        The file.
    overwrite
        Whether a file of that name is replaced.

    Raises
    ------
    InputError
        If no format has the suffix, or the file exists and must stay.

    Examples
    --------
    >>> import tempfile
    >>> m = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(m, Path(folder) / "m.json")
    ...     load(Path(folder) / "m.json") == m
    True
    """
    suffix = path_of(path).suffix.lower()
    known = [suffix for form in FORMATS.values() for suffix in form.suffixes]
    if not isinstance(value, Tabular):
        msg = f"{named(path)}: a matrix or another result can be saved, not {type(value).__name__}; {MAKES_ONE}"
        raise InputError(msg)
    if suffix not in known:
        from confmat.core.words import line

        advice = line(suffix[1:], "suffix")
        msg = f"{named(path)}: the suffix of a file for a {type(value).__name__} must be one of {' '.join(known)}"
        msg += advice and f"; {advice}"
        raise InputError(msg)
    with about(named(path)):
        content = written(value, suffix)
        if isinstance(value, ConfusionMatrix) and isinstance(content, str):
            content = seal_text(content, value, format_named(suffix).name)
    write_text(content, path, overwrite=overwrite)


@door
def load(path: Path_, **options: Any) -> Storable:
    r"""Read a matrix or a stack from a file; the suffix names the format.

    Parameters
    ----------
    path
        A file in UTF-8: .json as `save` writes it; .csv or .tsv, a table (`from_csv`); a log of an
        evaluation (`read_log`), of several models as a stack; any other suffix, a printed or
        published table (`read_printed`).
    **options
        Options of those functions: `rows`, `labels`, `kind`, `outside`, `positive`; of logs
        `predicted`.

    Returns
    -------
    ConfusionMatrix or Stack

    Raises
    ------
    FileError
        The file is absent or cannot be opened.
    InputError
        The file cannot be understood.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "m.csv"
    ...     _ = path.write_text("predicted\\actual,no,yes\nno,3,0\nyes,1,2\n")
    ...     load(path)
    ConfusionMatrix([[3, 1], [0, 2]], labels=['no', 'yes'])
    """
    log = log_at(path)
    return load_stored(path, **options) if log is None else read_logs([log], **options).matrix()


def load_stored(path: Path_, **options: Any) -> Storable:
    """Read a matrix or a stack from a file that is no log of an evaluation, as `load` does."""
    data = read_bytes(path, "a matrix")
    suffix = Path(path).suffix.lower()
    if suffix in ROWS_SUFFIXES or suffix == ".xlsx":
        rows = "" if suffix == ".xlsx" else "; confmat.count_files counts a file of rows"
        msg = f"{named(path)}: load reads .json, .csv, .tsv, and printed tables in .txt, .md, .tex and .html{rows}"
        raise InputError(msg)
    with about(named(path)):
        text = decoded(data)
        if suffix == ".json" and options:
            msg = f"the file says everything itself; leave out {', '.join(options)}"
            raise InputError(msg)
        if suffix == ".json":
            return from_json(text)
        if suffix in {".csv", ".tsv"}:
            return from_csv(text, **({"delimiter": "\t"} if suffix == ".tsv" else {}) | options)
        return read_printed(text, **options)
