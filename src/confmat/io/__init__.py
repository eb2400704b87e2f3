"""Input and output: frames, databases and clusters, files larger than memory, stored values, printed matrices."""

from typing import Any as _Any

from confmat.core.files import write_text
from confmat.io.counting import count_files
from confmat.io.csv_format import from_csv
from confmat.io.foreign import from_pycm, from_sklearn
from confmat.io.frames import count_frame
from confmat.io.json_format import from_data, from_json, to_data, to_json
from confmat.io.logs import EvalLog, read_log
from confmat.io.printed.aligned import to_text
from confmat.io.printed.pasted import Recognition, from_pycm_obj, read_printed, recognize
from confmat.io.storage import load, save, written
from confmat.io.threads import Progress

# Names that are elsewhere: writers are methods of every result, readers of tables are constructors.
_MOVED = {
    "from_pandas": "ConfusionMatrix.from_frame",
    "from_polars": "ConfusionMatrix.from_frame",
    "from_frame": "ConfusionMatrix.from_frame",
    "from_dict": "ConfusionMatrix.from_dict",
    "read_csv": "confmat.load, or confmat.count_files for a file of pairs",
    "read_json": "confmat.load",
    "examples": "confmat.examples",
    "compare_files": "confmat.compare_files",
    "compare_frame": "confmat.compare_frame",
}

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
    "from_pycm_obj",
    "from_sklearn",
    "load",
    "read_log",
    "read_printed",
    "recognize",
    "save",
    "to_data",
    "to_json",
    "to_text",
    "write_text",
    "written",
]


def __getattr__(name: str) -> _Any:
    way = f"value.{name}(), or confmat.save(value, path)" if name.startswith("to_") else _MOVED.get(name)
    msg = f"module 'confmat.io' has no attribute {name!r}{f'; it is {way}' if way else ''}"
    raise AttributeError(msg)
