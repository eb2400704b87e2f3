"""The command line: parse, call, print. Commands are loaded when they are asked for, so that help comes at once.

For shells, scripts and gates. An option that is given and changes nothing is refused by its name;
so are options that Python has and files do not need, such as those of clusters.
"""

import os
import sys

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the program; without click, say what to install."""
    from confmat.core.text import POORLY

    try:
        from confmat.cli import program
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit(
            "confmat: the command line takes click; install it with: pip install click duckdb rich"
        )
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by whoever started the program: a gate is asked for its status alone.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        # A table on a terminal of an older encoding loses the looks of its frame, not the whole
        # print; in a file, where labels are read again, no sign replaces another.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=POORLY if stream.isatty() else "backslashreplace")
    program.main(arguments)
