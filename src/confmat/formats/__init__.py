"""Formats: matrices, stacks and reports to and from files, and printed matrices of other tools read back."""

from confmat.formats.aligned import to_text
from confmat.formats.csvform import from_csv, to_csv
from confmat.formats.foreign import from_pycm, from_sklearn
from confmat.formats.jsonform import from_data, from_json, to_data, to_json
from confmat.formats.marked import to_latex, to_markdown
from confmat.formats.pasted import Recognition, from_pycm_obj, read_printed, recognise
from confmat.formats.storage import load, save, write_text, written

__all__ = [
    "Recognition",
    "from_csv",
    "from_data",
    "from_json",
    "from_pycm",
    "from_pycm_obj",
    "from_sklearn",
    "load",
    "read_printed",
    "recognise",
    "save",
    "to_csv",
    "to_data",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "write_text",
    "written",
]
