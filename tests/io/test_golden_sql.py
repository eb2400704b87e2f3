"""The SQL that warehouses would get from the same query, kept as text: no server of theirs runs in these tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pytest

from confmat.io import query
from confmat.io.queries import Asked, opened, pairs_query, renamed

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

GOLDEN = Path(__file__).parent / "golden"
# Names that a dialect must quote, and one that is ours.
SCHEMA = {
    "truth": "string",
    "the 'answer'": "string",
    "__t": "int64",
    "w": "float64",
    "site": "string",
}
QUESTIONS = {
    "pairs": Asked("truth", "the 'answer'", None, None, {}),
    "whole_weights": Asked("truth", "the 'answer'", "__t", None, {}),
    "real_weights_by_site": Asked("truth", "the 'answer'", "w", "site", {}),
}


def sql_of(question: str, dialect: str) -> str:
    ibis = pytest.importorskip("ibis")
    frame = opened(ibis.table(SCHEMA, name="predictions"))
    lazy, asked = renamed(frame, QUESTIONS[question])
    expression: Any = nw.to_native(pairs_query(lazy, asked, 1_000_000))
    return f"{ibis.to_sql(expression, dialect=dialect)}\n"


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "clickhouse", "trino"])
def test_the_query_of_a_warehouse(
    dialect: str, question: str, request: pytest.FixtureRequest
) -> None:
    sql = sql_of(question, dialect)
    kept = GOLDEN / f"{question}.{dialect}.sql"
    if request.config.getoption("--rewrite"):
        kept.write_text(sql, encoding="utf-8")
    assert sql == kept.read_text(encoding="utf-8")


def test_the_query_of_a_table_without_a_connection_can_be_seen() -> None:
    ibis = pytest.importorskip("ibis")
    said = query(ibis.table(SCHEMA, name="predictions"), actual="truth", predicted="the 'answer'")
    assert f"{said}\n" == sql_of("pairs", "duckdb")
