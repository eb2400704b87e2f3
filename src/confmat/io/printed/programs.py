"""Prints of other programs, which are known by the words around their tables and refused."""

from __future__ import annotations

import re

from confmat.core.errors import InputError

PASTE = (
    "paste the square of counts with the names of the classes as CSV, or count the two columns of labels "
    "(confmat.count)"
)
FROM_PYCM = "confmat.io.from_pycm(pycm.ConfusionMatrix(file=open(path)))"
# Words and signs that other programs print beside their tables, where shares, letters or panels
# are between counts.
_PROGRAMS = {
    "H2O": r"\bError[ |]+Rate[ |]*$",
    "Weka": r"<-+ classified as",
    "NLTK": r"\(row = reference; col = test\)|<\d+>",
    "SPSS": r"Crosstabulation|Classification (?:Table|Results)|Percentage Correct|% within|Overall Percentage",
    "SAS": r"The (?:FREQ|DISCRIM|LOGISTIC) Procedure|Percent Classified into|^[ \t]*Frequency[ \t]*[|│‚]",
    "gmodels": r"(?:Row|Column) Total \||Cell Contents",
    "ML.NET": r"PREDICTED +\|\|",
    "RapidMiner": r"^True:\t",
    "ENVI": r"Ground Truth \((?:Pixels|Percent)\)",
    "GRASS": r"Panel #\d+ of \d+|\bMAP1\b",
    "Orfeo ToolBox": r"^#(?:Reference|Produced) labels",
    "KNIME": r"Correct classified:",
    "MATLAB, Octave or Julia": r"^ *Columns? \d+|^\w+ =(?: *\d{1,9} *[x×] *\d{1,9}.*)?$"
    r"|\b\d{1,9} *[x×] *\d{1,9} \S*(?:Matrix|Array)|\[[^\[\]]*;",
    "Stata, a database or a library that draws boxes": r"^[ \t]*[+|]?-+(?:\+-*)+\|?[ \t]*$"
    r"|^[ \t]*[│┃║┌┏╭┬]|^[| \t]*Key[| \t]*$",
}
_OURS = re.compile(r"actual\\+predicted|predicted\\+actual|\Aactual[,;\t|]predicted[,;\t|]")
_OF_PROGRAM = re.compile("|".join(f"({pattern})" for pattern in _PROGRAMS.values()), re.MULTILINE)


def refuse_program(text: str) -> None:
    """Refuse the print of a program whose form we know, but not its meaning."""
    # Classes of our own tables may be called anything.
    found = None if _OURS.search(text) else _OF_PROGRAM.search(text)
    if found is not None and found.lastindex is not None:
        msg = f"this looks like a print of {[*_PROGRAMS][found.lastindex - 1]}, which is not read; {PASTE}"
        raise InputError(msg)
