"""Arrow columns from producers that break the rules: errors, no leaks, no reading where nothing is."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.twins import compiled


class CSchema(ctypes.Structure):
    pass


class CArray(ctypes.Structure):
    pass


class CStream(ctypes.Structure):
    pass


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(CSchema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
CArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(CArray)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
CStream._fields_ = [
    ("get_schema", GET),
    ("get_next", GET),
    ("get_last_error", LAST_ERROR),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


def c_array(
    length: int, *buffers: Any, offset: int = 0, dictionary: CArray | None = None
) -> CArray:
    """An array over NumPy arrays; None is a missing buffer."""
    addresses = (ctypes.c_void_p * max(len(buffers), 1))(
        *(b if b is None else b.ctypes.data for b in buffers)
    )
    array = CArray(length, -1, offset, len(buffers), 0, addresses)
    if dictionary is not None:
        array.dictionary = ctypes.pointer(dictionary)
    array.kept = (buffers, addresses, dictionary)
    return array


def text_array(texts: list[str]) -> CArray:
    data = "".join(texts).encode()
    offsets = np.cumsum([0, *(len(t.encode()) for t in texts)]).astype(np.int32)
    return c_array(len(texts), None, offsets, np.frombuffer(data or b"\0", np.uint8))


class Producer:
    """Exports arrays through the stream interface and counts what is released."""

    def __init__(
        self, kind: str, arrays: list[CArray], *, values: str | None = None, error: bytes = b""
    ) -> None:
        self.format, self.arrays, self.values, self.error = kind.encode(), arrays, values, error
        self.handed_out = self.released = 0
        self.error_text = ctypes.create_string_buffer(error)
        self.release = {kind: RELEASE(self.releaser(kind)) for kind in (CSchema, CArray, CStream)}
        self.callbacks = (
            GET(self.get_schema),
            GET(self.get_next),
            LAST_ERROR(lambda _: ctypes.addressof(self.error_text)),
        )
        self.capsule: Any = None

    def releaser(self, kind: Any) -> Callable[[int], None]:
        def release(address: int) -> None:
            struct = kind.from_address(address)
            assert struct.release
            struct.release = None
            self.released += 1

        return release

    def hand_out(self, kind: Any, struct: Any, address: int) -> int:
        struct.release = ctypes.cast(self.release[kind], ctypes.c_void_p)
        ctypes.memmove(address, ctypes.byref(struct), ctypes.sizeof(kind))
        self.handed_out += 1
        return 0

    def get_schema(self, _: int, address: int) -> int:
        schema = CSchema(self.format)
        if self.values is not None:
            self.value_schema = CSchema(self.values.encode())
            schema.dictionary = ctypes.pointer(self.value_schema)
        return self.hand_out(CSchema, schema, address)

    def get_next(self, _: int, address: int) -> int:
        if self.arrays:
            self.current = self.arrays.pop(0)
            return self.hand_out(CArray, self.current, address)
        if self.error:
            return 5
        CArray.from_address(address).release = None
        return 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if self.capsule is None:
            self.stream = CStream(*self.callbacks)
            self.stream.release = ctypes.cast(self.release[CStream], ctypes.c_void_p)
            self.handed_out += 1
            new = ctypes.pythonapi.PyCapsule_New
            new.restype, new.argtypes = (
                ctypes.py_object,
                (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
            )
            self.capsule = new(ctypes.addressof(self.stream), b"arrow_array_stream", None)
        return self.capsule

    def balanced(self) -> bool:
        gc.collect()
        return self.handed_out == self.released > 0


def i32(*values: int) -> Any:
    return np.array(values, np.int32)


BYTES = np.frombuffer(b"abcdefgh", np.uint8)
BROKEN = {
    "decreasing offsets": (
        "u",
        c_array(2, None, i32(0, 3, 1), BYTES),
        "row 1 has decreasing offsets",
    ),
    "rising offset": (
        "u",
        c_array(3, None, i32(0, 1, 2**30, 3), BYTES),
        "row 2 has decreasing offsets",
    ),
    "rising offset in a slice": (
        "u",
        c_array(1, None, i32(0, 1, 2**30, 3), BYTES, offset=2),
        "row 0 has decreasing",
    ),
    "negative offset": ("u", c_array(1, None, i32(-4, 3), BYTES), "row 0 has decreasing offsets"),
    "no data": ("u", c_array(1, None, i32(0, 3), None), "row 0 has no data"),
    "no offsets": ("u", c_array(1, None, None, BYTES), "a missing buffer"),
    "too few buffers": ("u", c_array(1, None, i32(0, 3)), "the wrong number of buffers"),
    "negative length": ("i", c_array(-1, None, i32(1)), "a negative length"),
    "absurd length": ("l", c_array(2**62, None, i32(1)), "an absurd length"),
    "width of fixed bytes": ("w:-1", c_array(0, None, None), "has no width"),
    "not UTF-8": (
        "u",
        c_array(3, None, i32(0, 1, 3, 5), np.frombuffer(b"a\xff\xfe\xff\xfe", np.uint8)),
        "row 1 holds",
    ),
    "view of no buffer": (
        "vu",
        c_array(1, None, i32(20, 0, 1, 0), BYTES, np.array([8])),
        "row 0 points outside",
    ),
    "view too long": (
        "vu",
        c_array(1, None, i32(20, 0, 0, 0), BYTES, np.array([8])),
        "row 0 points outside",
    ),
    "view of negative length": (
        "vu",
        c_array(1, None, i32(-2, 0, 0, 0), BYTES, np.array([8])),
        "negative length",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "array", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_arrow_data_is_an_error(kind: str, array: CArray, words: str) -> None:
    producer = Producer(kind, [array])
    with pytest.raises(ValueError, match=words):
        compiled.encode_arrow(producer)
    assert producer.balanced()


ENTRIES = text_array(["a", "b"])
BROKEN_DICTIONARIES = {
    "negative index": (-1, ENTRIES, "row 0 points outside the dictionary"),
    "large index": (2, ENTRIES, "row 0 points outside the dictionary"),
    "rising offset": (
        0,
        c_array(2, None, i32(0, 2**30, 3), BYTES),
        "entry 1 of the dictionary has decreasing offsets",
    ),
    "unused and not UTF-8": (
        0,
        c_array(2, None, i32(0, 1, 2), np.frombuffer(b"a\xff", np.uint8)),
        "label 1 of the dictionary holds",
    ),
    "missing": (0, None, "dictionary is missing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN_DICTIONARIES)
def test_a_broken_dictionary_is_an_error(name: str) -> None:
    index, entries, words = BROKEN_DICTIONARIES[name]
    indices = c_array(1, None, np.array([index], np.int8), dictionary=entries)
    producer = Producer("c", [indices], values="u")
    with pytest.raises(ValueError, match=words):
        compiled.encode_arrow(producer)
    assert producer.balanced()


def test_nulls_hide_whatever_lies_beneath() -> None:
    valid = np.array([0b0000_0101], np.uint8)
    text = c_array(3, valid, i32(0, 3, 3, 5), BYTES)
    assert compiled.encode_arrow(Producer("u", [text]))[:2] == (
        pytest.approx([0, -1, 1]),
        ["abc", "de"],
    )
    indices = np.array([1, 99, 0], np.int8)
    producer = Producer(
        "c", [c_array(3, valid, indices, dictionary=text_array(["a", "b"]))], values="u"
    )
    assert compiled.encode_arrow(producer)[0].tolist() == [1, -1, 0]


@pytest.mark.slow
def test_what_was_given_out_comes_back_exactly_once() -> None:
    producer = Producer("u", [text_array(["a", "b"]), text_array([]), text_array(["b", "c"])])
    assert compiled.encode_arrow(producer)[0].tolist() == [0, 1, 1, 2]
    assert producer.balanced()
    with pytest.raises(ValueError, match="consumed before"):
        compiled.encode_arrow(producer)
    producer = Producer("i", [c_array(2, None, i32(1, 2))])
    values = compiled.encode_arrow(producer)[0]
    assert not producer.balanced()
    assert values.tolist() == [1, 2]
    del values
    assert producer.balanced()


def test_numbers_that_lie_askew_are_copied() -> None:
    data = np.frombuffer(b"\0" + np.array([5, 6], np.int64).tobytes(), np.uint8)
    values = compiled.encode_arrow(Producer("l", [c_array(2, None, data[1:])]))[0]
    assert values.flags.aligned
    assert values.tolist() == [5, 6]
    offsets = np.frombuffer(b"\0" + i32(0, 1, 3).tobytes(), np.uint8)
    assert compiled.encode_arrow(Producer("u", [c_array(2, None, offsets[1:], BYTES)]))[1] == [
        "a",
        "bc",
    ]


def test_half_floats_of_a_dictionary_become_floats() -> None:
    halves = np.array([0, 1, -2.5, 6e-8, 65504, np.inf, -np.inf, np.nan], np.float16)
    indices = np.arange(8, dtype=np.uint8)
    values, distinct, _, _ = compiled.encode_arrow(
        Producer("C", [c_array(8, None, indices, dictionary=c_array(8, None, halves))], values="e")
    )
    assert values.tolist() == [0, 1, 2, 3, 4, 5, 6, -1]
    assert distinct == halves[:7].tolist()


def test_fixed_width_of_nothing() -> None:
    assert compiled.encode_arrow(Producer("w:0", [c_array(2, None, None)]))[:2] == (
        pytest.approx([0, 0]),
        [b""],
    )


def test_capsules_must_be_what_they_are_called() -> None:
    class Liar:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return "no capsule"

    class Half:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return ("one",)

    for liar in (Liar(), Half()):
        with pytest.raises((TypeError, ValueError)):
            compiled.encode_arrow(liar)


class WithoutSchema(Producer):
    """Fails, but not without writing something that looks like a schema of its own."""

    def get_schema(self, _: int, address: int) -> int:
        schema = CSchema(self.format)
        schema.release = ctypes.cast(self.release[CSchema], ctypes.c_void_p)
        ctypes.memmove(address, ctypes.byref(schema), ctypes.sizeof(CSchema))
        return 5


def test_what_a_failed_call_left_behind_is_not_released() -> None:
    producer = WithoutSchema("u", [], error=b"no such table")
    with pytest.raises(RuntimeError, match="no such table"):
        compiled.encode_arrow(producer)
    # The stream itself, and nothing else.
    assert producer.handed_out == producer.released == 1


def test_an_error_of_the_stream_carries_its_words() -> None:
    producer = Producer("u", [text_array(["a"])], error=b"the cable was cut")
    with pytest.raises(RuntimeError, match="the cable was cut"):
        compiled.encode_arrow(producer)
    assert producer.balanced()
