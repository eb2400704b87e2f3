"""Logs of Inspect (version 2), lm-evaluation-harness (0.4) and promptfoo (version 3) as pairs of truth and answer."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from string import ascii_uppercase
from typing import Any, BinaryIO

from confmat.core.errors import Argument, BudgetError, ConfmatError, InputError, Message, warn
from confmat.core.files import decoded, named, path_of, read_bytes, refused, unchanged
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import in_order
from confmat.core.options import door, told
from confmat.core.stack import Stack
from confmat.core.text import fit, printable, some
from confmat.counting import count
from confmat.io.queries import find_column, find_columns
from confmat.io.records import opened_zst, record_of
from confmat.io.roads import Roads
from confmat.io.sources import Source, log_at

# Larger headers and summaries would only fill the memory.
MAX_MEMBER_BYTES = 1 << 28
# Assertions of promptfoo whose value is the label that was wanted.
_LABELLING = ("equals", "icontains", "contains", "starts-with")
# The scorers that are asked where a log has several.
_USUAL = ("success", "acc", "exact_match")
_RIGHT, _WRONG = ("c", "true", "yes", "1", "1.0"), ("i", "false", "no", "0", "0.0")
_OTHER = {"p": "partial", "n": "(abstained)", "none": "(error)", "nan": "(error)"}
_WORDS = {**dict.fromkeys(_RIGHT, "correct"), **dict.fromkeys(_WRONG, "incorrect"), **_OTHER}
_OUTSIDE = ("(invalid)", "(abstained)", "(error)")
_ZSTD = 93
_UNKNOWN = "{}: this log is of version {} of {}'s, and version {} is known"


@dataclass(frozen=True, slots=True)
class Item:
    """An answer to a sample: its targets, what was answered and the verdict by scorer, and what there was to choose.

    The facts are the metadata of the sample, by their names.
    """

    sample: str
    epoch: int
    targets: tuple[str, ...]
    scores: dict[str, tuple[str, Any]]
    input: Any
    facts: dict[str, Any]
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class EvalLog:
    """The answers of a model to the samples of an evaluation, in the order of the samples.

    A sample comes several times where there were epochs, repetitions or several logs; it is their
    cluster. A wrong answer that is no class is "(invalid)", and one that was not scored an
    "(error)".

    Attributes
    ----------
    columns
        The facts of each answer, by name: sample, epoch, model, target and answer as they are
        written, input, and the metadata of the sample, of which one of these names is called
        metadata.model or the like.
    """

    model: str
    samples: list[str] = field(repr=False)
    actual: list[str] = field(repr=False)
    predicted: list[str] = field(repr=False)
    labels: Labels
    columns: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    @property
    def clusters(self) -> list[str] | None:
        """The samples, if some were answered more than once; answers to a single one vary by themselves."""
        return self.samples if 1 < len(set(self.samples)) < len(self.samples) else None

    def matrix(self, by: str | None = None, **options: Any) -> ConfusionMatrix | Stack:
        """Return the counts; of repeated samples a `Sample`, in whose intervals these are the units.

        Parameters
        ----------
        by
            One of the columns, each of whose values has a matrix then, in the order of
            groups of `count`: sorted, or as they come where they are of several kinds.
        **options
            As in `count`; `missing` is about groups.
        """
        options["labels"], clusters = self.labels, self.clusters
        if clusters is not None:
            options["max_groups"] = len(clusters)
        if by is None:
            found = count(self.actual, self.predicted, clusters=clusters, **options)
            return found.standardize() if isinstance(found, Stack) else found
        groups = self.columns[find_column([*self.columns], by, "by")]
        if clusters is None:
            return count(self.actual, self.predicted, by=groups, **options).along(by)
        found = count(self.actual, self.predicted, by={by: groups, "cluster": clusters}, **options)
        parts: dict[Any, Any] = {}
        for (key, sample), m in found.items():
            parts.setdefault(key, {})[sample] = m
        for key, part in parts.items():
            stack = Stack(part, axis="cluster")
            parts[key] = stack.standardize() if 1 < len(stack) < stack.total.sum() else stack.sum()
        return Stack(parts, axis=by, ungrouped=found.ungrouped)

    def only(self, kept: Sequence[bool]) -> EvalLog:
        """Return some of the answers.

        Parameters
        ----------
        kept
            Whether each of them is kept.
        """
        own: Any = {
            name: [*compress(getattr(self, name), kept)]
            for name in ("samples", "actual", "predicted")
        }
        return replace(
            self,
            columns={name: [*compress(fact, kept)] for name, fact in self.columns.items()},
            **own,
        )

    def parts(self, by: str) -> dict[Any, EvalLog]:
        """Return the answers of each category, in order.

        Parameters
        ----------
        by
            One of the columns.
        """
        values = self.columns[find_column([*self.columns], by, "by")]
        return {
            key: self.only([value == key for value in values])
            for key in in_order([*dict.fromkeys(values)], appearance=True)
        }

    def rows(self, columns: Iterable[str]) -> list[tuple[Any, ...]]:
        """Return both labels of each answer, and columns."""
        found = (self.columns[find_column([*self.columns], name, "examples")] for name in columns)
        return [*zip(self.actual, self.predicted, *found, strict=True)]


class Logs(dict[str, EvalLog]):
    """The answers of each model in some logs."""

    def matrix(self, by: str | None = None, **options: Any) -> ConfusionMatrix | Stack:
        """Return the counts of the only model, as `EvalLog.matrix` does, or a stack of several."""
        log, *more = self.values()
        if not more:
            return log.matrix(by, **options)
        if by not in {None, "model"}:
            msg = Message(
                "these are the answers of {} models, {}; {by:'model'} counts each",
                len(self),
                some(self),
            )
            raise InputError(msg)
        counted: dict[Any, Any] = {name: log.matrix(**options) for name, log in self.items()}
        return Stack(counted, axis="model")


@door
def read_log(
    path: Any,
    *,
    predicted: str = "answer",
    labels: Iterable[Any] | None = None,
    model: str | None = None,
) -> EvalLog:
    """Read the log of a language model's evaluation: Inspect, lm-evaluation-harness or promptfoo.

    An answer that the scorer finds right has the label of its target, and a wrong one another or
    "(invalid)"; so the accuracy is that of the scorer.

    Parameters
    ----------
    path
        An .eval or .json of Inspect, samples_*.jsonl of lm-evaluation-harness, or results of
        promptfoo in .json.
    predicted
        `"answer"`, or `"verdict"`, by which each answer is "correct" or not; of several scorers one
        of them comes first: `"choice.answer"`.
    labels
        The classes and their order; otherwise the choices, or the targets that occur.
    model
        The model, of several in one file.
    """
    if (log := log_at(path)) is None:
        read_bytes(path, "a log")
        known = ".eval or .json of Inspect, samples_*.jsonl of lm-evaluation-harness, results of promptfoo in .json"
        msg = f"{named(path)}: this is no log that is known: {known}"
        raise InputError(msg)
    logs = read_logs([log], predicted=predicted, labels=labels)
    if model not in logs and (model is not None or len(logs) > 1):
        msg = Message("{}: {model} must be one of {}, not {}", named(path), some(logs), told(model))
        raise InputError(msg)
    return next(iter(logs.values())) if model is None else logs[model]


def _by_model(files: Iterable[Source]) -> dict[str, list[Item]]:
    """Gather the items of each model from all files, in the order of their samples."""
    models: dict[str, list[Item]] = {}
    for file in files:
        for model, items in _items(file).items():
            models.setdefault(model, []).extend(items)
    for items in models.values():
        items.sort(key=lambda item: (len(item.sample), item.sample, item.epoch))
    return models


def read_logs(
    files: Sequence[Source], *, predicted: str = "answer", labels: Iterable[Any] | None = None
) -> Logs:
    """Return the answers of each model in some logs; the options are those of `read_log`."""
    models = _by_model(files)
    name = fit(", ".join(map(str, files)), 200)
    items = [item for each in models.values() for item in each]
    scorer, what = _asked(items, predicted, name)
    texts, values = zip(*(item.scores.get(scorer, ("", None)) for item in items), strict=True)
    truth, predictions = ["correct"] * len(items), _verdicts(values, scorer, name)
    if what == "answer":
        classes, truth = _classes(items, labels, name), [item.targets[0] for item in items]
        predictions = _answers(classes, truth, predictions, texts)
    else:
        classes = Labels(["incorrect", *["partial"] * ("partial" in predictions), "correct"])
    classes = classes.replace(outside=[name for name in _OUTSIDE if name in predictions])
    logs, start = Logs(), 0
    for model, each in models.items():
        part = slice(start, start := start + len(each))
        columns = _columns(model, each, texts[part])
        logs[model] = EvalLog(
            model, columns["sample"], truth[part], predictions[part], classes, columns
        )
    return logs


def _verdicts(values: Sequence[Any], scorer: str, where: str) -> list[str]:
    """The verdict of a scorer on each answer, in words."""
    found = [_WORDS.get(str(value).lower(), "") for value in values]
    if "" in found:
        value = values[found.index("")]
        msg = f"{where}: the scorer {scorer} gives {told(value)}, which is neither right nor wrong; ask another scorer"
        raise InputError(msg)
    return found


def _answers(
    classes: Labels, truth: list[str], verdicts: list[str], texts: Sequence[str]
) -> list[str]:
    """The label of each answer: a right one has that of its target, a wrong one another or "(invalid)"."""
    from confmat.answers import Answers

    different = list(dict.fromkeys(texts))
    read = dict(zip(different, Answers(classes).labels_of(different), strict=True))
    found = []
    for target, verdict, text in zip(truth, verdicts, texts, strict=True):
        label = read[text] if read[text] in classes and read[text] != target else "(invalid)"
        found.append(verdict if verdict in _OUTSIDE else target if verdict == "correct" else label)
    return found


def _columns(model: str, items: Sequence[Item], texts: Sequence[str]) -> dict[str, list[Any]]:
    """The facts of the answers of a model, by name."""
    columns: dict[str, list[Any]] = {
        "sample": [item.sample for item in items],
        "epoch": [item.epoch for item in items],
        "model": [model] * len(items),
        "target": [", ".join(item.targets) for item in items],
        "answer": [*texts],
        "input": [_plain(item.input) for item in items],
    }
    names = dict.fromkeys(name for item in items for name in item.facts)
    _add(columns, {name: [_plain(item.facts.get(name)) for item in items] for name in names})
    return columns


def _add(facts: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add facts; one whose name is taken is called metadata.model or the like."""
    for name, fact in more.items():
        while name in facts:
            name = f"metadata.{name}"  # noqa: PLW2901 - until it is free
        facts[name] = fact


