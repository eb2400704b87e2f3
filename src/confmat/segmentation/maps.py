"""Label maps from arrays, lists, files and directories, and the pairs of maps of the same image."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, Message
from confmat.core.files import path_of, paths_in, refused
from confmat.core.text import fit, printable
from confmat.counting.columns import booleans, host_array, refuse

Array = NDArray[Any]
Named = str | os.PathLike[str]

# Suffixes of label maps in a directory: formats that keep every number as it was.
SUFFIXES = (".png", ".npy", ".tif", ".tiff", ".bmp", ".gif")
# Modes of Pillow with one number per pixel; of a palette that number is the label.
_MODES = ("1", "L", "P", "I", "I;16", "I;16B", "I;16L")
_PATHS = (str, os.PathLike)
_END: Any = object()


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
                what, wanted = (
                    "several numbers per pixel",
                    "turn colours into numbers of classes first",
                )
                if picture.mode == "F":
                    what, wanted = (
                        "a fraction per pixel",
                        "turn scores, or numbers kept so, into integers first",
                    )
                msg = f"{shown} is a picture of mode {picture.mode}, with {what}; {wanted}"
                raise InputError(msg)
            return np.asarray(picture)
    except Image.DecompressionBombError as error:
        msg = f"{shown} is larger than Pillow opens ({error!s:.120}); save it as `.npy`"
        raise InputError(msg) from error


def files_in(directory: Named) -> list[Path]:
    """The label maps in a directory, by name."""
    maps = [
        path
        for path in paths_in(directory, "label maps")
        if not path.name.startswith(".") and path.suffix.lower() in SUFFIXES and path.is_file()
    ]
    if not maps:
        msg = f"the directory {_shown(directory)} holds no label maps ({', '.join(SUFFIXES)})"
        raise InputError(msg)
    return maps


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
    files: dict[str, Path] = {}
    for file in files_in(directory):
        if file.stem in files:
            msg = f"{_shown(directory)} has two files named {fit(printable(file.stem), 60)}; they are paired by name"
            raise InputError(msg)
        files[file.stem] = file
    return files


def _shown(path: Named) -> str:
    return f"'{fit(printable(os.fspath(path)), 120)}'"


class Side:
    """Maps in a row: an array of several, or what else gives one after the other."""

    def __init__(self, side: str, array: Array | None, images: Iterable[Any]) -> None:
        self.side, self.array, self._images = side, array, images

    @property
    def many(self) -> int | None:
        """How many there are, if that is known."""
        return len(self._images) if isinstance(self._images, Sized) else None

    def maps(self, layers: int) -> Iterator[tuple[Any, Array]]:
        """Every map under the name of its file, or its number."""
        # The folder of files that share it says nothing.
        listed = isinstance(self._images, (list, tuple)) and all(map(is_path, self._images))
        alone = listed and len({Path(image).parent for image in self._images}) == 1
        for number, image in enumerate(self._images):
            name = number if not is_path(image) else Path(image).name if alone else os.fspath(image)
            yield (
                name,
                _map_of(
                    image,
                    self.side,
                    Message("{} of {}", image_named(name), Argument(self.side)),
                    layers,
                ),
            )


def is_path(value: Any) -> bool:
    """Whether a value names a file."""
    return isinstance(value, _PATHS)


def image_named(name: Any) -> str:
    """An image by its number, or by the name of its file."""
    return f"image {name:,}" if isinstance(name, int) else f"image '{fit(printable(name), 80)}'"


def opened(values: Any, side: str, layers: int = 0) -> Side:
    """The maps of a side, which may be one map, an array of maps, a file, a directory or an iterable."""
    whole = Message("{}", Argument(side))
    if is_path(values):
        if Path(values).is_dir():
            return Side(side, None, files_in(values))
        array = read_map(values)
        # A file of one map lends it its name.
        if array.ndim == 2 + bool(layers):
            return Side(side, None, [values])
    elif 0 < _depth(values) <= 2 + bool(layers):
        array = _array_of_rows(values, whole)
    elif _is_stored(values, 3 + bool(layers)):
        return Side(side, None, values)
    elif hasattr(values, "shape") or hasattr(values, "__array_interface__"):
        array = _array_of(values, whole)
    else:
        refuse(values, side)
        return Side(side, None, values)
    array = _check(array, side, whole, layers)
    if array.ndim == 2 + bool(layers):
        array = array[None]
    return Side(side, array, array)


def _is_stored(values: Any, axes: int) -> bool:
    """Whether several maps lie in a file or a store that gives them one by one, as those of h5py and Zarr do."""
    in_memory = isinstance(values, np.ndarray) or hasattr(values, "__dlpack_device__")
    return (
        not in_memory
        and len(getattr(values, "shape", ())) == axes
        and hasattr(values, "__getitem__")
    )


def _depth(values: Any) -> int:
    """How many lists of lists deep the numbers are written out; 0 if they are not."""
    depth = 0
    while isinstance(values, (list, tuple)) and len(values):
        values, depth = values[0], depth + 1
    return depth if isinstance(values, (int, float, np.number, np.bool_)) else 0


def _array_of_rows(values: Any, where: str) -> Array:
    try:
        return np.array(values)
    except (ValueError, OverflowError) as error:
        msg = f"{where} holds rows of different lengths or numbers beyond 64 bits: {error!s:.120}"
        raise InputError(msg) from None


def _map_of(image: Any, side: str, where: str, layers: int) -> Array:
    if is_path(image):
        array = read_map(image)
    else:
        array = (
            _array_of_rows(image, where)
            if isinstance(image, (list, tuple))
            else _array_of(image, where)
        )
    return booleans(_check(array, side, where, layers))


def _array_of(values: Any, where: str) -> Array:
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            msg = f"{where} has masked pixels; give them a value that `ignore` names, such as `.filled(255)`"
            raise InputError(msg)
        return np.asarray(values.data)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if hasattr(values, "__dlpack_device__"):
        return host_array(values, where.split("`")[1])
    if not hasattr(values, "__array__") and not hasattr(values, "__array_interface__"):
        msg = f"{where} is no label map but {type(values).__name__} {values!r:.60}; give an array of integers"
        raise InputError(msg)
    return np.asarray(values)


def _check(array: Array, side: str, where: str, layers: int) -> Array:
    """A map of integers or booleans, or an error that says what came instead."""
    if array.dtype.kind not in "iub":
        raise InputError(_no_integers(array, where))
    # Three axes are an array of several maps, or a volume; four would be one-hot layers more often
    # than volumes.
    if array.ndim - bool(layers) not in {2, 3} or (layers and array.shape[-1] != layers):
        raise InputError(_shape_message(array, side, where, layers))
    is_volume = array.ndim == 3 and not layers
    if (
        is_volume
        and array.dtype == np.uint8
        and array.shape[-1] in {3, 4}
        and min(array.shape[:2]) > 16
    ):
        msg = (
            f"{where} is a colour picture of shape {array.shape}, not one label per pixel; "
            "turn colours into numbers of classes first"
        )
        raise InputError(msg)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _no_integers(array: Array, where: str) -> str:
    if array.dtype.kind != "f":
        return f"{where} is an array of {array.dtype}; label maps hold one integer per pixel"
    if array.ndim > 2:
        return (
            f"{where} holds {array.dtype} of shape {array.shape}: scores per class, by their looks; their `.argmax` "
            "along the axis of the classes is the label map (whole numbers become labels by `.astype(int)`)"
        )
    return (
        f"{where} holds {array.dtype}; label maps hold integers: scores become labels by a threshold, such as "
        "`scores > 0.5`, and whole numbers by `.astype(int)`"
    )


def _shape_message(array: Array, side: str, where: str, layers: int) -> str:
    if layers:
        return (
            f"{where} is of shape {array.shape}; each map must be H x W x 2, for every pixel its class and the "
            "number of its instance: `np.stack([classes, instances], axis=-1)`"
        )
    hint = ""
    if array.ndim == 4:
        hint = (
            f"; a layer of one channel goes by `{side}[:, 0]`, one-hot layers become labels by `.argmax(axis=1)`, "
            f"and volumes may be given one by one, as `list({side})`"
        )
    return (
        f"{where} is of shape {array.shape}; label maps are H x W, or n x H x W for several{hint}"
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """One image of both sides."""

    name: Any
    actual: Array
    predicted: Array


def place_of(pair: Pair, flat: int) -> str:
    """Which image and which pixel of it, in words."""
    at = [int(i) for i in np.unravel_index(flat, pair.actual.shape)]
    where = ", ".join(
        f"{axis} {i:,}" for axis, i in zip(("slice", "row", "column")[-len(at) :], at, strict=True)
    )
    return f"{image_named(pair.name)} at {where}"


def pairs_of(actual: Any, predicted: Any, *, layers: int = 0) -> Iterator[Pair]:
    """The images of both sides in step, each with `layers` numbers per pixel along its last axis, or none."""
    if all(is_path(side) and Path(side).is_dir() for side in (actual, predicted)):
        actual, predicted = paired_files(actual, predicted)
    true, answered = opened(actual, "actual", layers), opened(predicted, "predicted", layers)
    if true.many != answered.many and None not in {true.many, answered.many}:
        msg = Message(
            "{actual} has {:,} images and {predicted} {:,}; they are paired by position",
            true.many,
            answered.many,
        )
        raise InputError(msg)
    yield from _in_step(true, answered, layers)


def _in_step(true: Side, answered: Side, layers: int) -> Iterator[Pair]:
    mine, theirs = true.maps(layers), answered.maps(layers)
    number = 0
    while True:
        left, right = next(mine, _END), next(theirs, _END)
        if left is _END and right is _END:
            return
        if left is _END or right is _END:
            short, long = ("actual", "predicted") if left is _END else ("predicted", "actual")
            msg = f"`{short}` ends after {number:,} images and `{long}` goes on; they are paired by position"
            raise InputError(msg)
        name = next((name for name, _ in (left, right) if isinstance(name, str)), number)
        _check_shapes(name, left[1], right[1])
        yield Pair(name, left[1], right[1])
        number += 1


def _check_shapes(name: Any, actual: Array, predicted: Array) -> None:
    if actual.shape == predicted.shape:
        return
    mine, theirs = (" x ".join(map(str, array.shape)) for array in (actual, predicted))
    hint = "bring both to one size first, by nearest neighbour, since labels have no averages"
    if actual.ndim != predicted.ndim:
        hint = "where one has a layer per class, its `.argmax` along that axis is the label map"
    msg = Message(
        "{} is {} in {actual} and {} in {predicted}; {}", image_named(name), mine, theirs, hint
    )
    raise InputError(msg)
