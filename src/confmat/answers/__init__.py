"""Answers: free text, refusals and abstentions become labels by stated rules, with a log of what each rule did.

For whoever asks a language model, or people, in free words. Rules are stated beforehand and given
to whatever counts, as `answers=`. An answer that no rule reads is no class: it is refused, or kept
outside the classes as "(invalid)" where the caller says so. Rules are never in the way:
weights, groups and clusters are carried.
"""

from confmat.answers.log import AnswerLog
from confmat.answers.rules import Answers

__all__ = ["AnswerLog", "Answers"]
