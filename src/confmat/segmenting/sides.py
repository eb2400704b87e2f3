"""One side of a segmentation: label maps from arrays, tensors, nested lists, pictures, files and iterables of those."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.columns import booleans, host_array, refuse
from confmat.errors import Argument, InputError, Message
from confmat.segmenting.files import files_in, read_map
from confmat.text import fit, printable

__all__ = ["Side", "image_named", "is_path", "opened"]

Array = NDArray[Any]
_PATHS = (str, os.PathLike)


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
        alone = _of_one_folder(self._images)
        for number, image in enumerate(self._images):
            name = number if not is_path(image) else Path(image).name if alone else os.fspath(image)
            yield name, _map_of(image, self.side, Message("{} of {}", image_named(name), Argument(self.side)), layers)


def is_path(value: Any) -> bool:
    """Whether a value names a file."""
    return isinstance(value, _PATHS)


def _of_one_folder(images: Iterable[Any]) -> bool:
    """Whether all are files of one folder, whose name then says nothing."""
    listed = isinstance(images, (list, tuple)) and all(map(is_path, images))
    return listed and len({Path(image).parent for image in images}) == 1


def image_named(name: Any) -> str:
    """An image by its number, or by the name of its file."""
    return f"image {name:,}" if isinstance(name, int) else f"image '{fit(printable(name), 80)}'"


def opened(values: Any, side: str, layers: int = 0) -> Side:
    """The maps of a side, which may be one map, an array of maps, a file, a directory or an iterable."""
    if is_path(values):
        if Path(values).is_dir():
            return Side(side, None, files_in(values))
        array = read_map(values)
        # A file of one map lends it its name.
        if array.ndim == 2 + bool(layers):
            return Side(side, None, [values])
    elif 0 < _depth(values) <= 2 + bool(layers):
        array = _nested(values, Message("{}", Argument(side)))
    elif _is_stored(values, 3 + bool(layers)):
        return Side(side, None, values)
    elif hasattr(values, "shape") or hasattr(values, "__array_interface__"):
        array = _array_of(values, Message("{}", Argument(side)))
    else:
        refuse(values, side)
        return Side(side, None, values)
    array = _checked(array, side, Message("{}", Argument(side)), layers)
    if array.ndim == 2 + bool(layers):
        array = array[None]
    return Side(side, array, array)


def _is_stored(values: Any, axes: int) -> bool:
    """Whether several maps lie in a file or a store that gives them one by one, as those of h5py and Zarr do."""
    in_memory = isinstance(values, np.ndarray) or hasattr(values, "__dlpack_device__")
    return not in_memory and len(getattr(values, "shape", ())) == axes and hasattr(values, "__getitem__")


def _depth(values: Any) -> int:
    """How many lists of lists deep the numbers are written out; 0 if they are not."""
    depth = 0
    while isinstance(values, (list, tuple)) and len(values):
        values, depth = values[0], depth + 1
    return depth if isinstance(values, (int, float, np.number, np.bool_)) else 0


def _nested(values: Any, where: str) -> Array:
    try:
        return np.array(values)
    except (ValueError, OverflowError) as error:
        msg = f"{where} holds rows of different lengths or numbers beyond 64 bits: {error!s:.120}"
        raise InputError(msg) from None


def _map_of(image: Any, side: str, where: str, layers: int) -> Array:
    if is_path(image):
        array = read_map(image)
    else:
        array = _nested(image, where) if isinstance(image, (list, tuple)) else _array_of(image, where)
    return booleans(_checked(array, side, where, layers))


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


def _checked(array: Array, side: str, where: str, layers: int) -> Array:
    """A map of integers or booleans, or an error that says what came instead."""
    if array.dtype.kind not in "iub":
        raise InputError(_no_integers(array, where))
    # Three axes are an array of several maps, or a volume; four would be one-hot layers more often than volumes.
    if array.ndim - bool(layers) not in {2, 3} or (layers and array.shape[-1] != layers):
        raise InputError(_misshapen(array, side, where, layers))
    looks = array.ndim == 3 and array.dtype == np.uint8 and array.shape[-1] in {3, 4} and min(array.shape[:2]) > 16
    if looks and not layers:
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


def _misshapen(array: Array, side: str, where: str, layers: int) -> str:
    if layers:
        return (
            f"{where} is of shape {array.shape}; each map must be H x W x 2, for every pixel its class and the number "
            "of its instance: `np.stack([classes, instances], axis=-1)`"
        )
    hint = ""
    if array.ndim == 4:
        hint = (
            f"; a layer of one channel goes by `{side}[:, 0]`, one-hot layers become labels by `.argmax(axis=1)`, "
            f"and volumes may be given one by one, as `list({side})`"
        )
    return f"{where} is of shape {array.shape}; label maps are H x W, or n x H x W for several{hint}"
