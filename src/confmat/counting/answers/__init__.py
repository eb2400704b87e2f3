"""Answers: free text, refusals and abstentions become labels by stated rules, with a log of what each rule did."""

from confmat.counting.answers.log import AnswerLog
from confmat.counting.answers.rules import Answers

__all__ = ["AnswerLog", "Answers"]
