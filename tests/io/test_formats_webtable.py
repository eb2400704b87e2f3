"""Tables of web pages."""

from __future__ import annotations

import pytest

from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatError
from confmat.io import read_printed, recognize

M = ConfusionMatrix([[1050, 10], [5, 100]], ["no", "yes"])

PANDAS = """\
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;"><th>Predicted</th><th>no</th><th>yes</th></tr>
    <tr><th>Actual</th><th></th><th></th></tr>
  </thead>
  <tbody>
    <tr><th>no</th><td>1050</td><td>10</td></tr>
    <tr><th>yes</th><td>5</td><td>100</td></tr>
  </tbody>
</table>
"""
SPANS = """\
<style>td { color: red }</style>
<TABLE><caption>Counts, 1</caption>
<tr><td colspan=2 rowspan=2><th colspan="2">Predicted
<tr><th>no<th>yes
<tr><th rowspan="2">Actual</th><th>no</th><td>1,050<br>(99%)</td><td>10 (1&nbsp;%)</td></tr>
<tr><th>yes</th><td>5</td><td><b>100</b></td></tr></TABLE>
"""


@pytest.mark.parametrize("text", [PANDAS, SPANS])
def test_a_table_is_read(text: str) -> None:
    assert read_printed(text) == M
    assert read_printed(f"<html><body><h1>Results</h1>{text}<p>Done</body></html>") == M
    assert recognize(text).source == "HTML"


def test_scores_at_the_margins_are_left_out() -> None:
    text = PANDAS.replace("<th>yes</th></tr>", "<th>yes</th><th>Recall</th></tr>")
    text = text.replace("</td></tr>", "</td><td>9%</td></tr>")
    text = text.replace("<th></th></tr>", "<th></th><th></th></tr>")
    assert read_printed(text) == M


def test_labels_are_text() -> None:
    m = read_printed(PANDAS.replace("<th>no</th>", "<th>&lt;script&gt;</th>"))
    assert m.labels == ["<script>", "yes"]


@pytest.mark.parametrize(
    "inside",
    ["<!-- 7 > 8 -->", "<!-- > <b> -->", '<i title="a > b"></i>', "<i a='\"'></i>", "<!---->"],
)
def test_what_is_not_shown_is_no_part_of_a_cell(inside: str) -> None:
    for one in ("no", "1050"):
        assert read_printed(PANDAS.replace(f">{one}<", f">{one}{inside}<")) == M


@pytest.mark.parametrize(
    "cell", ["<div>5</div><div>4.8</div>", "<p>5<p>4.8", "5<sup>1</sup>", "<li>5<li>10"]
)
def test_numbers_that_stand_apart_are_not_joined(cell: str) -> None:
    with pytest.raises(ConfmatError, match="is no count or weight"):
        read_printed(PANDAS.replace("<td>5<", f"<td>{cell}<"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PANDAS * 2, "2 tables; give one"),
        (
            f"<table><tr><td>{PANDAS}</td></tr></table>",
            "2 tables; give one, without others in its cells",
        ),
        ("<table></table>", "the table is empty"),
        ("<table><tr></tr></table>", "the table is empty"),
        ("<table>" + "<tr><td colspan=9999 rowspan=9999>1" * 2000, "or more than 4,000,000 cells"),
        (
            "<table><tr><td colspan=9999 rowspan=9999>1" + "<tr><td>1" * 9999,
            "or more than 4,000,000 cells",
        ),
        ("<table><tr>" + "<td colspan=9999>1" * 2 + "</table>", "more than 10,000 columns"),
        (
            PANDAS.replace("<td>5</td>", "<td>five</td>"),
            "row 'yes', column 'no': 'five' is no count or weight",
        ),
        (PANDAS.replace("<td>5</td>", ""), "row 'yes', column 'yes': the cell is empty"),
    ],
)
def test_what_is_unclear_is_refused(text: str, says: str) -> None:
    with pytest.raises(ConfmatError) as caught:
        read_printed(text)
    assert says in str(caught.value)
