"""Options for what is more than one label an item: scores, several labels, related classes, costs, free answers."""

from __future__ import annotations

import click

from confmat.cli.options import Choice, Names, all_of

__all__ = ["SCORE_KINDS", "beyond_options"]

SCORE_KINDS = ("probabilities", "logits", "scores")

beyond_options = all_of(
    click.option("--scores", type=Names(), metavar="COLUMN,...",
                 help="Scores instead of labels: one column for the positive class, or one for each class, such as "
                 "p_cat,p_hen or 'p_*', where the star stands for the class."),
    click.option("--threshold", type=float, metavar="T",
                 help="Scores of at least this are positive; by default 0.5, of logits 0."),
    click.option("--top-k", type=click.IntRange(1), metavar="K",
                 help="Right if among the K largest scores; otherwise the first answer stands."),
    click.option("--kind", "score_kind", type=Choice(SCORE_KINDS), default="probabilities", show_default=True,
                 help="What the scores are."),
    click.option("--sep", metavar="TEXT",
                 help="Several labels an item, with this between them: one matrix for each label."),
    click.option("--matrix", "crossed", is_flag=True, help="Of several labels an item one matrix, with (none)."),
)  # fmt: skip
