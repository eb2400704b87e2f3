"""Input and output: frames, databases and clusters, files larger than memory, stored values, printed matrices.

For data that are somewhere else. Files, frames and databases are counted where they are and give
what `count` gives of lists. Clusters are refused by these functions; a file that is not read for
certain is refused with what it needs.
"""

from typing import Any as _Any

from confmat.core.files import write_text
from confmat.io.counting import count_files
from confmat.io.csv_format import from_csv
from confmat.io.foreign import from_pycm, from_sklearn
from confmat.io.frames import count_frame, query
from confmat.io.json_format import from_data, from_json, to_data, to_json
from confmat.io.logs import EvalLog, read_log
from confmat.io.printed.own import to_text
from confmat.io.printed.pasted import Recognition, read_printed, recognize
from confmat.io.storage import load, save, written
from confmat.io.swept import thresholds_frame
from confmat.io.threads import Progress

__all__ = [
    "EvalLog",
    "Progress",
    "Recognition",
    "count_files",
    "count_frame",
    "from_csv",
    "from_data",
    "from_json",
    "from_pycm",
    "from_sklearn",
    "load",
    "query",
    "read_log",
    "read_printed",
    "recognize",
    "save",
    "thresholds_frame",
    "to_data",
    "to_json",
    "to_text",
    "write_text",
    "written",
]


def __getattr__(name: str) -> _Any:
    from confmat.core.words import line

    advice = "" if name.startswith("_") else line(name, "io")
    msg = f"module 'confmat.io' has no attribute {name!r}{advice and '; '}{advice}"
    raise AttributeError(msg)
