"""Pictures of items, as small `data:` texts: what a page may show without fetching anything."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The most bytes of a picture, and its longest side in pixels.
MOST_BYTES, LONGEST = 8_000, 200
# Formats that a browser shows: what their files are called and begin with. Decoders of others have
# had traps.
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_BEGINS = {
    "png": rb"\x89PNG\r\n\x1a\n",
    "jpeg": rb"\xff\xd8\xff",
    "gif": rb"GIF8[79]a",
    "webp": rb"RIFF....WEBP",
}
_DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})")
# Blue and orange are told apart by who sees red and green alike.
_HUES = {"true": (43, 140, 255), "predicted": (255, 138, 22)}


def is_picture(value: Any) -> bool:
    """Whether a value looks like one: an array with a plane, an image of Pillow, a file's bytes, a `data:` text."""
    if isinstance(value, str):
        return value.startswith("data:image/")
    if isinstance(value, bytes):
        return _text(value) is not None
    return getattr(value, "ndim", 0) in {2, 3} or hasattr(value, "getbands")


def thumbnail(value: Any, shapes: Mapping[str, Any] | None = None) -> str | None:
    """A picture, or a path of one, as a `data:` text of `MOST_BYTES`; None if it cannot be read, or not without Pillow.

    With `shapes`, the box (four corners) or mask that is "true" and the one that is "predicted", it
    is cut out around them and both are drawn.
    """
    kept = None
    try:
        data = value if isinstance(value, bytes) else None
        if isinstance(value, str) and value.startswith("data:"):
            found = _DATA.fullmatch(value)
            data = base64.b64decode(found[1]) if found else b""
        kept = None if data is None or shapes or len(data) > MOST_BYTES else _text(data)
        if data is not None and _text(data) is None:
            return None
        from PIL import Image

        with warnings.catch_warnings():
            # A small file may decode to gigabytes.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = _opened(value if data is None else io.BytesIO(data))
            if kept is not None and max(image.size) <= 2 * LONGEST:
                return kept
            return _encoded(_drawn(image, shapes) if shapes else image)
    except ImportError:
        return kept
    except Exception:  # noqa: BLE001 - whatever a broken file does to a decoder, it is no picture
        return None


def _text(data: bytes) -> str | None:
    """The address that holds a picture's bytes, which is of the kind that they begin as."""
    kind = next((kind for kind, begin in _BEGINS.items() if re.match(begin, data, re.DOTALL)), None)
    return kind and f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"


def _opened(source: Any) -> Any:
    from PIL import Image, ImageOps

    if hasattr(source, "ndim"):
        return Image.fromarray(_levels(np.asarray(source)))
    image = (
        source
        if hasattr(source, "getbands")
        else Image.open(source, formats=[*map(str.upper, _BEGINS)])
    )
    # Decoded here, so that what is broken says so; photos are upright.
    image = ImageOps.exif_transpose(image)
    return Image.fromarray(_levels(np.asarray(image))) if image.mode[0] in "IF" else image


def _levels(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Bytes of an array of any type: shares of 1 as they are, what no byte holds from its least to its most."""
    if values.ndim == 3 and values.shape[0] in {1, 3, 4} and values.shape[2] not in {1, 3, 4}:
        values = np.moveaxis(values, 0, 2)
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[:, :, 0]
    if values.dtype != np.uint8:
        numbers = np.nan_to_num(values.astype(np.float64))
        low, high = numbers.min(), numbers.max()
        usual = 255 if values.dtype.kind in "iu" else 1
        if low >= 0 and high <= usual:
            low, high = 0, usual
        values = np.rint((numbers - low) * (255 / (high - low or 1))).astype(np.uint8)
    return np.ascontiguousarray(values)


def _drawn(image: Any, shapes: Mapping[str, Any]) -> Any:
    """The part of an image around some boxes and masks, with an outline of each."""
    from PIL import Image, ImageChops, ImageDraw, ImageFilter

    boxes = {side: _corners(shape, image.size) for side, shape in shapes.items()}
    start = np.min([box[:2] for box in boxes.values()], 0)
    end = np.max([box[2:] for box in boxes.values()], 0)
    margin = max(16.0, 0.35 * float(np.max(end - start)))
    start = np.clip(np.floor(start - margin), 0, np.array(image.size) - 1)
    end = np.clip(np.ceil(end + margin), start + 1, image.size)
    scale = min(4.0, LONGEST / np.max(end - start))
    size, window = (
        tuple(np.rint((end - start) * scale).astype(int).tolist()),
        (*start.tolist(), *end.tolist()),
    )
    drawn: Any = image.convert("RGB").resize(size, box=window)
    for side, (left, top, right, bottom) in boxes.items():
        inside = Image.new("L", size)
        if np.ndim(shapes[side]) == 2:
            inside = (
                Image.fromarray(np.asarray(shapes[side], dtype=bool))
                .convert("L")
                .resize(size, box=window)
            )
        else:
            at = (np.array([left, top, right, bottom]) - np.tile(start, 2)) * scale
            ImageDraw.Draw(inside).rectangle(at.tolist(), fill=255)
        # A dark line around the bright one: one of them is seen on any ground.
        for width, hue in ((9, (0, 0, 0)), (7, _HUES[side])):
            drawn.paste(
                hue, mask=ImageChops.subtract(inside.filter(ImageFilter.MaxFilter(width)), inside)
            )
    return drawn


def _corners(shape: Any, size: tuple[int, int]) -> NDArray[np.float64]:
    """The corners of a box or a mask, in pixels; a box within 1 is relative to the image."""
    if np.ndim(shape) == 2:
        rows, cols = np.nonzero(np.asarray(shape))
        return np.array([cols.min(), rows.min(), cols.max() + 1, rows.max() + 1], np.float64)
    corners = np.asarray(shape, np.float64)
    return corners * np.tile(size, 2) if corners.max() <= 1.5 else corners


def _encoded(image: Any) -> str | None:
    """Without loss where that fits, else ever rougher and smaller."""
    if image.mode not in {"1", "L", "RGB"}:
        from PIL import Image

        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    side = LONGEST
    while True:
        image.thumbnail((side, side))
        for form, quality in (("PNG", 0), ("JPEG", 80), ("JPEG", 60), ("JPEG", 40)):
            image.save(stream := io.BytesIO(), form, quality=quality, optimize=True)
            if stream.tell() <= MOST_BYTES:
                return _text(stream.getvalue())
        side = side * 3 // 4
