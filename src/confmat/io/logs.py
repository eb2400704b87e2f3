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
            One of the columns, each of whose values has a matrix then; they stand in the order of
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
            columns={name: [*compress(one, kept)] for name, one in self.columns.items()},
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
            key: self.only([one == key for one in values])
            for key in in_order([*dict.fromkeys(values)], appearance=True)
        }

    def rows(self, columns: Iterable[str]) -> list[tuple[Any, ...]]:
        """Return both labels of each answer, and columns."""
        found = (self.columns[find_column([*self.columns], one, "examples")] for one in columns)
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
        counted: dict[Any, Any] = {name: one.matrix(**options) for name, one in self.items()}
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


def read_logs(
    files: Sequence[Source], *, predicted: str = "answer", labels: Iterable[Any] | None = None
) -> Logs:
    """Return the answers of each model in some logs; the options are those of `read_log`."""
    models: dict[str, list[Item]] = {}
    for file in files:
        for model, each in _items(file).items():
            models.setdefault(model, []).extend(each)
    for each in models.values():
        each.sort(key=lambda item: (len(item.sample), item.sample, item.epoch))
    name = fit(", ".join(map(str, files)), 200)
    items = [item for each in models.values() for item in each]
    scorer, what = _asked(items, predicted, name)
    scores = [item.scores.get(scorer, ("", None)) for item in items]
    verdicts = [_WORDS.get(str(value).lower(), "") for _, value in scores]
    if "" in verdicts:
        value = scores[verdicts.index("")][1]
        msg = f"{name}: the scorer {scorer} gives {told(value)}, which is neither right nor wrong; ask another scorer"
        raise InputError(msg)
    classes = Labels(["incorrect", *["partial"] * ("partial" in verdicts), "correct"])
    truth, predictions = ["correct"] * len(items), verdicts
    if what == "answer":
        from confmat.answers import Answers

        classes, truth = _classes(items, labels, name), [item.targets[0] for item in items]
        texts = list(dict.fromkeys(text for text, _ in scores))
        read = dict(zip(texts, Answers(classes).labels_of(texts), strict=True))
        for place, (target, verdict, (text, _)) in enumerate(
            zip(truth, verdicts, scores, strict=True)
        ):
            wrong = read[text] if read[text] in classes and read[text] != target else "(invalid)"
            predictions[place] = (
                verdict if verdict in _OUTSIDE else target if verdict == "correct" else wrong
            )
    classes = classes.replace(outside=[one for one in _OUTSIDE if one in predictions])
    logs, start = Logs(), 0
    for model, each in models.items():
        part = slice(start, start := start + len(each))
        columns: dict[str, Any] = {
            "sample": [item.sample for item in each],
            "epoch": [item.epoch for item in each],
            "model": [model] * len(each),
            "target": [", ".join(item.targets) for item in each],
            "answer": [text for text, _ in scores[part]],
            "input": [_plain(item.input) for item in each],
        }
        names = dict.fromkeys(name for item in each for name in item.facts)
        _add(columns, {name: [_plain(item.facts.get(name)) for item in each] for name in names})
        logs[model] = EvalLog(
            model, columns["sample"], truth[part], predictions[part], classes, columns
        )
    return logs


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
    usual = (
        [scorer]
        if scorer
        else names
        if len(names) == 1
        else [name for name in _USUAL if name in names]
    )
    if what in {"answer", "verdict"} and usual and usual[0] in names:
        return usual[0], what
    msg = Message("{}: no sample has a score; score the log first", where)
    if names:
        way = Argument("predicted", f"{names[0]}.verdict")
        msg = Message(
            "{}: ask a scorer for its answer or its verdict, such as {}; there are {}",
            where,
            way,
            some(names),
        )
    raise InputError(msg)


