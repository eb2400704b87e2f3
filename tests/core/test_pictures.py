"""Pictures of items: what is one, how small it becomes, and that nothing else passes for one."""

from __future__ import annotations

import base64
import io
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from confmat.core.pictures import LONGEST, MOST_BYTES, is_picture, thumbnail

PIL = pytest.importorskip(
    "PIL.Image", reason="pictures are made with Pillow: the extra confmat[images]"
)


def decoded(text: str | None) -> Any:
    """The picture in a `data:` text."""
    assert text is not None
    kind, _, data = text.removeprefix("data:image/").partition(";base64,")
    image = PIL.open(io.BytesIO(base64.b64decode(data)))
    assert image.format.lower() == kind
    image.load()
    return image


def encoded(image: Any, form: str = "PNG") -> bytes:
    image.save(stream := io.BytesIO(), form)
    return stream.getvalue()


def address(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


@given(arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=40)))
def test_small_arrays_are_shown_as_they_are(values: Any) -> None:
    assert np.array_equal(np.asarray(decoded(thumbnail(values))), values)


@given(
    st.sampled_from([np.float64, np.float32, np.int64, np.uint16, np.bool_, np.uint8]),
    st.sampled_from([(7, 5), (3, 7, 5), (1, 7, 5), (7, 5, 1), (7, 5, 3), (7, 5, 4)]),
    st.integers(0, 9),
)
def test_arrays_of_every_type_and_shape_are_pictures(
    dtype: Any, shape: tuple[int, ...], seed: int
) -> None:
    values = (np.random.default_rng(seed).random(shape) * 500).astype(dtype)
    assert is_picture(values)
    assert decoded(thumbnail(values)).size == (5, 7)


def test_values_keep_their_order_whatever_their_range() -> None:
    for values in (
        np.array([[0, 0.5, 1]]),
        np.array([[-3.0, 0, 3]]),
        np.array([[0, 127, 255]]),
        np.array([[0, 8.0, 16]]),
    ):
        assert (
            np.abs(np.asarray(decoded(thumbnail(values))).astype(int) - [[0, 127, 255]]).max() <= 1
        )
    assert decoded(thumbnail(np.full((2, 2), np.nan))).size == (2, 2)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_large_pictures_become_small(form: str) -> None:
    """Noise, which no way of writing makes smaller."""
    image = PIL.fromarray(np.random.default_rng(0).integers(0, 256, (700, 500, 3), dtype=np.uint8))
    data = encoded(image, form)
    for value in (data, address(data, form.lower()), image):
        small = thumbnail(value)
        assert small is not None
        assert len(base64.b64decode(small.partition(",")[2])) <= MOST_BYTES
        shown = decoded(small)
        assert max(shown.size) <= LONGEST
        assert shown.width / shown.height == pytest.approx(500 / 700, abs=0.03)


def test_what_is_small_stays_byte_for_byte() -> None:
    data = encoded(PIL.new("RGB", (30, 20), "red"))
    assert thumbnail(data) == thumbnail(address(data)) == address(data)


def test_a_turned_photo_stands_upright() -> None:
    image = PIL.new("RGB", (600, 200))
    image.getexif()[0x0112] = 6
    image.save(stream := io.BytesIO(), "JPEG", exif=image.getexif())
    assert decoded(thumbnail(stream.getvalue())).size == (67, 200)


def bomb() -> bytes:
    """A PNG of a few kilobytes that says it has 400 million pixels."""
    head = b"IHDR" + (20_000).to_bytes(4, "big") * 2 + b"\x01\x00\x00\x00\x00"
    body = b"IDAT" + zlib.compress(bytes(1000))
    chunks = [
        (len(part) - 4).to_bytes(4, "big") + part + zlib.crc32(part).to_bytes(4, "big")
        for part in (head, body)
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


GOOD = encoded(PIL.new("RGB", (3, 3), "red"))
HOSTILE_PICTURES = [
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+",
    "data:image/png;base64,<script>alert(1)</script>",
    address(b"<svg onload='alert(1)'>"),
    address(GOOD[:-30]),
    address(b"\x89PNG\r\n\x1a\n" + b"A" * 300_000),
    address(bomb()),
    b"\xff\xd8\xff" + b"\0" * 50,
    np.zeros((0, 4)),
    np.zeros((2, 2, 7)),
]


@pytest.mark.parametrize("value", HOSTILE_PICTURES, ids=range(len(HOSTILE_PICTURES)))
def test_nothing_else_passes_for_a_picture(value: Any) -> None:
    assert thumbnail(value) is None


@given(
    st.binary(max_size=60),
    st.sampled_from([b"", GOOD[:8], GOOD[:33], b"GIF89a", b"RIFF0000WEBP", b"\xff\xd8\xff"]),
)
def test_no_bytes_do_harm(rest: bytes, begin: bytes) -> None:
    made = thumbnail(begin + rest)
    assert made is None or made.startswith("data:image/")


def test_without_pillow_small_files_are_shown_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    assert thumbnail(GOOD) == address(GOOD)
    for value in (
        GOOD + bytes(MOST_BYTES),
        np.zeros((3, 3)),
        "data:text/html;base64,AAAA",
        b"<svg>",
    ):
        assert thumbnail(value) is None


# ---- what is drawn -------------------------------------------------------------------------------


def near(image: Any, hue: tuple[int, int, int]) -> Any:
    """Where a picture has a colour, but for the losses of JPEG."""
    return np.abs(np.asarray(image.convert("RGB")).astype(int) - hue).max(axis=2) < 90


def test_boxes_are_cut_out_and_outlined() -> None:
    ground = np.full((400, 600, 3), 200, np.uint8)
    drawn = thumbnail(ground, {"true": [100, 100, 140, 140], "predicted": [110, 105, 150, 150]})
    shown = decoded(drawn)
    # 50 pixels wide with a margin of 17.5 on each side, enlarged to 200.
    for hue, corners in (((43, 140, 255), (18, 18, 58, 58)), ((255, 138, 22), (28, 23, 68, 68))):
        rows, cols = np.nonzero(near(shown, hue))
        found = np.array([cols.min(), rows.min(), cols.max() + 1, rows.max() + 1])
        assert np.abs(found - np.array(corners) * 200 / 85).max() < 8
    relative = thumbnail(ground, {"true": np.array([100 / 600, 100 / 400, 140 / 600, 140 / 400])})
    assert relative == thumbnail(ground, {"true": [100, 100, 140, 140]})


def test_masks_are_outlined() -> None:
    ground = np.full((100, 100), 120, np.uint8)
    rows, cols = np.mgrid[:100, :100]
    shown = decoded(thumbnail(ground, {"predicted": (rows - 50) ** 2 + (cols - 50) ** 2 < 400}))
    outline = near(shown, (255, 138, 22))
    assert outline.any()
    assert not outline[shown.height // 2, shown.width // 2]
