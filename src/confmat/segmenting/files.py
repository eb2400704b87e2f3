"""Label maps in files: NumPy's own through a memory map, pictures through Pillow if it is there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._files import path_of, paths_in, refused
from confmat.errors import InputError
from confmat.text import fit, printable

__all__ = ["files_in", "paired_files", "read_map"]

Array = NDArray[Any]
Named = str | os.PathLike[str]

# What a directory of label maps is searched for: formats that keep every number as it was.
SUFFIXES = (".png", ".npy", ".tif", ".tiff", ".bmp", ".gif")
# Modes of Pillow with one number per pixel; of a palette that number is the label.
_MODES = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")


def read_map(path: Named) -> Array:
    """The array of a file: of `.npy` without reading it whole, of a picture its numbers."""
    path_of(path)
    shown = _shown(path)
    try:
        if os.fspath(path).lower().endswith(".npy"):
            # The plain array: a memory map's subclass would follow into every slice.
            return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
        return _picture(path, shown)
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        if isinstance(error, InputError):
            raise
        # Pillow's own errors have no number of the system's.
        if isinstance(error, OSError) and error.errno:
            raise refused(path, error, "a label map") from None
        msg = f"cannot read {shown} as a label map: {printable(error):.200}"
        raise InputError(msg) from error


def _picture(path: Named, shown: str) -> Array:
    try:
        from PIL import Image
    except ImportError:
        msg = f"{shown}: pictures are read with Pillow, which is not installed; `pip install pillow`, or save `.npy`"
        raise InputError(msg) from None
    try:
        with Image.open(path) as picture:
            if picture.mode not in _MODES:
                what, wanted = "several numbers per pixel", "turn colours into numbers of classes first"
                if picture.mode == "F":
                    what, wanted = "a fraction per pixel", "turn scores, or numbers kept so, into integers first"
                msg = f"{shown} is a picture of mode {picture.mode}, with {what}; {wanted}"
                raise InputError(msg)
            return np.asarray(picture)
    except Image.DecompressionBombError as error:
        msg = f"{shown} is larger than Pillow opens ({error!s:.120}); save it as `.npy`"
        raise InputError(msg) from error


def files_in(directory: Named) -> list[Path]:
    """The label maps in a directory, by name."""
    found = [path for path in paths_in(directory, "label maps") if _is_map(path)]
    if not found:
        msg = f"the directory {_shown(directory)} holds no label maps ({', '.join(SUFFIXES)})"
        raise InputError(msg)
    return found


def paired_files(actual: Named, predicted: Named) -> tuple[list[Path], list[Path]]:
    """The files of two directories that have the same name, suffix aside; all must have a partner."""
    mine, theirs = _by_stem(actual), _by_stem(predicted)
    for here, there, place in ((mine, theirs, predicted), (theirs, mine, actual)):
        alone = [stem for stem in here if stem not in there]
        if alone:
            names = ", ".join(fit(printable(stem), 60) for stem in alone[:3])
            msg = f"{len(alone):,} label maps have no partner in {_shown(place)}: {names}"
            raise InputError(msg)
    return list(mine.values()), [theirs[stem] for stem in mine]


def _by_stem(directory: Named) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for file in files_in(directory):
        if file.stem in found:
            msg = f"{_shown(directory)} has two files named {fit(printable(file.stem), 60)}; they are paired by name"
            raise InputError(msg)
        found[file.stem] = file
    return found


def _is_map(path: Path) -> bool:
    return not path.name.startswith(".") and path.suffix.lower() in SUFFIXES and path.is_file()


def _shown(path: Named) -> str:
    return f"'{fit(printable(os.fspath(path)), 120)}'"
