"""What `confmat infer` does: finds the matrices that claims allow, and writes how many, which, and their scores."""

from __future__ import annotations

import json
from time import monotonic
from typing import Any

from confmat.auditing import Inference, infer
from confmat.cli.claiming import claims_of
from confmat.cli.terminal import ProgressLine
from confmat.cli.writing import table_text
from confmat.core.errors import InputError
from confmat.core.text import printable
from confmat.io.threads import Progress

__all__ = ["inferred", "written"]


def inferred(options: dict[str, Any]) -> Inference:
    """The matrices that the claims allow."""
    claims = claims_of(options)
    if not claims:
        msg = "say what is claimed: --claim accuracy=0.93, or --claims FILE"
        raise InputError(msg)
    supports = dict(options["supports"])
    if len(supports) < len(options["supports"]):
        msg = "--support names a class twice"
        raise InputError(msg)
    line, begin = ProgressLine(options["quiet"]), monotonic()
    try:
        return infer(
            claims,
            positives=options["positives"],
            negatives=options["negatives"],
            total=options["total"],
            supports=supports or None,
            undefined=options["undefined"],
            budget=options["budget"],
            progress=(lambda share: line(Progress(share, None, monotonic() - begin))) if line.wanted else None,
        )
    finally:
        line.clear()


def written(found: Inference, metrics: list[str] | None, form: str) -> str:
    """The inference in a format; `metrics` are the scores whose ranges are wanted."""
    ranges = {name: found.range(name) for name in metrics} if metrics else None
    if form in {"json", "jsonl"}:
        data = found.to_dict()
        if ranges is not None:
            data["ranges"] = {name: one._asdict() for name, one in ranges.items()}
        return json.dumps(_plain(data), indent=1 if form == "json" else None, default=printable) + "\n"
    if form == "table" and ranges is None:
        return f"{found}\n"
    shown = found.ranges() if ranges is None else ranges
    rows = [[name, one.low, one.high, "yes" if one.exact else "bounds"] for name, one in shown.items()]
    text = table_text([["score", "low", "high", "exact"], *rows], 4, form)
    return "\n".join(found.table().notes) + f"\n\n{text}" if form == "table" else text


def _plain(value: Any) -> Any:
    """The same without NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and value != value else value
