"""Input and output: frames, databases and clusters, files larger than memory, stored values, printed matrices."""

from confmat.io.counting import count_files
from confmat.io.csv_format import from_csv
from confmat.io.foreign import from_pycm, from_sklearn
from confmat.io.frames import count_frame
from confmat.io.json_format import from_data, from_json, to_data, to_json
from confmat.io.printed.aligned import to_text
from confmat.io.printed.pasted import Recognition, from_pycm_obj, read_printed, recognize
from confmat.io.storage import load, save, write_text, written
from confmat.io.threads import Progress

__all__ = [
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
    "read_printed",
    "recognize",
    "save",
    "to_data",
    "to_json",
    "to_text",
    "write_text",
    "written",
]