def _classes(items: list[Item], labels: Iterable[Any] | None, where: str) -> Labels:
    """The classes of the targets, unless these are free texts."""
    targets, samples = (
        [one for item in items for one in item.targets],
        len({item.sample for item in items}),
    )
    offered, texts = max((item.choices for item in items), key=len), set(targets)
    chose = all(item.choices and item.choices == offered[: len(item.choices)] for item in items)
    if labels is None and chose and texts <= {*offered}:
        labels = offered
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
    way = Argument("predicted", "verdict")
    msg = Message(
        "{}: the targets are no classes: {}; name the {labels}, or take the scorer's verdict: {}",
        where,
        why,
        way,
    )
    raise InputError(msg)


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
    data = b"" if path.suffix.lower() == ".eval" else read_bytes(path, "a log")
    try:
        if kind == "Inspect":
            models = (
                _inspect(*_zipped(path, name), name)
                if not data
                else _inspect(log := _json(data, name), log["samples"], name)
            )
        elif kind == "promptfoo":
            models = _promptfoo(_json(data, name), name)
        else:
            lines = enumerate(decoded(data).split("\n"), 1)
            records = [
                record_of(line, name, number, strict=False)
                for number, line in lines
                if line.strip()
            ]
            models = {_harness_model(path): _harness(records)}
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
                _member(archive, stream, one, name) for one in ("header.json", "summaries.json")
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
    # Two lengths, then the name and the extra field, stand before the data.
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
            f"{where}: the run ended with the status {told(header['status'])}; samples may be "
            "missing"
        )
    items = []
    for sample in samples or ():
        targets = [sample["target"]] if isinstance(sample["target"], str) else sample["target"]
        scores = sample.get("scores") or {}
        items.append(
            Item(
                str(sample["id"]),
                int(sample["epoch"]),
                tuple(str(target).strip() for target in targets if str(target).strip()),
                {
                    scorer: (
                        "" if (said := score.get("answer")) is None else str(said),
                        score["value"],
                    )
                    for scorer, score in scores.items()
                },
                sample.get("input"),
                {**(sample.get("metadata") or {})},
                tuple(ascii_uppercase[: len(sample.get("choices") or ())]),
            )
        )
    return {str(header["eval"]["model"]): items}


def _harness(records: list[dict[str, Any]]) -> list[Item]:
    offered = [
        tuple(str(one.get("arg_1")).strip() for one in record["arguments"].values())
        for record in records
    ]
    # The same texts after each question are the classes; others go by their letters.
    alike = len({*offered}) == 1
    several = len({str(record["filter"]) for record in records}) > 1
    items: dict[tuple[str, int], Item] = {}
    times: Counter[tuple[str, str]] = Counter()
    for record, texts in zip(records, offered, strict=True):
        sample, kind = str(record["doc_id"]), str(record["filter"])
        times[sample, kind] += 1
        choices = texts if alike else tuple(ascii_uppercase[: len(texts)])
        targets: tuple[str, ...] = (str(record["target"]).strip(),)
        answer = str(record["filtered_resps"][0])
        if len(texts) > 1:
            (target,) = targets
            right = (
                int(target)
                if target.isdecimal()
                else texts.index(target)
                if target in texts
                else -1
            )
            logs = [float(one[0]) for one in record["filtered_resps"]]
            said = logs.index(max(logs))
            # The accuracy confirms how target and likelihoods are meant.
            fits = -1 < right < len(choices) > said and (said == right) == (record["acc"] == 1)
            targets, answer = ((choices[right],), choices[said]) if fits else ((), "")
        key = sample, times[sample, kind]
        inputs, doc = [one.get("arg_0") for one in record["arguments"].values()], record.get("doc")
        about = inputs[0] if inputs else None, doc if isinstance(doc, dict) else {}
        item = items.setdefault(
            key, Item(*key, targets, {}, *about, choices if len(choices) > 1 else ())
        )
        for metric in record["metrics"]:
            # A scorer for each way in which answers were filtered.
            scorer = f"{metric},{kind}" if several else str(metric)
            item.scores[scorer] = answer, record[metric]
    return [*items.values()]


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
        provider, prompt = (
            str(result["provider"].get("label") or result["provider"]["id"]),
            result["promptIdx"],
        )
        # A provider has a column for each prompt.
        model = columns.setdefault(
            prompt, f"{provider}, prompt {prompt}" if provider in columns.values() else provider
        )
        # Repetitions have numbers of their own, but the same variables.
        facts = {name: one for name, one in result["vars"].items() if name != "_conversation"}
        times[key := (model, json.dumps(facts, sort_keys=True))] += 1
        # The reason 2 is an error, not of the answer.
        verdicts = {"success": None if result["failureReason"] == 2 else result["success"]}
        for part in (result.get("gradingResult") or {}).get("componentResults") or ():
            if assertion := part.get("assertion"):
                scorer = str(assertion.get("metric") or assertion["type"])
                verdicts[scorer] = verdicts.get(scorer, True) and part["pass"]
        wanted = [
            str(one["value"])
            for one in result["testCase"].get("assert") or ()
            if one["type"] in _LABELLING
        ]
        targets = [
            str(facts.get(one.strip("{} "), one) if one.startswith("{{") else one).strip()
            for one in wanted
        ]
        output = (result.get("response") or {}).get("output")
        text = output if isinstance(output, str) else json.dumps(output)
        scores = {scorer: (text, verdict) for scorer, verdict in verdicts.items()}
        _add(facts, result["testCase"].get("metadata") or {})
        asked = (result.get("prompt") or {}).get("raw")
        item = Item(key[1], times[key], tuple(dict.fromkeys(targets)), scores, asked, facts)
        models.setdefault(model, []).append(item)
    return models
