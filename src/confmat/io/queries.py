"""Columns found by their names, frames of any engine, and the one query of each: a group-by whose cells come home."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, BudgetError, InputError, Message, Remedy, warn
from confmat.core.frames import axis_of, of_margins
from confmat.core.naming import same_name
from confmat.core.options import told
from confmat.core.text import meant, some
from confmat.counting.weights import whole

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

Array = NDArray[Any]

# Columns get these names before anything else happens, so a column of the user's may be called
# anything.
ROW, COL, GROUP, WEIGHT, SQUARE, ONE = "__t", "__p", "__g", "__w", "__v", "__1"
MANY, PRESENT, TOTAL, SQUARES, LEAST = "__n", "__c", "__s", "__q", "__m"
# The evidence of a table of counts: the most rows that are alike, how many groups, the sum of those
# called totals, and fractions.
ALIKE, GROUPS, WHOLES, BROKEN = "__a", "__d", "__h", "__f"
# Integers of 64 bits are smaller.
_INTEGERS = 2.0**63
# The name that says that no column holds counts.
NO_TALLY = "none"
# Words of engines for a sum or a number that does not fit its type.
TOO_LARGE = re.compile(
    r"overflow|out of (bounds|range)|(?<!convert )to int64|from `u64`|convert Decimal\('\d{19,}'\)",
    re.IGNORECASE,
)
# Each engine makes labels of its own of them.
ZONED = "holds times with a zone, which engines read in different ways; store it as text"
# Databases that compare texts by a collation which usually merges some, and of which no way around
# it was tried.
MERGING = {"mysql", "mssql", "singlestoredb"}
KNOWN = "pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis, what else Narwhals reads, or offers __arrow_c_stream__"


@dataclass(frozen=True, slots=True)
class Asked:
    """The columns in question: what the frame calls them now, and what the user calls them.

    Where `tally`, the weights are the numbers of items that the rows of a table of counts
    represent. While nobody knows, it is None, and the other columns are `beside` the labels; it
    `is_shown` where the rows say so themselves. Groups may be a `part` of the paths of files, and
    no column.
    """

    actual: str
    predicted: str
    weights: str | None
    by: str | None
    called: dict[str, Any]
    tally: bool | None = False
    beside: tuple[str, ...] = ()
    is_shown: bool = False
    part: str | None = None
    # Columns of texts that are asked for as bytes, so that no collation merges them.
    texts: frozenset[str] = frozenset()

    @property
    def sides(self) -> list[str]:
        """The columns of labels, and that of groups."""
        return [self.actual, self.predicted, *([] if self.by is None else [self.by])]

    @property
    def keys(self) -> list[str]:
        """The columns of labels and of all groups."""
        return [*self.sides, *self.beside]

    @property
    def columns(self) -> list[str]:
        """All columns, that of the weights last."""
        return [*self.keys, *([] if self.weights is None else [self.weights])]

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

    keys = dict(zip((ROW, COL, GROUP), asked.sides, strict=False))
    beside = {f"__b{i}": name for i, name in enumerate(asked.beside)}
    # Renaming comes first: the same column may be asked for twice, and no name of ours can meet one
    # of theirs.
    chosen: list[Any] = [
        column if column == alias else nw.col(column).alias(alias)
        for alias, column in (keys | beside).items()
    ]
    many = nw.len()
    if frame.implementation.is_polars():
        # Polars counts rows in 32 bits; a sum of ones has 64 and takes no longer.
        chosen.append(nw.lit(1, dtype=nw.Int64).alias(ONE))
        many = nw.col(ONE).sum()
    sums = [many.alias(MANY)]
    if asked.weights is not None:
        chosen += _weights(frame, asked)
        weight = nw.col(WEIGHT)
        sums += [weight.count().alias(PRESENT), weight.sum().alias(TOTAL), nw.col(LEAST).min()]
        sums += [nw.col(SQUARE).sum().alias(SQUARES), nw.col(BROKEN).sum()]
    found = frame.select(*chosen).group_by(*keys, *beside).agg(*sums)
    if asked.tally is None:
        schema = frame.collect_schema()
        kinds = {alias: schema[name] for alias, name in beside.items()}
        if frame.implementation.is_dask() and beside:
            # Dask itself loses columns where a frame of more than four is grouped twice.
            single = found.to_native().repartition(npartitions=1)

            def show(part: Any) -> Any:
                return _shown(nw.from_native(part).lazy(), [*keys], kinds).collect().to_native()

            return _recognize(single.map_partitions(show)).head(max_pairs + 1)  # type: ignore[return-value]
        found = _shown(found, [*keys], kinds)
    return found.head(max_pairs + 1)


def _shown(rows: nw.LazyFrame[Any], keys: list[str], beside: dict[str, Any]) -> nw.LazyFrame[Any]:
    """The pairs of rows of which no two are alike, with what shows whether they are a table of counts."""
    import narwhals.stable.v2 as nw

    groups = wholes = nw.lit(0)
    if beside:
        called = [nw.col(name).is_null() for name in beside]
        texts = (
            nw.col(name).str.to_lowercase() for name, kind in beside.items() if kind == nw.String
        )
        called += [text.is_in(["", *of_margins()[0]]) for text in texts]
        groups = (1.0 / nw.len().over(*beside)).cast(nw.Float64)
        wholes = nw.when(reduce(or_, called)).then(nw.col(TOTAL)).otherwise(0)
    added = [MANY, PRESENT, TOTAL, SQUARES, BROKEN, GROUPS, WHOLES]
    rows = rows.with_columns(nw.col(MANY).alias(ALIKE), groups.alias(GROUPS), wholes.alias(WHOLES))
    if not beside:
        # The rows are those of the pairs already.
        return rows
    return rows.group_by(*keys).agg(
        *(nw.col(name).sum() for name in added), nw.col(LEAST).min(), nw.col(ALIKE).max()
    )


def _weights(frame: nw.LazyFrame[Any], asked: Asked) -> list[nw.Expr]:
    """Weights in a type of 64 bits before they are added: in 32 bits a sum would wrap without a word."""
    import narwhals.stable.v2 as nw

    assert asked.weights is not None
    column, kind = nw.col(asked.weights), frame.collect_schema()[asked.weights]
    least, broken = None, nw.lit(0, dtype=nw.Int64)
    if kind == nw.Boolean:
        # PostgreSQL knows no way from boolean to bigint.
        weight = column.cast(nw.Int32).cast(nw.Int64)
    elif kind.is_integer():
        weight = column.cast(nw.Int64)
    elif kind.is_numeric() or kind in {nw.Object, nw.Unknown}:
        weight = column.cast(nw.Float64)
        # Some engines round to integers, which hold no NaN and no infinity.
        near = nw.when(weight.abs() < _INTEGERS).then(weight).otherwise(nw.lit(0.5))
        broken = nw.when(near != near.round()).then(nw.lit(1, dtype=nw.Int64)).otherwise(broken)
    elif asked.tally is None:
        # Texts are looked at, and never added.
        weight, least = broken, column
    else:
        raise no_numbers(asked.name(asked.weights), kind)
    number = weight.cast(nw.Float64)
    least = weight if least is None else least
    return [
        weight.alias(WEIGHT),
        (number * number).alias(SQUARE),
        least.alias(LEAST),
        broken.alias(BROKEN),
    ]


# ---- what came home ------------------------------------------------------------------------------


def collected(
    query: nw.LazyFrame[Any], asked: Asked, max_pairs: int, **options: Any
) -> nw.DataFrame[Any]:
    """Run the query, and refuse a column of identifiers."""
    try:
        pairs = query.collect(**options)
    except Exception as error:
        if asked.weights is None or not TOO_LARGE.search(str(error)):
            raise
        raise too_heavy(asked) from None
    if len(pairs) > max_pairs:
        keys = zip(asked.sides, (ROW, COL, GROUP), strict=False)
        raise too_many(
            {asked.name(column): pairs[key].n_unique() for column, key in keys}, max_pairs
        )
    return pairs


def counted(pairs: nw.DataFrame[Any], asked: Asked) -> Counted:
    """The pairs that came home, their weights checked."""
    import narwhals.stable.v2 as nw

    many = _whole(pairs[MANY])
    totals = squares = None
    if asked.weights is not None:
        totals, squares = _checked(pairs, asked, many)
    labels = [
        native_of(
            pairs[key].cast(nw.String) if column in asked.texts else pairs[key], asked.name(column)
        )
        for key, column in zip((ROW, COL, GROUP), asked.sides, strict=False)
    ]
    found = Counted(
        labels[0], labels[1], None if asked.by is None else labels[2], many, totals, squares
    )
    return tallied(found, asked)


def tallied(found: Counted, asked: Asked) -> Counted:
    """The pairs of a table of counts, each as often as its rows say."""
    if not asked.tally or found.totals is None:
        return found
    many = whole(found.totals)
    if many is None:
        msg = "{tally} is a column of whole numbers, and {} holds others; {weights} takes any"
        raise InputError(Message(msg, asked.name(str(asked.weights))))
    return replace(found, many=many, totals=None, squares=None)


def native_of(values: nw.Series[Any], name: str = "") -> Any:
    """The engine's own column, where counting reads it; of others, its Arrow form, and of decimals a list."""
    if values.dtype.is_decimal():
        return values.to_list()
    if getattr(values.dtype, "time_zone", None):
        msg = f"the column {name or repr(values.name)} {ZONED}"
        raise InputError(msg)
    known = values.implementation
    if known.is_pyarrow() and str(values.to_native().type) == "extension<arrow.uuid>":
        return [value and str(value) for value in values.to_list()]
    if known.is_pandas() or known.is_polars() or known.is_pyarrow():
        return values.to_native()
    return values.to_arrow()


