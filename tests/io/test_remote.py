"""Files of other machines, fetched by fsspec: over HTTP from this machine, from a store in memory, from S3 by moto."""

from __future__ import annotations

import functools
import gc
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

import confmat as cm
from confmat.io import count_files, sources
from confmat.io.sources import inner

ROWS = "y,yhat\na,b\nb,b\n"
EXPECTED = cm.count(["a", "b"], ["b", "b"])


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that writes no log."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    pytest.importorskip("aiohttp")
    pytest.importorskip("fsspec")
    folder = tmp_path / "served"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    ) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", folder
        running.shutdown()
        thread.join()


def test_a_file_is_fetched_over_http(
    server: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, folder = server
    made: list[str] = []

    def folder_for(**_: Any) -> str:
        made.append(str(tmp_path / f"t{len(made)}"))
        return made[-1]

    monkeypatch.setattr(sources, "mkdtemp", folder_for)
    (folder / "site=x").mkdir()
    (folder / "site=x" / "p.csv").write_text(ROWS)
    assert count_files(f"{address}/site=x/p.csv") == EXPECTED
    assert dict(count_files([f"{address}/site=x/p.csv?version=1"], by="site")) == {"x": EXPECTED}
    stored = tmp_path / "checkpoint"
    for _ in range(2):
        assert count_files(f"{address}/site=x/p.csv", resume=stored) == EXPECTED
    (folder / "site=x" / "p.csv").write_text(ROWS.replace("a,b", "b,b"))
    with pytest.raises(cm.InputError, match=r"http://127\S+/p\.csv: this is not the input"):
        count_files(f"{address}/site=x/p.csv", resume=stored)
    with pytest.raises(
        cm.InputError,
        match=rf"^{re.escape(address)}/q\.csv: there is no such file to read rows from$",
    ):
        count_files(f"{address}/q.csv")
    (folder / "bad.csv").write_text("y,yhat\na\n")
    with pytest.raises(
        cm.InputError,
        match=rf"^{re.escape(address)}/bad\.csv, line 2: 1 field where the header has 2$",
    ):
        count_files(f"{address}/bad.csv")
    assert len(made) == 7
    gc.collect()
    assert not any(Path(one).exists() for one in made)


def test_no_signature_is_stored_or_shown(server: tuple[str, Path], tmp_path: Path) -> None:
    address, folder = server
    (folder / "p.csv").write_text(ROWS)
    stored = tmp_path / "checkpoint"
    for signature in ("SECRET", "another"):
        assert count_files(f"{address}/p.csv?sig={signature}", resume=stored) == EXPECTED
    assert "SECRET" not in stored.read_text()
    (folder / "p.csv").write_text("y,yhat\na\n")
    with pytest.raises(cm.InputError) as caught:
        count_files(f"{address.replace('//', '//user:SECRET@')}/p.csv?sig=SECRET")
    assert "SECRET" not in str(caught.value)


def test_folders_and_patterns_of_a_store() -> None:
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    for name in ("a", "b"):
        store.pipe(f"/runs/site={name}/p.csv", ROWS.encode())
    store.pipe("/runs/notes.md", b"nothing to count")
    for place in (
        "runs/_temporary/0/p.csv",
        "runs/.hidden/p.csv",
        "runs/.p.csv",
        "more/x/p.csv",
        "more/.p",
        "more/p",
    ):
        store.pipe(f"/{place}", ROWS.encode())
    try:
        assert count_files("memory://runs") == EXPECTED + EXPECTED
        assert count_files("memory://runs/site=*/p.csv") == EXPECTED + EXPECTED
        assert count_files("memory://more/*", format="csv") == EXPECTED
        assert dict(count_files("memory://runs", by="site")) == {"a": EXPECTED, "b": EXPECTED}
        with pytest.raises(
            cm.InputError, match=r"^memory://runs/\*\.parquet: there is no file to count"
        ):
            count_files("memory://runs/*.parquet")
        with pytest.raises(cm.InputError, match=r"^memory://runs/none\.csv: there is no such file"):
            count_files("memory://runs/none.csv")
    finally:
        store.rm("/runs", recursive=True)
        store.rm("/more", recursive=True)


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("/runs/site=a/p.csv", ["runs", "site=a", "p.csv"]),
        (r"runs/..\..\p.csv", ["runs", "p.csv"]),
        ("C:/C:p.csv", ["p.csv"]),
        (r"../.. /\\host\share\p.csv", ["p.csv"]),
    ],
)
def test_no_name_leads_out_of_a_folder_of_windows(place: str, names: list[str]) -> None:
    assert inner(place, PureWindowsPath) == names


def test_an_address_that_nobody_knows_is_refused() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(
        cm.InputError, match=r"^nowhere://host/p\.csv: this cannot be fetched: .*nowhere"
    ):
        count_files("nowhere://host/p.csv")


@pytest.mark.filterwarnings("ignore")
def test_without_fsspec_an_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(
        cm.InputError,
        match=r"^s3://bucket/p\.csv: only files of this machine are read without fsspec",
    ):
        count_files("s3://bucket/p.csv")


@pytest.mark.peers
def test_a_bucket_of_s3() -> None:
    """Moto stands for S3."""
    fsspec, moto = pytest.importorskip("fsspec"), pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    before = dict(fsspec.config.conf)
    try:
        host, port = running.get_host_and_port()
        fsspec.config.conf["s3"] = {
            "endpoint_url": f"http://{host}:{port}",
            "key": "k",
            "secret": "s",
        }
        store = fsspec.filesystem("s3")
        store.mkdir("bucket")
        for name in ("a", "b"):
            store.pipe(f"bucket/runs/site={name}/p.csv", ROWS.encode())
        assert count_files("s3://bucket/runs/site=a/p.csv") == EXPECTED
        assert dict(count_files("s3://bucket/runs", by="site")) == {"a": EXPECTED, "b": EXPECTED}
        with pytest.raises(cm.InputError, match=r"^s3://bucket/none\.csv: "):
            count_files("s3://bucket/none.csv")
    finally:
        fsspec.config.conf.clear()
        fsspec.config.conf.update(before)
        running.stop()