def _plain(value: Any) -> Any:
    """A fact as one value: lists and objects are shown as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def logs_among(
    files: Sequence[Source], what: Any, labels: Iterable[Any] | None, **unfit: Any
) -> Logs:
    """Return the logs that files are, or none where these hold rows; options for rows alone are refused of logs."""
    kept = [file for file in files if file.format == "log"]
    if not kept:
        return Logs()
    if len(kept) < len(files):
        msg = f"{kept[0]} is a log of an evaluation, and other files hold rows; count them one after the other"
        raise InputError(msg)
    if given := [name for name, value in unfit.items() if value not in (None, ())]:
        msg = "{}: a log of an evaluation has no use for {}; {format:'jsonl'} reads one in lines as rows"
        raise InputError(Message(msg, kept[0], Argument(given[0])))
    return read_logs(kept, predicted=what or "answer", labels=labels)


def _asked(items: list[Item], predicted: str, where: str) -> tuple[str, str]:
    """Return the scorer that is asked, and whether for the "answer" or for the "verdict"."""
    names = list(dict.fromkeys(name for item in items for name in item.scores))
    scorer, _, what = predicted.rpartition(".")
    usual = names if len(names) == 1 else _USUAL
    found = next((name for name in ([scorer] if scorer else usual) if name in names), None)
    if what in {"answer", "verdict"} and found is not None:
        return found, what
    msg = Message("{}: no sample has a score; score the log first", where)
    if names:
        msg = Message(
            "{}: ask a scorer for its answer or its verdict, such as {}; there are {}",
            where,
            Argument("predicted", f"{names[0]}.verdict"),
            some(names),
        )
    raise InputError(msg)


def _classes(items: list[Item], labels: Iterable[Any] | None, where: str) -> Labels:
    """The classes of the targets, unless these are free texts."""
    targets = [target for item in items for target in item.targets]
    samples, texts = len({item.sample for item in items}), set(targets)
    if labels is None:
        labels = _offered(items, texts)
    if any(len(item.targets) != 1 for item in items):
        why = "some samples have several, or none that is certain"
    elif labels is not None:
        classes = Labels(labels)
        if texts <= {*classes}:
            return classes
        why = f"there are also {some(sorted(texts - {*classes}))}"
    elif len(texts) <= min(samples / 2, max(4, samples / 5)):
        return count(targets, targets).labels
    else:
        why = f"they are {len(texts):,} different texts in {samples:,} samples"
    msg = Message(
        "{}: the targets are no classes: {}; name the {labels}, or take the scorer's verdict: {}",
        where,
        why,
        Argument("predicted", "verdict"),
    )
    raise InputError(msg)


def _offered(items: list[Item], targets: set[str]) -> tuple[str, ...] | None:
    """The choices that all samples offered, or the first of them, if the targets are among these."""
    choices = max((item.choices for item in items), key=len)
    same = all(item.choices and item.choices == choices[: len(item.choices)] for item in items)
    return choices if same and targets <= {*choices} else None


def read_answers(
    files: Sequence[Source],
    sample: str,
    actual: str | None,
    predicted: str | None,
    by: str | None = None,
    delimiter: str | None = None,
) -> list[EvalLog]:
    """Read a file of rows for each model as a log of its answers, by the columns of samples and of both labels."""
    roads, found = Roads(files, delimiter, "1GB", None), []
    for file in files:
        names = roads.names(file)
        asked = find_columns(names, actual, predicted)
        wanted = [
            find_column(names, sample, "id"),
            *asked,
            *([] if by is None else [find_column(names, by, "by")]),
        ]
        rows = [row for part in roads.of(file).rows(file, wanted, differing=False) for row in part]
        rows.sort(key=lambda row: (len(str(row[0])), str(row[0])))
        ids, truth, answers, *groups = [[*column] for column in zip(*rows, strict=True)]
        facts = {"sample": ids, **({} if by is None else {by: groups[0]})}
        found.append(
            EvalLog(
                str(file), [*map(str, ids)], truth, answers, count(truth, answers).labels, facts
            )
        )
    return found


# ---- files ---------------------------------------------------------------------------------------


def _items(file: Source) -> dict[str, list[Item]]:
    """Return the answers of each model in a log."""
    path, kind, name = file.path, file.packing, str(file)
    try:
        if path.suffix.lower() == ".eval":
            models = _inspect(*_zipped(path, name), name)
        else:
            models = _READERS[kind](path, read_bytes(path, "a log"), name)
    except ConfmatError:
        raise
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        what = "lacks" if isinstance(error, KeyError) else "has a part of another form:"
        msg = f"{name}: this log of {kind} {what} {printable(str(error))}"
        raise InputError(msg) from None
    if not any(models.values()):
        msg = f"{name}: the log holds no samples; run the evaluation so that it logs them"
        raise InputError(msg)
    return models


def _json(data: bytes, where: str) -> Any:
    try:
        return json.loads(decoded(data))
    except (RecursionError, ValueError) as error:
        msg = Message("{}: this cannot be read as JSON: {}", where, error)
    raise InputError(msg)


def _zipped(path: Any, name: str) -> tuple[Any, Any]:
    """The header of an .eval file, and the summaries of its samples."""
    try:
        with (
            path_of(path).open("rb") as stream,
            unchanged({name: stream.fileno()}),
            zipfile.ZipFile(stream) as archive,
        ):
            header, samples = (
                _member(archive, stream, member, name)
                for member in ("header.json", "summaries.json")
            )
            return header, samples
    except ConfmatError:
        raise
    except KeyError as error:
        msg = f"{name}: {error.args[0]}, as in a run that did not end; `inspect log recover` makes it whole"
    except Exception as error:  # noqa: BLE001 - damaged archives raise errors of many kinds
        if isinstance(error, OSError) and error.errno is not None:
            raise refused(path, error, "a log") from None
        msg = f"{name}: this is no whole zip file, as .eval files are: {printable(str(error))}"
    raise InputError(msg)


def _member(archive: zipfile.ZipFile, stream: BinaryIO, member: str, name: str) -> Any:
    info, where = archive.getinfo(member), f"{name}, {member}"
    if max(info.file_size, info.compress_size) > MAX_MEMBER_BYTES:
        msg = f"{where}: {info.file_size:,} bytes unpacked are more than the {MAX_MEMBER_BYTES:,} that are read"
        raise BudgetError(msg)
    if info.compress_type != _ZSTD or hasattr(zipfile, "ZIP_ZSTANDARD"):
        return _json(archive.read(info), where)
    # Two lengths, then the name and the extra field, come before the data.
    stream.seek(info.header_offset + 26)
    stream.seek(sum(struct.unpack("<HH", stream.read(4))), io.SEEK_CUR)
    return _json(
        opened_zst(io.BytesIO(stream.read(info.compress_size)), where).read(info.file_size), where
    )


def _inspect(header: Any, samples: Any, where: str) -> dict[str, list[Item]]:
    if header["version"] != 2:
        raise InputError(_UNKNOWN.format(where, told(header["version"]), "Inspect", 2))
    if header["status"] != "success":
        warn(
            f"{where}: the run ended with the status {told(header['status'])}; samples may be missing"
        )
    return {str(header["eval"]["model"]): [*map(_inspected, samples or ())]}


def _inspected(sample: Any) -> Item:
    """The answer to one sample of Inspect."""
    targets = [sample["target"]] if isinstance(sample["target"], str) else sample["target"]
    scores = {}
    for scorer, score in _part(sample, "scores").items():
        answer = score.get("answer")
        scores[scorer] = "" if answer is None else str(answer), score["value"]
    return Item(
        str(sample["id"]),
        int(sample["epoch"]),
        tuple(filter(None, (str(target).strip() for target in targets))),
        scores,
        sample.get("input"),
        {**_part(sample, "metadata")},
        tuple(ascii_uppercase[: len(sample.get("choices") or ())]),
    )


def _harness(records: list[dict[str, Any]]) -> list[Item]:
    inputs = [[*record["arguments"].values()] for record in records]
    offered = [tuple(str(each.get("arg_1")).strip() for each in given) for given in inputs]
    # The same texts after each question are the classes; others go by their letters.
    alike = len({*offered}) == 1
    several = len({str(record["filter"]) for record in records}) > 1
    items: dict[tuple[str, int], Item] = {}
    times: Counter[tuple[str, str]] = Counter()
    for record, given, texts in zip(records, inputs, offered, strict=True):
        sample, kind = str(record["doc_id"]), str(record["filter"])
        times[sample, kind] += 1
        choices = texts if alike else tuple(ascii_uppercase[: len(texts)])
        targets, answer = _chosen(record, texts, choices)
        key, doc = (sample, times[sample, kind]), record.get("doc")
        question, facts = (
            given[0].get("arg_0") if given else None,
            doc if isinstance(doc, dict) else {},
        )
        item = Item(*key, targets, {}, question, facts, choices if len(choices) > 1 else ())
        scores = items.setdefault(key, item).scores
        for metric in record["metrics"]:
            # A scorer for each way in which answers were filtered.
            scores[f"{metric},{kind}" if several else str(metric)] = answer, record[metric]
    return [*items.values()]


def _chosen(
    record: dict[str, Any], texts: Sequence[str], choices: Sequence[str]
) -> tuple[tuple[str, ...], str]:
    """The target and the answer; of several texts the likeliest, if the accuracy confirms how both are meant."""
    target, answers = str(record["target"]).strip(), record["filtered_resps"]
    if len(texts) < 2:
        return (target,), str(answers[0])
    number = int(target) if target.isdecimal() else texts.index(target) if target in texts else -1
    likelihoods = [float(each[0]) for each in answers]
    likeliest = likelihoods.index(max(likelihoods))
    fits = -1 < number < len(choices) > likeliest
    if fits and (likeliest == number) == (record["acc"] == 1):
        return (choices[number],), choices[likeliest]
    return (), ""


def _harness_model(path: Path) -> str:
    """The model's name, as the file of totals has it; without one, that of the folder."""
    totals = path.with_name(f"results_{path.stem.rpartition('_')[2]}.json")
    with suppress(ConfmatError, KeyError, TypeError):
        return str(_json(read_bytes(totals, "totals"), "totals")["model_name"])
    return path.absolute().parent.name


