"""The report page in Chromium: how long until the heat map is drawn, how long a drawing takes, how large files are.

The browser is the system's, driven by Playwright; without both there is nothing to measure.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import confmat as cm
from benchmarks.harness import OURS, Effort, Entry, Race, main

__all__ = ["races"]

# Classes, cells that are not zero.
SIZES = ((10, 100), (1_000, 50_000), (5_000, 50_000))
OPENINGS = 9
# Wheel events at a place of the map, each with the drawing that follows; then the way back.
ZOOM = """async () => {
    const map = document.getElementById('map'), box = map.getBoundingClientRect(), times = [];
    const frame = () => new Promise(requestAnimationFrame);
    for (const deltaY of [...Array(25).fill(-120), ...Array(25).fill(120)]) {
        map.dispatchEvent(new WheelEvent('wheel', { deltaY, cancelable: true,
            clientX: box.x + box.width * 0.6, clientY: box.y + box.height * 0.6 }));
        await frame();
        await frame();
        times.push(Number(map.dataset.milliseconds) / 1000);
    }
    return times;
}"""


def races(effort: Effort) -> Iterator[Race]:
    """Sizes of files, times to the first drawing, times of drawings while zooming."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        print("\nthe report page: Playwright is not installed")
        return
    browser_path = shutil.which("chromium")
    if browser_path is None:
        print("\nthe report page: there is no Chromium (Debian: apt-get install chromium)")
        return
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=flags)
        for classes, cells in SIZES:
            m = matrix(classes, cells)
            path = Path(folder) / f"{classes}.html"
            cm.html(m, path)
            name = f"a page of {classes:,} classes with {cells:,} cells"
            yield _race(f"page bytes {classes}", f"{name}: the file", [path.stat().st_size], "B")
            opened, drawn = _measured(browser, path, m, effort.pick(OPENINGS, 3))
            yield _race(f"page opens {classes}", f"{name}: until the heat map is drawn", opened)
            yield _race(f"page zooms {classes}", f"{name}: a drawing while zooming", drawn)
        browser.close()


def _race(key: str, title: str, samples: list[float], unit: str = "s") -> Race:
    return Race(key, title, {OURS: Entry(1, list(samples))}, unit)


def matrix(classes: int, cells: int) -> cm.ConfusionMatrix:
    """Uneven classes, hits on the diagonal, errors half of which lie near it."""
    rng = np.random.default_rng(0)
    size = classes * classes
    near = rng.integers(0, classes, cells * 4)
    close = near * classes + np.clip(near + rng.integers(-6, 7, len(near)), 0, classes - 1)
    places = np.unique(np.concatenate([rng.integers(0, size, cells * 2), close]))
    places = places[places // classes != places % classes]
    places = rng.permutation(places)[: cells - classes]
    counts = np.zeros(size, dtype=np.int64)
    counts[places] = rng.geometric(0.4, len(places))
    counts[np.arange(classes) * (classes + 1)] = rng.integers(20, 500, classes)
    m = cm.ConfusionMatrix(counts.reshape(classes, classes), [f"class {i}" for i in range(classes)])
    assert abs(len(m.pairs()) - cells) <= cells // 20
    return m


def _measured(
    browser: Any, path: Path, m: cm.ConfusionMatrix, openings: int
) -> tuple[list[float], list[float]]:
    """Seconds of each opening, and of each drawing while zooming on the last page, whose answers are asserted."""
    opened, page = [], None
    for _ in range(openings):
        if page is not None:
            page.close()
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(path.as_uri())
        page.wait_for_function("document.documentElement.dataset.drawn")
        opened.append(float(page.get_attribute("html", "data-drawn")) / 1000)
        _assert_answers(page, m)
    assert page is not None
    drawn = page.evaluate(ZOOM)
    page.close()
    return opened, drawn


def _assert_answers(page: Any, m: cm.ConfusionMatrix) -> None:
    """The accuracy, the first confusion, and that something is painted."""
    assert page.locator(".tile strong").first.inner_text() == f"{cm.accuracy(m):.3f}"
    first = cm.top_confusions(m, 1)[0]
    if not first.flagged:
        page.get_by_role("button", name="not beyond chance").click()
    row = page.locator("#confusion-table tbody tr").first.inner_text().split()
    assert " ".join(row[:5]) == f"{first.actual} → {first.predicted}"
    assert row[5] == f"{first.count:,}"
    painted = page.evaluate(
        "document.getElementById('map').getContext('2d').getImageData(400, 300, 1, 1).data[3]"
    )
    assert painted == 255


if __name__ == "__main__":
    main(races)
