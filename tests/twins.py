"""The compiled kernel beside its specification, for the tests that compare them."""

from __future__ import annotations

from typing import Any

import pytest

from confmat.kernels import reference

compiled: Any = pytest.importorskip(
    "confmat.kernels._compiled", reason="the compiled kernel is not built here"
)
KERNELS = [pytest.param(compiled, id="compiled"), pytest.param(reference, id="reference")]
