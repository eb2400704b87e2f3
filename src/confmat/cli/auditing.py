"""What `confmat audit` does: reads a table and claims, audits them, and writes the findings."""

from __future__ import annotations

import json
from typing import Any

from confmat.auditing import Findings, audit
from confmat.cli.claiming import claims_of
from confmat.cli.reading import standard_table, stored
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import printable

__all__ = ["audited", "written"]


def audited(file: str, options: dict[str, Any]) -> Findings:
    """The findings on a stored or printed matrix."""
    found = standard_table(options) if file == "-" else stored(file, options)
    if not isinstance(found, ConfusionMatrix):
        msg = f"{printable(file)} holds a {type(found).__name__.lower()}; audit one matrix at a time"
        raise InputError(msg)
    claims = claims_of(options)
    if not claims and options["total"] is None:
        msg = "say what is claimed: --claim accuracy=0.93, or --claims FILE"
        raise InputError(msg)
    return audit(found, claims, total=options["total"])


def written(found: Findings, form: str) -> str:
    """The findings in a format."""
    if form == "json":
        return json.dumps(found.to_dict(), indent=1, default=printable) + "\n"
    if form == "jsonl":
        return "".join(json.dumps(one.to_dict(), default=printable) + "\n" for one in found)
    if form == "csv":
        return found.to_csv()
    if form == "markdown":
        return found.to_markdown()
    if form == "latex":
        return found.to_latex()
    return f"{found}\n"
