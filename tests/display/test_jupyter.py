"""Notebooks as people run them: a kernel executes the cells, and JupyterLab shows what it does not trust."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Jupyter's own servers and clients warn of each other, and of the platform's event loop.
pytestmark = [pytest.mark.nightly, pytest.mark.filterwarnings("ignore")]

CELLS = [
    "import confmat as cm\nm = cm.count(list('aabbb'), list('abbba'))\nm",
    "cm.report(m)",
    "cm.interval(m, 'accuracy')",
]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook on disk, executed by this Python's kernel."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    book = nbformat.v4.new_notebook(cells=cells)
    folder = tmp_path_factory.mktemp("notebooks")
    # The usual kernel is the Python on the path, which need not be this one.
    kernel = folder / "kernels" / "this"
    kernel.mkdir(parents=True)
    command = f'["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"]'
    (kernel / "kernel.json").write_text(
        f'{{"argv": {command}, "display_name": "this", "language": "python"}}'
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder))
        nbclient.NotebookClient(book, kernel_name="this", timeout=120).execute()
    path = folder / "book.ipynb"
    nbformat.write(book, path)
    return path


def outputs(path: Path) -> list[Any]:
    nbformat = pytest.importorskip("nbformat")
    return [cell.outputs[-1].data for cell in nbformat.read(path, 4).cells]


def test_each_value_is_a_table_in_html_and_in_text(notebook: Path) -> None:
    matrix, report, interval = outputs(notebook)
    for data in (matrix, report, interval):
        assert data["text/html"].count("<table") == data["text/html"].count("</table>") >= 1
        assert data["text/plain"]
    assert re.search(r"predicted.*<th[^>]*>.*a.*b", matrix["text/html"], re.DOTALL)
    assert "0.6" in interval["text/html"]


@pytest.fixture(scope="module")
def lab(notebook: Path) -> Iterator[str]:
    """JupyterLab on a free port, without a token, serving the folder of the notebook."""
    pytest.importorskip("jupyterlab")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = notebook.parent
    homes = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    settings = [
        f"--port={port}",
        "--no-browser",
        "--allow-root",
        "--IdentityProvider.token=",
        "--ip=127.0.0.1",
    ]
    with (folder / "lab.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *settings, f"--ServerApp.root_dir={folder}"],
            env={**os.environ, **homes}, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        for _ in range(300):
            if server.poll() is not None:
                pytest.fail((folder / "lab.log").read_text())
            with socket.socket() as visitor:
                if not visitor.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def test_jupyterlab_shows_a_shaded_matrix_that_it_does_not_trust(lab: str, chromium: Any) -> None:
    page = chromium.new_page()
    page.goto(f"{lab}/lab/tree/book.ipynb?reset")
    page.wait_for_selector(".jp-OutputArea-output table", timeout=120_000)
    tables = page.locator(".jp-OutputArea-output table")
    assert tables.count() >= len(CELLS)
    rows = tables.first.locator("tbody tr").all()
    cells = [cell for row in rows for cell in row.locator("td").all()]
    shades = {cell.evaluate("cell => getComputedStyle(cell).backgroundColor") for cell in cells}
    # Counts of 0, 1 and 2 on and off the diagonal; a table without its styles has one shade.
    assert len(shades) > 2
    # No stripes, and squares.
    assert {row.evaluate("row => getComputedStyle(row).backgroundColor") for row in rows} == {
        "rgba(0, 0, 0, 0)"
    }
    box = rows[0].locator("td").first.bounding_box()
    assert abs(box["width"] - box["height"]) < 3
    page.close()