def _promptfoo(log: Any, where: str) -> dict[str, list[Item]]:
    summary = log["results"] if "evalId" in log or "version" not in log else log
    if summary["version"] != 3:
        raise InputError(_UNKNOWN.format(where, told(summary["version"]), "promptfoo", 3))
    columns: dict[Any, str] = {}
    models: dict[str, list[Item]] = {}
    times: Counter[tuple[str, str]] = Counter()
    for result in summary["results"]:
        provider = str(result["provider"].get("label") or result["provider"]["id"])
        prompt = result["promptIdx"]
        # A provider has a column for each prompt.
        model = columns.setdefault(
            prompt, f"{provider}, prompt {prompt}" if provider in columns.values() else provider
        )
        # Repetitions have numbers of their own, but the same variables.
        facts = {name: fact for name, fact in result["vars"].items() if name != "_conversation"}
        times[key := (model, json.dumps(facts, sort_keys=True))] += 1
        item = _tested(result, key[1], times[key], facts)
        models.setdefault(model, []).append(item)
    return models


def _tested(result: Any, sample: str, epoch: int, facts: dict[str, Any]) -> Item:
    """The answer to one test of promptfoo."""
    test, output = result["testCase"], _part(result, "response").get("output")
    text = output if isinstance(output, str) else json.dumps(output)
    values = [str(each["value"]) for each in test.get("assert") or () if each["type"] in _LABELLING]
    # A value may name a variable.
    targets = [
        str(facts.get(value.strip("{} "), value) if value.startswith("{{") else value).strip()
        for value in values
    ]
    _add(facts, _part(test, "metadata"))
    scores = {scorer: (text, verdict) for scorer, verdict in _passed(result).items()}
    question = _part(result, "prompt").get("raw")
    return Item(sample, epoch, tuple(dict.fromkeys(targets)), scores, question, facts)


