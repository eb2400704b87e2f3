"""The picture of the report page: the demo's page, photographed in Chromium.

`python docs/make_report_picture.py` writes docs/_static/report.png, and report-dark.png for dark
pages. It needs Playwright, Pillow and the system's Chromium, which a build of the documentation
does not, so the pictures are kept in the repository.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Literal

import confmat as cm
from confmat.demo import DATA, write_page

PICTURE = Path(__file__).resolve().parent / "_static" / "report.png"
# A confusion that is looked at: goats that were taken for sheep.
PLACE = "#cell=3.6"


def take(target: Path, scheme: Literal["light", "dark"]) -> None:
    """Write the page into a temporary folder, open it, and photograph it."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = write_page(cm.count_files(DATA), Path(folder))
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        tab = browser.new_page(
            viewport={"width": 1280, "height": 800}, device_scale_factor=2, color_scheme=scheme
        )
        tab.goto(page.as_uri() + PLACE)
        tab.wait_for_function("document.documentElement.dataset.drawn")
        tab.screenshot(path=target)
        browser.close()
    # A page has few colours; 256 of them take a third of the room.
    Image.open(target).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        target, optimize=True
    )


if __name__ == "__main__":
    take(PICTURE, "light")
    take(PICTURE.with_stem("report-dark"), "dark")