def too_many(distinct: dict[str, int], max_pairs: int, memory: str | None = None) -> BudgetError:
    """Make the error for a table of more pairs than the caller allows, or than fit the limit of memory."""
    name, many = max(distinct.items(), key=lambda item: item[1])
    limit = Message("{max_pairs} = {:,}" if memory is None else "{:,}", max_pairs)
    remedy = (
        Message("{max_pairs}")
        if memory is None
        else Message("{memory_limit} = {!r}, which they fill,", memory)
    )
    msg = Message(
        "there are more than {} different pairs. The column {} alone holds at least {:,} different values, which "
        "looks like an identifier or a measurement rather than a class; choose another column, or raise {} if it "
        "is right",
        limit,
        name,
        many,
        remedy,
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
            "{weights} must be finite, but {} holds some that are not, or their sum is more than a float holds",
            name,
        )
        raise InputError(msg)
    if (least < 0).any():
        msg = Message("{weights} must be zero or more, but {} holds {}", name, found[LEAST].min())
        raise InputError(msg)
    if not found.schema[LEAST].is_integer():
        return rough, squares
    # By Cauchy and Schwarz no sum is larger than this; a wrapped one could look like any number.
    if (np.sqrt(squares * many) > 2.0**63 * (1 - 2.0**-20)).any():
        raise too_heavy(asked)
    return _whole(found[TOTAL]), squares