def _part(record: Any, name: str) -> Any:
    return record.get(name) or {}


def _passed(result: Any) -> dict[str, Any]:
    """Whether an answer passed all assertions, and those of each kind."""
    # The reason 2 is an error, not of the answer.
    verdicts = {"success": None if result["failureReason"] == 2 else result["success"]}
    for part in _part(result, "gradingResult").get("componentResults") or ():
        if assertion := part.get("assertion"):
            scorer = str(assertion.get("metric") or assertion["type"])
            verdicts[scorer] = verdicts.get(scorer, True) and part["pass"]
    return verdicts


# ---- readers by the tool -------------------------------------------------------------------------


def _inspect_json(_: Path, data: bytes, name: str) -> dict[str, list[Item]]:
    log = _json(data, name)
    return _inspect(log, log["samples"], name)


def _promptfoo_json(_: Path, data: bytes, name: str) -> dict[str, list[Item]]:
    return _promptfoo(_json(data, name), name)


def _harness_lines(path: Path, data: bytes, name: str) -> dict[str, list[Item]]:
    lines = enumerate(decoded(data).split("\n"), 1)
    records = [
        record_of(line, name, number, strict=False) for number, line in lines if line.strip()
    ]
    return {_harness_model(path): _harness(records)}


_READERS = {
    "Inspect": _inspect_json,
    "promptfoo": _promptfoo_json,
    "lm-evaluation-harness": _harness_lines,
}
