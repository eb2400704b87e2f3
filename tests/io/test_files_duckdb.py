"""An interrupt ends the threads that count files, at whatever moment it comes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from confmat.io import count_files, counting, duckdb_files, records

pytest.importorskip("duckdb")
pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")


def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the group-by last for minutes, unless it is stopped."""
    watched = duckdb_files.Room._watched

    def long(self: Any, query: str, *arguments: Any) -> Any:
        return watched(
            self, query.replace("count(*)", "count(*), sum(length(repeat(k0, 9999)))"), *arguments
        )

    monkeypatch.setattr(duckdb_files.Room, "_watched", long)


def at_work() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "confmat-duckdb"]


def test_an_interrupt_while_the_thread_starts_and_another_while_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "groups.parquet"
    table = pa.table({"y": ["a"] * 2_000_000, "yhat": ["b"] * 2_000_000, "g": ["c"] * 2_000_000})
    pq.write_table(table, path)
    slow(monkeypatch)
    start, wait, again = threading.Thread.start, threading.Event.wait, iter([True])

    def interrupted_start(self: threading.Thread) -> None:
        start(self)
        if self.name == "confmat-duckdb":
            monkeypatch.setattr(threading.Event, "wait", interrupted_wait)
            raise KeyboardInterrupt

    def interrupted_wait(self: threading.Event, timeout: float | None = None) -> bool:
        if next(again, False):
            raise KeyboardInterrupt
        return wait(self, timeout)

    monkeypatch.setattr(threading.Thread, "start", interrupted_start)
    with pytest.raises(KeyboardInterrupt):
        count_files(path, by="g")
    assert next(again, None) is None, "the second interrupt was not sent"
    for one in at_work():
        # It has said that it is done, and ends.
        one.join(5)
        assert not one.is_alive()


def test_an_interrupt_ends_the_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,yhat\na,b\n")

    class Interrupted:
        def __init__(self, _told: object) -> None:
            pass

        def tell(self, *_: object) -> None:
            raise KeyboardInterrupt

    counted = records.Reader.counted

    def slow(*arguments: Any) -> Any:
        threading.Event().wait(0.01)
        return counted(*arguments)

    monkeypatch.setattr(records.Reader, "counted", slow)
    monkeypatch.setattr(counting, "Clock", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        count_files([path] * 1000, threads=2)
    for one in threading.enumerate():
        if one.name == "confmat-reader":
            # It has said that it is done; with hundreds of files before it, it would not be by
            # then.
            one.join(5)
            assert not one.is_alive()


def test_an_interrupt_before_the_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def never(self: threading.Thread) -> None:
        if self.name == "confmat-duckdb":
            raise KeyboardInterrupt
        start(self)

    monkeypatch.setattr(threading.Thread, "start", never)
    room = duckdb_files.Room([], "1GB", None)
    with pytest.raises(KeyboardInterrupt):
        room._watched("SELECT 1", [], None, "fetchall")
    assert not at_work()
