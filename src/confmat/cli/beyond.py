"""Options for what is more than one label an item: scores, several labels, related classes, costs, free answers."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import Choice, Names, all_of

__all__ = ["Level", "answer_options", "beyond_options", "cost_options", "hierarchy_options"]

beyond_options = all_of(
    click.option("--scores", type=Names(), metavar="COLUMN,...",
                 help="Scores instead of labels: one column for the positive class, or one for each class, such as "
                 "p_cat,p_hen or 'p_*', where the star stands for the class."),
    click.option("--threshold", type=float, metavar="T",
                 help="Scores of at least this are positive; by default 0.5, of logits 0."),
    click.option("--top-k", type=click.IntRange(1), metavar="K",
                 help="Right if among the K largest scores; otherwise the first answer stands."),
    click.option("--kind", "score_kind", type=Choice(("probabilities", "logits", "scores")), default="probabilities",
                 show_default=True, help="What the scores are."),
    click.option("--sep", metavar="TEXT",
                 help="Several labels an item, with this between them: one matrix for each label."),
    click.option("--matrix", "crossed", is_flag=True, help="Of several labels an item one matrix, with (none)."),
)  # fmt: skip

answer_options = all_of(
    click.option("--normalise", is_flag=True,
                 help="Read answers whatever their letter case and punctuation; the options below imply it."),
    click.option("--aliases", metavar="FILE", help="Other names of classes: CSV of alias,label, or JSON."),
    click.option("--refused", multiple=True, metavar="TEXT",
                 help="An answer like this is a refusal, such as 'I cannot*'; repeatable."),
    click.option("--abstained", multiple=True, metavar="TEXT", help="An answer like this is none; repeatable."),
    click.option("--extract", multiple=True, type=Choice(("json", "answer-is", "first-line", "last-line")),
                 help="Where in a longer answer the label stands; repeatable."),
    click.option("--fuzzy", type=click.FloatRange(0, 1, min_open=True), metavar="SHARE",
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
    click.option("--hierarchy", metavar="FILE",
                 help="How classes are related: pairs of child,parent or paths in CSV or text, nested JSON."),
    click.option("--roll-up", type=Level(),
                 help="Take classes together at this level of the hierarchy, or at these nodes."),
)  # fmt: skip

cost_options = all_of(
    click.option("--costs", metavar="FILE",
                 help='What errors cost: a table or actual,predicted,cost in CSV, or JSON such as {"fp": 1, "fn": 5}.'),
)  # fmt: skip
