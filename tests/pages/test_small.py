"""Pages of results without a matrix: gaps, decision curves, comparisons of scores, several calibrations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

RNG = np.random.default_rng(0)
SCORES = RNG.random(300)
TRUTH = (RNG.random(300) < SCORES).astype(int)
GROUPS = cm.count(TRUTH, (SCORES > 0.5).astype(int), by=np.array(list("ab"))[np.arange(300) % 2])
SMALL: dict[str, Any] = {
    "Gap between groups": cm.gap(GROUPS, "recall"),
    "Decision curve": cm.decision_curve(TRUTH, {"a<b>": SCORES}, thresholds=[0.2, 0.5]),
    "Comparison of scores": cm.compare_scores(TRUTH, {"a": SCORES, "b": 1 - SCORES}),
    "Calibration": {"x": cm.calibration(TRUTH, SCORES), "y": cm.calibration(TRUTH, SCORES**2)},
}


@pytest.mark.parametrize("heading", SMALL)
def test_a_page_has_the_picture_and_the_table_and_runs_nothing(heading: str) -> None:
    pytest.importorskip("matplotlib")
    page = cm.html(SMALL[heading])
    assert f"<h1>{heading}</h1>" in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "a<b>" not in page
    several = SMALL[heading] if heading == "Calibration" else {"": SMALL[heading]}
    assert page.count("data:image/svg+xml;base64,") == len(several)
    for one in several.values():
        assert one.table()._repr_html_() in page


def test_a_page_is_written_once_and_takes_nothing_of_matrices(tmp_path: Path) -> None:
    gap = SMALL["Gap between groups"]
    path = cm.html(gap, tmp_path / "g.html", title="Sites")
    assert "<h1>Sites</h1>" in path.read_text()
    with pytest.raises(cm.InputError, match="the file exists"):
        cm.html(gap, path, overwrite=False)
    with pytest.raises(cm.InputError, match="page of a Gap takes no order"):
        cm.html(gap, order="worst")
    with pytest.raises(cm.InputError, match="`file` is a path"):
        cm.html(gap, 3)  # type: ignore[call-overload]


def test_without_matplotlib_the_table_alone_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confmat.pages.small.find_spec", lambda _: None)
    page = cm.html(SMALL["Gap between groups"])
    assert "<img" not in page
    assert "<table" in page


def test_a_summary_is_the_sentences_of_what_holds_no_matrix() -> None:
    found = cm.calibration(TRUTH, SCORES)
    assert cm.summary(found) == " ".join(found.sentences())
    gap = SMALL["Gap between groups"]
    assert cm.summary(gap) == " ".join(gap.sentences())
    assert cm.summary(SMALL["Comparison of scores"]).startswith("roc auc: a ")
