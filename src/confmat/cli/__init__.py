"""The command line: parse, call, print. Commands are loaded when they are asked for, so that help comes at once."""

from confmat.cli.program import main

__all__ = ["main"]
