"""The gallery: each of its pictures is drawn by the block of code above it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

Image = pytest.importorskip(
    "PIL.Image", reason="pictures are written with Pillow: the extra confmat[images]"
)
pytest.importorskip(
    "matplotlib", reason="the gallery is drawn with Matplotlib: the extra confmat[plot]"
)

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "gallery.md"

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="only in a clone, not in an installed package"
)


@pytest.fixture(scope="module")
def maker() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "make_gallery.py"))


def test_every_picture_follows_the_code_that_draws_it(maker: dict[str, Any]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    drawn = [block["picture"] for block in maker["BLOCK"].finditer(text) if block["picture"]]
    assert len(drawn) == text.count("](gallery/") == len(set(drawn))
    stems = {Path(name).stem for name in drawn}
    assert {path.stem for path in (DOCS / "gallery").iterdir()} == stems | {
        f"{stem}-dark" for stem in stems
    }


def test_the_pictures_of_guides_follow_their_code(maker: dict[str, Any]) -> None:
    for page in maker["GUIDES"]:
        text = page.read_text(encoding="utf-8")
        drawn = [block["picture"] for block in maker["BLOCK"].finditer(text) if block["picture"]]
        assert len(drawn) == text.count("](pictures/") > 0
        pictures = [page.parent / name for name in drawn]
        assert all(
            path.exists() and path.with_stem(f"{path.stem}-dark").exists() for path in pictures
        )


def test_pictures_are_written_beside_the_page(maker: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nimport confmat as cm\n\nm = cm.ConfusionMatrix([[1, 2], [3, 4]])\n```\n\n"
        "```python\nax = cm.plot(m)\n```\n\n![Four numbers](pictures/four.png)\n"
    )
    light, dark = maker["generate"](page)
    assert light == tmp_path / "pictures" / "four.png"
    assert dark == tmp_path / "pictures" / "four-dark.png"
    corners = [Image.open(path).convert("RGB").getpixel((0, 0)) for path in (light, dark)]
    assert corners == [(255, 255, 255), (0x13, 0x14, 0x16)]
