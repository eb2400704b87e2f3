"""Answers: free text, refusals and abstentions become labels by stated rules, with a log of what each rule did."""

from confmat.answers.log import AnswerLog
from confmat.answers.rules import Answers

__all__ = ["AnswerLog", "Answers"]