def no_numbers(column: str, kind: Any) -> InputError:
    """Make the error for a column of weights that are no numbers."""
    return InputError(
        Message("{weights} must be numbers, but the column {} holds {}", column, kind)
    )


def too_heavy(asked: Asked) -> InputError:
    """Make the error for weights whose sum no integer of 64 bits holds."""
    msg = "the weights in the column {} may add up to more than 63 bits hold; give them as floats"
    return InputError(Message(msg, asked.name(str(asked.weights))))


@dataclass(frozen=True, slots=True)
class Opened:
    """A frame in memory, or one that is to be asked; the frame as it came, and its column names, repeated ones too."""

    memory: nw.DataFrame[Any] | None
    lazy: nw.LazyFrame[Any] | None
    native: Any
    names: Sequence[Any]


def opened(frame: Any) -> Opened:
    """Recognize a frame."""
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame, pass_through=True)
    found = _recognize(native)
    if isinstance(found, nw.LazyFrame):
        # A relation of DuckDB or Spark may repeat a name; Narwhals' schema would hide that.
        by_position = _knows_positions(found)
        names = list(native.columns) if by_position else found.collect_schema().names()
        return Opened(None, found, native, names)
    known = found.implementation
    if known.is_pandas() or known.is_polars() or known.is_pyarrow():
        return Opened(found, None, native, found.columns)
    # Frames in the memory of other devices or machines are asked, too.
    return Opened(None, found.lazy(), native, found.columns)


