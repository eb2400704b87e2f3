"""The one query that every engine runs: a group-by on the pair, of which only the cells that occur come home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.errors import BudgetError, InputError, Message

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

__all__ = ["COL", "GROUP", "ROW", "Asked", "Counted", "collected", "native_of", "pairs_query", "too_many"]

Array = NDArray[Any]

# Columns get these names before anything else happens, so a column of the user's may be called anything.
ROW, COL, GROUP, WEIGHT, SQUARE, ONE = "__t", "__p", "__g", "__w", "__v", "__1"
MANY, PRESENT, TOTAL, SQUARES, LEAST = "__n", "__c", "__s", "__q", "__m"


@dataclass(frozen=True, slots=True)
class Asked:
    """The columns in question: what the frame calls them now, and what the user calls them."""

    actual: str
    predicted: str
    weights: str | None
    by: str | None
    called: dict[str, Any]

    def name(self, column: str) -> str:
        """A column as the user knows it."""
        return repr(self.called.get(column, column))


@dataclass(frozen=True, slots=True)
class Counted:
    """Pairs with their numbers: keys in the containers of the engine, numbers in NumPy's."""

    actual: Any
    predicted: Any
    group: Any
    many: Array
    totals: Array | None
    squares: Array | None


def pairs_query(frame: nw.LazyFrame[Any], asked: Asked, max_pairs: int) -> nw.LazyFrame[Any]:
    """The number of rows of every pair (and group) that occurs; with weights, also their sums and what checks them."""
    import narwhals.stable.v2 as nw

    keys = {ROW: asked.actual, COL: asked.predicted}
    if asked.by is not None:
        keys[GROUP] = asked.by
    # Renaming comes first: the same column may be asked for twice, and no name of ours can meet one of theirs.
    chosen: list[Any] = [column if column == alias else nw.col(column).alias(alias) for alias, column in keys.items()]
    many = nw.len()
    if frame.implementation.is_polars():
        # Polars counts rows in 32 bits; a sum of ones has 64 and takes no longer.
        chosen.append(nw.lit(1, dtype=nw.Int64).alias(ONE))
        many = nw.col(ONE).sum()
    sums = [many.alias(MANY)]
    if asked.weights is not None:
        chosen += _weights(frame, asked)
        weight = nw.col(WEIGHT)
        sums += [weight.count().alias(PRESENT), weight.sum().alias(TOTAL), weight.min().alias(LEAST)]
        sums.append(nw.col(SQUARE).sum().alias(SQUARES))
    return frame.select(*chosen).group_by(*keys).agg(*sums).head(max_pairs + 1)


def _weights(frame: nw.LazyFrame[Any], asked: Asked) -> list[nw.Expr]:
    """Weights in a type of 64 bits before they are added: in 32 bits a sum would wrap without a word."""
    import narwhals.stable.v2 as nw

    assert asked.weights is not None
    column, kind = nw.col(asked.weights), frame.collect_schema()[asked.weights]
    if kind == nw.Boolean:
        # PostgreSQL knows no way from boolean to bigint.
        weight = column.cast(nw.Int32).cast(nw.Int64)
    elif kind.is_integer():
        weight = column.cast(nw.Int64)
    elif kind.is_numeric() or kind in {nw.Object, nw.Unknown}:
        weight = column.cast(nw.Float64)
    else:
        msg = Message("{weights} must be numbers, but the column {} holds {}", asked.name(asked.weights), kind)
        raise InputError(msg)
    number = weight.cast(nw.Float64)
    return [weight.alias(WEIGHT), (number * number).alias(SQUARE)]


# ---- what came home ----------------------------------------------------------------------------------------


def collected(query: nw.LazyFrame[Any], asked: Asked, max_pairs: int, **how: Any) -> Counted:
    """Run the query, refuse a column of identifiers, check the weights."""
    found = query.collect(**how)
    if len(found) > max_pairs:
        keys = {asked.actual: found[ROW], asked.predicted: found[COL]}
        if asked.by is not None:
            keys[asked.by] = found[GROUP]
        raise too_many({asked.name(column): values.n_unique() for column, values in keys.items()}, max_pairs)
    many = _whole(found[MANY])
    totals = squares = None
    if asked.weights is not None:
        totals, squares = _checked(found, asked, many)
    group = None if asked.by is None else native_of(found[GROUP])
    return Counted(native_of(found[ROW]), native_of(found[COL]), group, many, totals, squares)


def native_of(values: nw.Series[Any]) -> Any:
    """The engine's own column, where counting reads it; of others, its Arrow form."""
    known = values.implementation
    if known.is_pandas() or known.is_polars() or known.is_pyarrow():
        return values.to_native()
    return values.to_arrow()


def too_many(distinct: dict[str, int], max_pairs: int) -> BudgetError:
    """What to say about a table of more pairs than the caller allows."""
    name, many = max(distinct.items(), key=lambda item: item[1])
    msg = Message(
        "there are more than {max_pairs} = {:,} different pairs. The column {} alone holds at least {:,} "
        "different values, which looks like an identifier or a measurement rather than a class; choose "
        "another column, or raise {max_pairs} if it is right",
        max_pairs,
        name,
        many,
    )
    return BudgetError(msg)


def _whole(values: nw.Series[Any]) -> Array:
    import narwhals.stable.v2 as nw

    # A database may answer with decimals.
    return np.asarray(values.cast(nw.Int64).to_numpy(), dtype=np.int64)


def _numbers(values: nw.Series[Any]) -> Array:
    import narwhals.stable.v2 as nw

    # Arrow refuses to make floats of integers beyond 2^53.
    numbers = values if values.dtype.is_integer() else values.cast(nw.Float64)
    return np.asarray(numbers.to_numpy(), dtype=np.float64)


def _checked(found: nw.DataFrame[Any], asked: Asked, many: Array) -> tuple[Array, Array]:
    """Sums of weights and of their squares; a weight that `count` would refuse is refused here too."""
    assert asked.weights is not None
    name = f"the column {asked.name(asked.weights)}"
    absent = int((many - _whole(found[PRESENT])).sum())
    if absent:
        msg = Message("{weights} may not be missing, but {:,} in {} are", absent, name)
        raise InputError(msg)
    rough, squares, least = _numbers(found[TOTAL]), _numbers(found[SQUARES]), _numbers(found[LEAST])
    if not np.isfinite(rough).all():
        msg = Message(
            "{weights} must be finite, but {} holds some that are not, or their sum is more than a float holds", name
        )
        raise InputError(msg)
    if (least < 0).any():
        msg = Message("{weights} must be zero or more, but {} holds {}", name, found[LEAST].min())
        raise InputError(msg)
    if not found.schema[LEAST].is_integer():
        return rough, squares
    # By Cauchy and Schwarz no sum is larger than this; a wrapped one could look like any number.
    if (np.sqrt(squares * many) > 2.0**63 * (1 - 2.0**-20)).any():
        msg = f"the weights in {name} may add up to more than 63 bits hold; give them as floats"
        raise InputError(msg)
    return _whole(found[TOTAL]), squares
