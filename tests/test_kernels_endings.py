"""The compiled kernel under Ctrl-C, at the end of the process, and over memory that others write to."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from tests.twins import compiled


def run(program: str) -> str:
    """Run the program in a Python of its own; its output."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.strip()


COUNTS_AT_EXIT = """
import threading, time
import numpy as np
from confmat import kernels

class Slow:  # the interpreter's end takes a while
    def __del__(self, clock=time.perf_counter):
        begin = clock()
        while clock() - begin < 0.3:
            pass

keep = Slow()
codes = np.random.default_rng(0).integers(0, 1000, 200_000).astype(np.int32)
started = threading.Event()

def work():
    while True:
        kernels.kernel.count_dense(codes, codes, 0, 1000, 0, 1000, 2)
        started.set()

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
started.wait()
"""


@pytest.mark.slow
def test_a_daemon_thread_that_counts_does_not_keep_the_process_from_ending_well() -> None:
    run(COUNTS_AT_EXIT)


# Times are those of the processor, so that other work on the machine does not matter.
INTERRUPTED = """
import signal, time
import numpy as np
from confmat import kernels
kernel = kernels.kernel

{prepare}

def work():
    {call}

def spent(after=0.0):
    signal.setitimer(signal.ITIMER_VIRTUAL, after)
    begin = time.thread_time()
    try:
        work()
        assert not after, "nobody heard"
    except KeyboardInterrupt:
        assert after, "nobody called"
    return time.thread_time() - begin

signal.signal(signal.SIGVTALRM, signal.default_int_handler)
# The least of three, for another program may hold up any of them.
whole = min(spent() for _ in range(3))
print("interrupted", min(spent(whole / 5) for _ in range(3)) < 0.95 * whole)
"""
NUMBERS = "values = np.random.default_rng(0).integers(-2**62, 2**62, {})"
LONG_CALLS = {
    "dense": (
        "one = np.broadcast_to(np.int64(3), 300_000_000)",
        "kernel.count_dense(one, one, 0, 9, 0, 9, 1)",
    ),
    "dense in threads": (
        "one = np.broadcast_to(np.int64(3), 400_000_000)",
        "kernel.count_dense(one, one, 0, 9, 0, 9, 2)",
    ),
    "weighted": (
        "one = np.broadcast_to(np.int64(3), 100_000_000)",
        "kernel.count_weighted(one, one, one, 0, 9, 0, 9, 1)",
    ),
    "sparse": (
        NUMBERS.format(16_000_000) + " % 2**30",
        "kernel.count_sparse(values, values, None, 0, 2**30, 0, 2**30, 2)",
    ),
    "factorize_ints": (NUMBERS.format(4_000_000), "kernel.factorize_ints(values, 2**31 - 2)"),
    "encode_objects": (
        "labels = [str(i) for i in range(1_000_000)] * 6",
        "kernel.encode_objects(labels, str)",
    ),
    "encode_bytes": (
        "labels = np.broadcast_to(np.array(b'x' * 400), 8_000_000)",
        "kernel.encode_bytes(labels)",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("prepare", "call"), LONG_CALLS.values(), ids=LONG_CALLS.keys())
def test_a_long_call_hears_of_an_interruption(prepare: str, call: str) -> None:
    assert run(INTERRUPTED.format(prepare=prepare, call=call)) == "interrupted True"


@pytest.mark.slow
def test_an_error_of_a_handler_comes_through() -> None:
    program = INTERRUPTED.format(prepare=LONG_CALLS["dense"][0], call=LONG_CALLS["dense"][1])
    program = program.replace("signal.default_int_handler", "fail")
    program = program.replace(
        "def spent", "def fail(*_):\n    raise ZeroDivisionError('heard')\n\ndef spent"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "ZeroDivisionError: heard" in done.stderr


def test_buffers_without_strides_are_read() -> None:
    codes = (ctypes.c_int * 3)(0, 1, 2)
    counts, outside = compiled.count_dense(codes, codes, 0, 3, 0, 3, 1)
    assert counts.tolist() == np.eye(3, dtype=int).tolist()
    assert outside == 0
    assert compiled.factorize_ints(codes, 9)[1].tolist() == [0, 1, 2]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python classes lend buffers from 3.12 on")
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_stops_the_lending_of_a_buffer_stops_the_call(error: type[BaseException]) -> None:
    class Lender(list[str]):
        def __buffer__(self, flags: int) -> memoryview:
            raise error

    class Lending:
        __buffer__ = Lender.__buffer__

        def __iter__(self) -> Any:
            return iter("ab")

    with pytest.raises(error):
        compiled.encode_objects(Lending(), str)


@pytest.mark.slow
def test_arrays_that_others_write_to_are_read_within_bounds() -> None:
    rng = np.random.default_rng(0)
    scores = np.concatenate([[0], np.sort(-np.repeat(rng.random(100), 300))])
    images, corners, areas = (
        np.zeros(500, np.int64),
        np.tile([0.0, 0, 1, 1], (500, 1)),
        np.ones(500),
    )
    text = bytearray(b"a,b\n" * 2000)
    done = threading.Event()

    def scribble() -> None:
        while not done.is_set():
            scores[rng.integers(0, len(scores), 2000)] = rng.random(2000)
            images[::3] = 2**40
            corners[::5] = np.nan
            text[1::8] = b"\n" * 1000
            images[:], corners[:] = 0, [0, 0, 1, 1]
            text[1::8] = b"," * 1000

    other = threading.Thread(target=scribble)
    other.start()
    try:
        for _ in range(300):
            compiled.sweep(scores, scores[1:100].copy())
            compiled.encode_fields(text, ",", 2, [0, 1])
            # Boxes that do not fit are refused.
            with suppress(ValueError):
                compiled.overlapping_boxes(
                    (images, corners, areas), (images, corners, areas), 1, 0.5, False, 9
                )
    finally:
        done.set()
        other.join()
