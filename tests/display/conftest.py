"""Shared by the tests of drawings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture
def no_screen() -> Iterator[None]:
    """Draw into files alone, and leave no figure open."""
    mpl = pytest.importorskip("matplotlib")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    backend = mpl.get_backend()
    mpl.use("Agg")
    yield
    pyplot.close("all")
    mpl.use(backend)
