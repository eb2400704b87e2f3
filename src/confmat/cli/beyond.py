"""Options for what is more than one label an item: scores, several labels, related classes, costs, free answers."""

from __future__ import annotations

import re
from typing import Any

import click

from confmat.cli.options import Choice, Names, Words, all_of, names_option, option

__all__ = [
    "Expression",
    "Level",
    "answer_options",
    "cost_options",
    "hierarchy_options",
    "score_options",
    "several_options",
]

score_options = all_of(
    "Scores instead of labels",
    names_option("--scores", metavar="COLUMN,...",
                 help="One column for the positive class, or one for each class, such as "
                 "p_cat,p_hen or 'p_*', where the star stands for the class."),
    option("--threshold", type=float, metavar="T",
                 help="Scores of at least this are positive; by default 0.5, of logits 0."),
    option("--top-k", type=click.IntRange(1), metavar="K",
                 help="Right if among the K largest scores; otherwise the first answer stands."),
    option("--kind", "score_kind", type=Choice(("probabilities", "logits", "scores")), default="probabilities",
                 show_default=True, help="What the scores are."),
)  # fmt: skip

several_options = all_of(
    "Several labels an item",
    option("--sep", metavar="TEXT",
                 help="What stands between the labels of a field; each label gets a matrix. Lists of JSON and "
                 "Parquet are taken as they are."),
    option("--matrix", "crossed", is_flag=True, help="One matrix of all labels instead, with (none)."),
)  # fmt: skip


class Expression(click.ParamType[re.Pattern[str]]):
    """A regular expression, compiled."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:
        """The compiled pattern."""
        try:
            return re.compile(value)
        except re.error as error:
            self.fail(f"{value!r} is no regular expression: {error}", param, ctx)


answer_options = all_of(
    "Free answers",
    option("--any-spelling", is_flag=True,
                 help="Read answers whatever their letter case and punctuation; the options below imply it."),
    option("--aliases", metavar="FILE", help="Other names of classes: CSV of alias,label, or JSON."),
    option("--refused", multiple=True, metavar="TEXT",
                 help="An answer like this is a refusal, such as 'I cannot*'; repeatable."),
    option("--abstained", multiple=True, metavar="TEXT", help="An answer like this is none; repeatable."),
    option("--extract", multiple=True, type=Words(("json", "answer-is", "first-line", "last-line")), metavar="STEP,...",
                 help="Where in a longer answer the label stands: json, answer-is, first-line, last-line; repeatable."),
    option("--pattern", multiple=True, type=Expression(), metavar="REGEX",
                 help="A regular expression whose first group is the label, such as '^([A-D])[).:]'; before the "
                 "steps of --extract; repeatable."),
    option("--fuzzy", type=click.FloatRange(0, 1, min_open=True), metavar="SHARE",
                 help="Take the nearest name if it is so near, such as 0.85."),
)  # fmt: skip


class Level(click.ParamType[Any]):
    """A level of a hierarchy: a number from 1, right below the root, or the names of nodes."""

    name = "n|a,b,c"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the names."""
        if not isinstance(value, str):
            return value
        return int(value) if value.strip().isdigit() else Names().convert(value, param, ctx)


hierarchy_options = all_of(
    "Related classes and costs",
    option("--hierarchy", metavar="FILE",
                 help="How classes are related: pairs of child,parent or paths in CSV or text, nested JSON."),
    option("--roll-up", type=Level(),
                 help="Take classes together at this level of the hierarchy, or at these nodes."),
)  # fmt: skip

cost_options = all_of(
    "Related classes and costs",
    option("--costs", metavar="FILE",
                 help='What errors cost: a table or actual,predicted,cost in CSV, or JSON such as {"fp": 1, "fn": 5}.'),
)  # fmt: skip
