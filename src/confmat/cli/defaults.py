"""Defaults of options, from the table [tool.confmat] of the nearest pyproject.toml."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confmat.core.errors import InputError
from confmat.core.text import meant, printable

if TYPE_CHECKING:
    import click


def defaults_for(name: str, command: click.Command, others: Iterable[click.Command]) -> dict[str, Any]:
    """Return the defaults of a command: those for all, then those in its own table [tool.confmat.NAME].

    `others` are commands whose options may stand in the table for all.
    """
    path = _nearest()
    table = None if path is None else _table(path)
    if not table:
        return {}
    known = {one for other in others for one in _options(other)}
    general = {key: value for key, value in table.items() if not isinstance(value, dict)}
    own = table.get(name, {})
    for key in [*general, *own]:
        if key.replace("_", "-") not in known:
            hint = meant(key.replace("_", "-"), known)
            msg = f"{printable(path)}: [tool.confmat] has no setting {printable(key)!r}{hint}"
            raise InputError(msg)
    options = _options(command)
    chosen = {key.replace("_", "-"): value for key, value in (general | own).items()}
    repeated = {one.name for one in command.params if getattr(one, "multiple", False)}
    return {options[key]: _value(value, options[key] in repeated) for key, value in chosen.items() if key in options}


def _nearest() -> Path | None:
    here = Path.cwd()
    for folder in (here, *here.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            return path
    return None


def _table(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    if "tool.confmat" not in text:
        return {}
    import tomllib

    try:
        table = tomllib.loads(text).get("tool", {}).get("confmat", {})
    except tomllib.TOMLDecodeError as error:
        msg = f"{printable(path)}: {error}"
        raise InputError(msg) from None
    if not isinstance(table, dict):
        msg = f"{printable(path)}: [tool.confmat] is a table of settings"
        raise InputError(msg)
    return table


def _options(command: click.Command) -> dict[str, str]:
    """Return each long option without its dashes, and the parameter that it sets."""
    return {
        spelling[2:]: str(one.name)
        for one in command.params
        if one.param_type_name == "option"
        for spelling in one.opts
        if spelling.startswith("--") and spelling not in {"--help", "--output", "--resume"}
    }


def _value(value: Any, repeated: bool) -> Any:
    """Return a value as options take it: labels and metrics as lists of words, one of a repeatable option in a list."""
    if isinstance(value, list):
        return [one if isinstance(one, str) else str(one) for one in value]
    return [str(value)] if repeated else value
