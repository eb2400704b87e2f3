"""The kernel in use: the compiled one, or its NumPy twin; chosen once, here.

`CONFMAT_KERNEL=reference` in the environment forces the twin, `CONFMAT_KERNEL=compiled` makes its absence
an error instead of a slower package.
"""

import os
import warnings

from confmat.core.errors import ConfmatWarning
from confmat.kernels import reference

__all__ = ["kernel", "kernel_name"]

_wanted = os.environ.get("CONFMAT_KERNEL", "")
if _wanted not in {"", "compiled", "reference"}:
    _message = f"CONFMAT_KERNEL must be 'compiled' or 'reference', not {_wanted!r}"
    raise ImportError(_message)

kernel = reference
if _wanted != "reference":
    try:
        from confmat.kernels import _compiled as kernel  # type: ignore[attr-defined,no-redef]
    except ImportError as error:
        if _wanted == "compiled":
            raise
        warnings.warn(
            f"confmat counts with its NumPy kernel, several times slower: the compiled one is missing ({error}). "
            "Reinstall with a C++ compiler and the Python headers present to have it, "
            "or set CONFMAT_KERNEL=reference to accept this silently.",
            ConfmatWarning,
            stacklevel=2,
        )


def kernel_name() -> str:
    """Name the kernel that counts: "compiled" or "reference"."""
    return "reference" if kernel is reference else "compiled"