def _recognize(native: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        with warnings.catch_warnings():
            # Narwhals warns of a move of its Dask support, which does not concern the caller.
            warnings.filterwarnings(
                "ignore", message="Dask support is moving", category=FutureWarning
            )
            found = nw.from_native(native, pass_through=True)
    except DuplicateError as error:
        msg = Message(
            "several columns share a name, so it is open which one is meant; rename them first: {}",
            error,
        )
        raise InputError(msg) from error
    if isinstance(found, (nw.DataFrame, nw.LazyFrame)):
        return found
    if hasattr(native, "__arrow_c_stream__") and not hasattr(native, "to_frame"):
        return _of_arrow(native)
    msg = Message(
        "cannot read {} as a frame of columns; what can be read: {}", type(native).__name__, KNOWN
    )
    if isinstance(native, (dict, list, tuple)) or hasattr(native, "dtype"):
        msg += ". To count two containers of labels, call confmat.count(actual, predicted)"
    raise InputError(msg)


def _of_arrow(native: Any) -> nw.DataFrame[Any]:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    for backend in ("pyarrow", "polars", "pandas"):
        try:
            return nw.from_arrow(native, backend=backend)
        except ModuleNotFoundError:
            continue
        except (DuplicateError, TypeError, ValueError) as error:
            msg = Message("cannot read {} as a frame of columns: {}", type(native).__name__, error)
            raise InputError(msg) from error
    msg = Message(
        "reading {} takes one of the packages pyarrow, polars or pandas, and none is installed",
        type(native).__name__,
    )
    raise InputError(msg)


# ---- names ---------------------------------------------------------------------------------------


def renamed(frame: Opened, asked: Asked) -> tuple[nw.LazyFrame[Any], Asked]:
    """The frame to ask, and the columns under names that are safe there."""
    assert frame.lazy is not None
    known = frame.lazy.implementation
    sides = {ROW: asked.actual, COL: asked.predicted, GROUP: asked.by, "weights": asked.weights}
    wanted = {alias: name for alias, name in sides.items() if name is not None}
    wanted |= {f"__b{i}": name for i, name in enumerate(asked.beside)}
    texts: Iterable[str] = ()
    if _knows_positions(frame.lazy):
        safe, native, texts = _by_position(frame, wanted)
    elif known.is_dask() and len(set(wanted.values())) == len(wanted):
        # Dask hashes all the data that a frame holds when a column is assigned, and none when it is
        # renamed.
        safe = {name: alias for alias, name in wanted.items()}
        native = frame.native[list(safe)].rename(columns=safe)
    else:
        _check_names(frame, wanted.values())
        return _of_ibis(frame, asked) if known.is_ibis() else (frame.lazy, asked)
    weights, by = (None if name is None else safe[name] for name in (asked.weights, asked.by))
    found = replace(
        asked,
        actual=safe[asked.actual],
        predicted=safe[asked.predicted],
        weights=weights,
        by=by,
        called={new: name for name, new in safe.items()},
        beside=tuple(safe[name] for name in asked.beside),
        texts=frozenset(texts),
    )
    return _recognize(native), found  # type: ignore[return-value]


def _by_position(frame: Opened, wanted: dict[str, Any]) -> tuple[dict[Any, str], Any, list[str]]:
    """New names by position, before any name of the user's is looked up, and which are those of texts as bytes.

    DuckDB gives the column `y` to one who asks for `Y` where both exist; Spark reads `a.b` as a
    field of `a` and stumbles over backticks. Both have collations by which texts that differ are
    one in a group-by.
    """
    assert frame.lazy is not None
    names, native = list(frame.names), frame.native
    places = {name: names.index(name) for name in wanted.values()}
    safe = {name: f"c{place}" for name, place in places.items()}
    if not frame.lazy.implementation.is_duckdb():
        return safe, _of_spark(native), []
    labels = {name for alias, name in wanted.items() if alias in {ROW, COL, GROUP}}
    texts = [safe[name] for name in labels if native.types[places[name]].id == "varchar"]
    chosen = []
    for name, place in places.items():
        column = f"encode(#{place + 1})" if safe[name] in texts else f"#{place + 1}"
        chosen.append(f"{column} AS {safe[name]}")
    return safe, native.project(", ".join(chosen)), texts


def _of_spark(native: Any) -> Any:
    """A frame of Spark with columns by position, and texts that differ apart."""
    native = native.toDF(*(f"c{i}" for i in range(len(native.columns))))
    kinds = [getattr(field.dataType, "collation", None) for field in native.schema.fields]
    if all(kind in {None, "UTF8_BINARY"} for kind in kinds):
        return native
    merged = (
        f"c{i}" if kind in {None, "UTF8_BINARY"} else f"collate(c{i}, 'UTF8_BINARY') AS c{i}"
        for i, kind in enumerate(kinds)
    )
    return native.selectExpr(*merged)


def _of_ibis(frame: Opened, asked: Asked) -> tuple[nw.LazyFrame[Any], Asked]:
    """The table of a database with its texts as bytes, where a collation might merge some, and with UUIDs as texts."""
    import ibis

    table, texts = frame.native, []
    try:
        backend = table.get_backend().name
    except ibis.IbisError:
        # A table that nobody has yet connected.
        backend = ""
    function = ibis.udf.scalar.builtin
    encode = function(lambda text: text, name="encode", signature=(("string",), "binary"))
    convert = function(
        lambda text, _: text, name="convert_to", signature=(("string", "string"), "binary")
    )
    as_bytes = {
        "duckdb": encode,
        "postgres": lambda text: convert(text, "UTF8"),
        # An expression has no collation there.
        "sqlite": lambda text: text + "",
    }
    for name in dict.fromkeys(asked.sides):
        column = table[name]
        if column.type().is_uuid():
            table = table.mutate(**{name: column.cast("string")})
        elif column.type().is_string() and backend in MERGING:
            msg = (
                "the column {} holds texts, which a collation of {} may take for one another, as 'a' and 'A'; give "
                "it as numbers, or as bytes (of MySQL, by CAST(... AS BINARY) in connection.sql), or count an "
                "export of the table with confmat.count_files"
            )
            raise InputError(Message(msg, asked.name(name), backend))
        elif column.type().is_string() and backend in as_bytes:
            table = table.mutate(**{name: as_bytes[backend](column)})
            texts += [name] if backend != "sqlite" else []
    return _recognize(table), replace(asked, texts=frozenset(texts))  # type: ignore[return-value]


def _knows_positions(frame: nw.LazyFrame[Any]) -> bool:
    known = frame.implementation
    return known.is_duckdb() or known.is_pyspark() or known.is_pyspark_connect()


def _check_names(frame: Opened, wanted: Iterable[Any]) -> None:
    """Refuse patterns of Polars, and names that differ in case only, which many databases take for each other."""
    assert frame.lazy is not None
    known = frame.lazy.implementation
    if known.is_dask():
        return
    for name in wanted:
        if known.is_polars():
            if re.fullmatch(r"\*|\^.*\$", name, re.DOTALL):
                msg = (
                    f"Polars takes the name {some([name])} for several columns; rename it, or "
                    "collect() the frame first"
                )
                raise InputError(msg)
            continue
        alike = [other for other in frame.names if str(other).casefold() == str(name).casefold()]
        if len(alike) > 1:
            msg = f"the columns {some(alike)} differ in case only, which databases may not tell apart; rename one"
            raise InputError(msg)


# The names that go together in other tools, the commonest first.
PAIRS = (
    ("y_true", "y_pred"),
    ("actual", "predicted"),
    ("label", "prediction"),
    ("y", "yhat"),
    ("truth", "prediction"),
    ("truth", "estimate"),
    ("target", "pred"),
    ("gold", "pred"),
    ("reference", "prediction"),
    ("observed", "forecast"),
    ("obs", "pred"),
    ("gold", "system"),
    ("reference", "hypothesis"),
    ("expected_label", "predicted_label"),
)
ACTUAL = {
    *(first for first, _ in PAIRS),
    *("true", "labels", "targets", "references", "ground_truth", "gt", "expected"),
    *("true_label", "actual_label", "gold_label", "true_class", "actual_class", "class"),
}
PREDICTED = {
    *(second for _, second in PAIRS),
    *("predictions", "preds", "y_hat", "guess", "inferred"),
    *("predicted_label", "pred_label", "predicted_class", "pred_class", "prediction_label"),
}


def find_columns(names: Sequence[Any], actual: Any, predicted: Any) -> tuple[Any, Any]:
    """The columns of actual and predicted labels: as named, or else those whose names say what they are.

    >>> find_columns(["id", "Y_True", "score", "y_pred"], None, None)
    ('Y_True', 'y_pred')
    """
    if actual is None and predicted is None and (couple := _usual_couple(names)) is not None:
        return couple
    found = []
    for side, given, known in (("actual", actual, ACTUAL), ("predicted", predicted, PREDICTED)):
        # A column that was named for one side is no candidate for the other.
        taken = predicted if side == "actual" else actual
        free = names if taken is None else [name for name in names if not same_name(name, taken)]
        found.append(
            _guessed(free, side, known) if given is None else find_column(names, given, side)
        )
    return found[0], found[1]


def _usual_couple(names: Sequence[Any]) -> tuple[Any, Any] | None:
    """The columns of both labels if they alone have names that go together; None where a guess may be wrong."""
    usual = _called(names, ACTUAL | PREDICTED)
    couples = [
        (left[0], right[0])
        for first, second in PAIRS
        if len(left := _called(usual, {first})) == 1 and len(right := _called(usual, {second})) == 1
    ]
    if len(couples) != 1:
        return None
    # Another truth may be meant beside predictions whose name goes with several.
    partners = [first for first, second in PAIRS if _called([couples[0][1]], {second})]
    alone = len(partners) == 1 or len(_called(usual, ACTUAL)) == 1
    return couples[0] if alone else None


def asked_among(
    names: Sequence[Any], actual: Any, predicted: Any, weights: Any, by: Any, tally: Any = None
) -> Asked:
    """The columns in question, by their names.

    >>> asked_among(["site", "y_true", "y_pred", "w"], None, None, "w", "site").columns
    ['y_true', 'y_pred', 'site', 'w']
    """
    tally = None if isinstance(tally, str) and tally == NO_TALLY else tally
    if tally is not None and weights is not None:
        raise InputError(
            Message("{tally} and {weights} each name a column of numbers; give one of them")
        )
    row, col = find_columns(names, actual, predicted)
    wanted = (("weights", weights), ("by", by), ("tally", tally))
    others = [None if x is None else find_column(names, x, side) for side, x in wanted]
    return Asked(
        row, col, others[0] if tally is None else others[2], others[1], {}, tally is not None
    )


def say_rivals(names: Sequence[Any], asked: Asked) -> None:
    """Say which couple was taken where other columns are called like labels, too."""
    rivals = [
        name
        for name in _called(names, ACTUAL | PREDICTED)
        if not any(same_name(name, column) for column in asked.columns)
    ]
    if rivals:
        msg = (
            "counted {} as actual and {} as predicted; {} {} as well, so say {actual} and {predicted} if others "
            "are meant"
        )
        fits = "fits" if len(rivals) == 1 else "fit"
        warn(
            Message(
                msg, asked.name(asked.actual), asked.name(asked.predicted), some(rivals, 6), fits
            )
        )


def find_column(names: Sequence[Any], given: Any, side: str) -> Any:
    """The column of that very name, once; an error lists what there is."""
    many = sum(1 for name in names if same_name(name, given))
    if many == 1:
        return given
    if many:
        msg = Message(
            "{} columns are called {}, so {} could be any of them; rename them first",
            many,
            told(given),
            Argument(side),
        )
        raise InputError(msg)
    hint = meant(given, names) if isinstance(given, str) else ""
    if hasattr(given, "dtype") or isinstance(given, list):
        hint = "; give its name, and not what is in it: confmat.count(actual, predicted) counts two lists or columns"
    msg = Message(
        "there is no column {} for {}; the columns are {}{}",
        told(given),
        Argument(side),
        some(names, 12),
        hint,
    )
    raise InputError(msg)


def _guessed(names: Sequence[Any], side: str, known: set[str]) -> Any:
    # Names of one word in other languages; with more words it may be the score of a prediction.
    words = [name for name in names if isinstance(name, str) and name.isalpha()]
    found = _called(names, known) or [word for word in words if axis_of(word) == side]
    if len(found) == 1:
        return find_column(names, found[0], side)
    if found:
        msg = Message(
            "{} could be any of the columns {}; say which: {}",
            Argument(side),
            some(found),
            Argument(side, found[0]),
        )
    else:
        msg = Message(
            "no column has a usual name of {} ({}); the columns are {}. Say which: {}",
            Argument(side),
            some(sorted(known, key=lambda word: (len(word), word)), 6),
            some(names, 12),
            Argument(side, ...),
        )
        if names and re.fullmatch(r"\s*|.*\\.*", str(names[0])):
            msg = Message(
                "{}; if these are the classes of a matrix, {} reads it",
                msg,
                Remedy("matrix", "confmat.load"),
            )
    raise InputError(msg)


def _called(names: Sequence[Any], known: set[str]) -> list[Any]:
    wanted = set(map(_bare, known))
    return [name for name in names if isinstance(name, str) and _bare(name) in wanted]


def _bare(name: str) -> str:
    """A name without what people spell differently: case, blanks, underscores, dots."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
