"""The kernel in use: the compiled one, or its NumPy twin; chosen once, here.

`CONFMAT_KERNEL=reference` in the environment forces the twin, `CONFMAT_KERNEL=compiled` makes its
absence an error instead of a slower package.
"""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from confmat.core.errors import warn

if TYPE_CHECKING:
    from confmat.kernels import reference as kernel

__all__ = ["kernel", "kernel_name", "slower"]


def _choose() -> tuple[ModuleType, str]:
    """Choose the kernel; say why it is the slower one, where nobody asked for that."""
    wanted = os.environ.get("CONFMAT_KERNEL", "")
    if wanted not in {"", "compiled", "reference"}:
        message = f"CONFMAT_KERNEL must be 'compiled' or 'reference', not {wanted!r}"
        raise ImportError(message)
    # Nothing is compiled for a browser.
    if wanted == "reference" or (sys.platform == "emscripten" and not wanted):
        return _twin(), ""
    try:
        return import_module("confmat.kernels._compiled"), ""
    except ImportError as error:
        if wanted:
            raise
        missing = isinstance(error, ModuleNotFoundError)
        why = (
            "was not built when confmat was installed"
            if missing
            else f"could not be loaded ({error})"
        )
        return _twin(), (
            f"confmat counts with its NumPy kernel, some 20 times slower: the compiled one {why}. "
            "Install confmat "
            "again with a C++ compiler and the Python headers present, or set "
            "CONFMAT_KERNEL=reference to accept it."
        )


def _twin() -> ModuleType:
    """Load the NumPy twin, which a compiled kernel leaves alone."""
    return import_module("confmat.kernels.reference")


# The second is empty where all is well.
_chosen, slower = _choose()
if not slower:
    kernel = _chosen


def __getattr__(name: str) -> ModuleType:
    """Give the slower kernel with a warning; once, since it is here from then on."""
    if name != "kernel":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")  # noqa: EM102
    warn(slower)
    return globals().setdefault(name, _chosen)


def kernel_name() -> str:
    """Name the kernel that counts: "compiled" or "reference"."""
    return globals().get("kernel", _chosen).__name__.rpartition(".")[2].removeprefix("_")
