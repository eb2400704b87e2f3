"""The metrics for torchmetrics: the same table as count() and as torchmetrics, and no label in a wrong cell."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm

try:
    import torch
    from torchmetrics import MetricCollection
    from torchmetrics.classification import (
        BinaryConfusionMatrix,
        MulticlassConfusionMatrix,
        MulticlassMatthewsCorrCoef,
    )
    from torchmetrics.wrappers import MetricTracker

    from confmat.torch import ConfusionMatrix, Score, _count_tensors, _on_cpu, _on_device, _Rule
except ModuleNotFoundError as error:
    if error.name not in {"torch", "torchmetrics"}:
        raise

pytestmark = pytest.mark.peers
# torchmetrics warns of a state that was loaded or reset, and not updated.
unchecked = pytest.mark.filterwarnings("ignore:The ``compute`` method of metric")

NAMES = ["uint8", "int8", "int16", "int32", "int64"]


def matrix_of(*batches: tuple[Any, Any], **options: Any) -> cm.ConfusionMatrix:
    metric = ConfusionMatrix(**options)
    for preds, target in batches:
        metric.update(preds, target)
    found = metric.compute()
    assert isinstance(found, cm.ConfusionMatrix)
    return found


def theirs(preds: Any, target: Any, size: int, **options: Any) -> Any:
    metric = MulticlassConfusionMatrix(size, **options)
    metric.update(preds, target)
    return metric.compute().numpy()


# ---- the same table ------------------------------------------------------------------------------


@given(st.data(), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 9))
def test_labels_of_any_integers_give_what_count_gives(
    data: Any, one: str, other: str, size: int
) -> None:
    pairs = data.draw(
        st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), min_size=1)
    )
    actual, predicted = map(list, zip(*pairs, strict=True))
    half = len(pairs) // 2
    target, preds = (
        torch.tensor(actual, dtype=getattr(torch, one)),
        torch.tensor(predicted, dtype=getattr(torch, other)),
    )
    found = matrix_of(
        (preds[:half], target[:half]), (preds[half:], target[half:]), num_classes=size
    )
    assert found == cm.count(actual, predicted, labels=range(size))
    assert found.counts.dtype == np.int64


@given(st.data(), st.integers(2, 5), st.sampled_from([(7,), (3, 4), (2, 3, 2)]))
def test_scores_in_the_second_dimension(data: Any, size: int, shape: tuple[int, ...]) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = torch.Generator().manual_seed(seed)
    target = torch.randint(0, size, shape, generator=rng)
    scores = torch.randn((shape[0], size, *shape[1:]), generator=rng)
    # With ties: the first of the highest wins, as torch.argmax has it.
    scores = torch.where(scores > 0.5, 0.5, scores)
    found = matrix_of((scores, target), num_classes=size)
    np.testing.assert_array_equal(found.counts, theirs(scores, target, size))
    assert found.total == target.numel()


def test_a_threshold_for_two_classes_is_given_and_never_guessed() -> None:
    target = torch.tensor([1, 1, 0, 0])
    probabilities = torch.tensor([0.35, 0.85, 0.5, 0.01])
    found = matrix_of((probabilities, target), num_classes=2, threshold=0.5)
    metric = BinaryConfusionMatrix(threshold=0.5)
    metric.update(probabilities, target)
    np.testing.assert_array_equal(found.counts, metric.compute().numpy())
    # torchmetrics takes scores for probabilities as long as a batch stays within 0 and 1, and for
    # logits in the next.
    logits = torch.tensor([0.4, 0.3, -2.0, -3.0])
    split = [(logits[i : i + 2], target[i : i + 2]) for i in (0, 2)]
    whole = matrix_of((logits, target), num_classes=2, threshold=0.0)
    assert matrix_of(*split, num_classes=2, threshold=0.0) == whole


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_scores_of_any_float(dtype: str) -> None:
    scores = torch.tensor([[0.2, 0.8], [0.9, 0.1]], dtype=getattr(torch, dtype), requires_grad=True)
    found = matrix_of((scores, torch.tensor([1, 1])), num_classes=2)
    assert found.counts.tolist() == [[0, 0], [1, 1]]


def test_views_are_counted_as_what_they_show() -> None:
    base = torch.arange(24).reshape(4, 6) % 3
    for side in (base.T, base[:, ::2], base[1:, 1], torch.tensor([[1]]).expand(4, 5)):
        other = side.flip(0)
        assert matrix_of((other, side), num_classes=3) == cm.count(
            side.reshape(-1).tolist(), other.reshape(-1).tolist(), labels=range(3)
        )


def test_true_and_false_are_labels() -> None:
    target, preds = torch.tensor([True, False, True]), torch.tensor([True, True, False])
    assert matrix_of((preds, target), num_classes=2).counts.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_targets_that_a_binary_loss_takes_are_labels(dtype: str) -> None:
    """BCEWithLogitsLoss wants them as floats, and torchmetrics takes them so."""
    logits, target = (
        torch.tensor([1.5, -0.5, 2.0, 0.0]),
        torch.tensor([1, 0, 0, 1], dtype=getattr(torch, dtype)),
    )
    found = matrix_of((logits, target), num_classes=2, threshold=0.0)
    assert found.counts.tolist() == [[1, 1], [1, 1]]
    assert found == matrix_of((logits, target.long()), num_classes=2, threshold=0.0)
    ignoring = matrix_of(
        (logits, torch.where(target > 0, target, -100)),
        num_classes=2,
        threshold=0,
        ignore_index=-100,
    )
    assert (ignoring.counts.tolist(), ignoring.dropped) == ([[0, 0], [1, 1]], 2)


@pytest.mark.parametrize(
    "wrong",
    [
        0.5,
        float("nan"),
    ],
)
def test_soft_targets_are_refused(wrong: float) -> None:
    with pytest.raises(cm.InputError, match=r"`target` .* item 1"):
        matrix_of(
            (torch.tensor([0.2, 0.8]), torch.tensor([1.0, wrong])), num_classes=2, threshold=0.5
        )


def test_nothing_is_counted_as_nothing() -> None:
    empty = torch.zeros(0, dtype=torch.long)
    assert matrix_of((empty, empty), num_classes=2).total == 0
    assert matrix_of((torch.zeros((0, 3)), empty), num_classes=3).total == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from(NAMES))
def test_off_the_cpu_counting_gives_the_same(seed: int, size: int, dtype: str) -> None:
    """The road of other devices, run here; there invalid labels are one number."""
    rng = np.random.default_rng(seed)
    low = 0 if dtype == "uint8" else -2
    codes, target = (
        torch.from_numpy(rng.integers(low, size + 2, 50).astype(dtype)) for _ in range(2)
    )
    table, outside = _on_cpu(codes, target, size)
    other, beyond = _on_device(codes, target, size)
    assert torch.equal(table, other)
    assert outside == beyond


# ---- labels outside ------------------------------------------------------------------------------


def test_a_label_outside_is_an_error_where_torchmetrics_takes_it_for_another() -> None:
    preds, target = torch.tensor([0, 5, 1]), torch.tensor([0, 1, 1])
    # Class 5 of 3, where 1 is true, becomes a correct answer of class 2.
    assert theirs(preds, target, 3).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    metric = ConfusionMatrix(3)
    with pytest.raises(
        cm.LabelError, match=r"`preds` has 1 of 3 labels outside 0 to 2, the first is 5, item 1"
    ):
        metric.update(preds, target)
    assert metric.compute().total == 0


@pytest.mark.parametrize(
    ("preds", "target", "ignore"),
    [
        ([0, -1], [0, 1], None),
        ([0, 3], [0, 1], -100),
        ([0, 0, 9], [0, 5, 1], 5),
    ],
)
def test_no_label_outside_passes(preds: list[int], target: list[int], ignore: int | None) -> None:
    with pytest.raises(cm.LabelError, match="outside 0 to 2"):
        matrix_of((torch.tensor(preds), torch.tensor(target)), num_classes=3, ignore_index=ignore)


@given(st.data(), st.sets(st.integers(-3, 6), max_size=4))
def test_ignored_targets_are_left_out_and_counted(data: Any, ignored: set[int]) -> None:
    """Also with a prediction that is no label, since nobody looks at it."""
    size = 4
    targets = data.draw(st.lists(st.sampled_from(sorted(ignored | set(range(size)))), min_size=1))
    preds = [
        data.draw(st.integers(-2, 6) if t in ignored else st.integers(0, size - 1)) for t in targets
    ]
    found = matrix_of(
        (torch.tensor(preds), torch.tensor(targets)), num_classes=size, ignore_index=ignored
    )
    kept = [(t, p) for t, p in zip(targets, preds, strict=True) if t not in ignored]
    assert found == cm.count([t for t, _ in kept], [p for _, p in kept], labels=range(size))
    assert found.dropped == len(targets) - len(kept)


def test_what_bytes_cannot_hold_is_not_ignored_among_them() -> None:
    target = torch.tensor([156 - 100, 1], dtype=torch.uint8)
    found = matrix_of((target, target), num_classes=60, ignore_index=56 - 256)
    assert (found.total, found.dropped) == (2, 0)


@given(st.data())
def test_ignoring_is_the_same_off_the_cpu(data: Any) -> None:
    target = torch.tensor(data.draw(st.lists(st.integers(-1, 3), min_size=1)))
    preds = torch.tensor(
        data.draw(st.lists(st.integers(0, 3), min_size=len(target), max_size=len(target)))
    )
    rule = _Rule(4, None, (-1, 2))
    table, left_out = _count_tensors(preds, target, rule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("confmat.torch._on_cpu", _on_device)
        other, also = _count_tensors(preds, target, rule)
    assert torch.equal(table, other)
    assert left_out == also


# ---- refusals ------------------------------------------------------------------------------------

WRONG = [
    ("of the shape of `target`", {}, [0.1, 0.9, 0.3], [0, 1, 2]),
    ("threshold=0.5 for probabilities", {"num_classes": 2}, [0.1, 0.9], [0, 1]),
    ("have the shape", {}, [[0.1, 0.9], [0.2, 0.8]], [0, 1]),
    ("do not go with", {}, [[0, 1, 2]], [0]),
    ("predictions first", {}, [0, 1], [0.2, 0.8]),
    ("item 1 of `preds` are NaN", {}, [[0.1, 0.9, 0], [0.1, 0.2, float("nan")]], [0, 1]),
    ("not torch.complex64", {}, [1j], [0]),
]


@pytest.mark.parametrize(("says", "options", "preds", "target"), WRONG)
def test_what_is_unclear_is_refused(
    says: str, options: dict[str, Any], preds: Any, target: Any
) -> None:
    with pytest.raises(cm.InputError, match=says):
        matrix_of((torch.tensor(preds), torch.tensor(target)), **{"num_classes": 3, **options})


def test_other_containers_are_refused() -> None:
    with pytest.raises(cm.InputError, match="must be a tensor, not ndarray"):
        matrix_of((np.array([0]), torch.tensor([0])), num_classes=2)


@pytest.mark.parametrize(
    ("says", "options"),
    [
        ("give `num_classes=`", {}),
        ("`labels` names 1 classes", {"num_classes": 3, "labels": ["a"]}),
        ("would be mistaken", {"labels": [1, 2]}),
        ("stand outside", {"labels": cm.Labels(["a", "b"], outside=["(other)"])}),
        ("divides two classes", {"num_classes": 3, "threshold": 0.5}),
        ("finite number", {"num_classes": 2, "threshold": float("nan")}),
        ("would take 8,000.0 GB in every process", {"num_classes": 10**6}),
        (
            "Unexpected keyword.*normalize.'actual'. gives shares",
            {"num_classes": 2, "normalize": "true"},
        ),
        ("`task`; .* num_classes= or labels= say", {"task": "multiclass", "num_classes": 3}),
    ],
)
def test_options_that_cannot_be(says: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=says):
        ConfusionMatrix(**options)


@pytest.mark.parametrize(
    ("score", "error"),
    [("f1", cm.MetricError), ("f1[9]", cm.LabelError), ("f7.macro.x", cm.MetricError)],
)
def test_what_is_no_one_number_is_told_at_once(score: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        Score(score, num_classes=3)


# ---- a metric among metrics ----------------------------------------------------------------------

PREDS, TARGET = ([0, 1, 2, 1], [0, 2, 2, 1])


def batch() -> tuple[Any, Any]:
    return torch.tensor(PREDS), torch.tensor(TARGET)


def test_names_of_any_kind_follow_into_the_matrix() -> None:
    hostile = ["<script>", "a\x1b[2J\u202eb", "x" * 500]
    found = matrix_of(batch(), labels=hostile)
    assert list(found.labels) == hostile
    assert "\x1b" not in str(found)
    assert (
        matrix_of(
            (torch.tensor([0, 1]), torch.tensor([0, 1])), labels=["ham", "spam"], positive="spam"
        ).tp
        == 1
    )


@unchecked
def test_a_batch_gives_its_own_matrix_and_adds_to_all() -> None:
    metric = ConfusionMatrix(3)
    metric.update(torch.tensor([0]), torch.tensor([0]))
    assert metric(*batch()) == cm.count(TARGET, PREDS, labels=range(3))
    assert metric.compute() == cm.count([0, *TARGET], [0, *PREDS], labels=range(3))
    metric.reset()
    assert metric.compute().total == 0


@unchecked
def test_copies_are_whole() -> None:
    metric = Score("mcc", labels=["a", "b", "c"], ignore_index=-1)
    metric.update(*batch())
    metric.persistent(True)
    again = Score("mcc", labels=["a", "b", "c"], ignore_index=-1)
    again.load_state_dict(metric.state_dict())
    for copy in (again, metric.clone(), pickle.loads(pickle.dumps(metric))):
        assert copy.compute() == metric.compute()
    merged = Score("mcc", labels=["a", "b", "c"], ignore_index=-1)
    merged.update(torch.tensor([0]), torch.tensor([-1]))
    merged.merge_state(metric)
    assert (int(merged.counts.sum()), int(merged.ignored)) == (4, 1)


def test_counts_without_their_settings_are_refused() -> None:
    source, metric = ConfusionMatrix(labels=["a", "b"]), ConfusionMatrix(labels=["b", "a"])
    source.persistent(True)
    metric.persistent(True)
    state = source.state_dict()
    del state["settings"]
    with pytest.raises(cm.InputError, match="counted by a metric of other classes"):
        metric.load_state_dict(state, strict=False)
    fresh = ConfusionMatrix(labels=["b", "a"])
    fresh.load_state_dict({}, strict=False)
    assert torch.equal(fresh.settings, ConfusionMatrix(labels=["b", "a"]).settings)


class Bird:
    """A label without a text of its own."""


BIRDS = [Bird(), Bird(), Bird()]
TWO = {"num_classes": 2}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"num_classes": 3}, {"num_classes": 3, "ignore_index": 0}),
        ({**TWO, "threshold": 0.0}, {**TWO, "threshold": 0.5}),
        ({"labels": ["a", "b", "c"]}, {"labels": ["c", "b", "a"]}),
        ({"labels": ["0", "1", "2"]}, {"num_classes": 3}),
    ],
)
def test_the_state_of_another_rule_or_of_other_labels_is_refused(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    metric, source = ConfusionMatrix(**one), ConfusionMatrix(**other)
    source.persistent(True)
    for door in (
        lambda: metric.merge_state(source),
        lambda: metric.merge_state(source.metric_state),
        lambda: metric.load_state_dict(source.state_dict()),
        # A model that holds it, and has other parameters too.
        lambda: torch.nn.ModuleList([metric]).load_state_dict(
            {"0." + k: v for k, v in source.state_dict().items()}
        ),
    ):
        with pytest.raises(
            cm.InputError, match=r"of other classes \(or of the same in another order\)"
        ):
            door()


def test_objects_are_known_by_what_they_say_and_not_by_where_they_are() -> None:
    one, other = ConfusionMatrix(labels=BIRDS), ConfusionMatrix(labels=[Bird(), Bird(), Bird()])
    assert torch.equal(one.settings, other.settings)
    assert not torch.equal(one.settings, ConfusionMatrix(labels=[(1,), (2,), (3,)]).settings)


def test_a_model_that_holds_a_metric_becomes_torchscript() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc] # PyTorch is not followed
        def __init__(self) -> None:
            super().__init__()
            self.matrix, self.f1 = (
                ConfusionMatrix(labels=["a", "b"], threshold=0.0),
                Score("f1.macro", num_classes=2),
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        scripted = torch.jit.script(Model())
        torch.jit.script(ConfusionMatrix(3))
    assert scripted(torch.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_a_threshold_within_0_and_1_refuses_logits(dtype: str) -> None:
    """As from_scores does; torchmetrics takes a sigmoid of such a batch, and of the next one none."""
    target = torch.tensor([[1, 0], [1, 0]])
    logits = torch.tensor([[0.3, 0.0], [2.5, 1.0]], dtype=getattr(torch, dtype))
    metric = ConfusionMatrix(2, threshold=0.5)
    said = r"threshold=0\.5 is for: 2\.5, item 2, .* say threshold=0\.0"
    with pytest.raises(cm.InputError, match=said) as caught:
        metric.update(logits, target)
    assert caught.value.argument == "preds"
    with pytest.raises(cm.InputError, match=r"-0\.\d+, item 1"):
        metric.update(torch.tensor([0.5, -1e-3]), torch.tensor([0, 1]))
    assert metric.counts.sum() == 0
    metric.update(logits.sigmoid(), target)
    assert metric.counts.tolist() == [[1, 1], [0, 2]]
    for threshold in (0.0, 2):
        assert matrix_of((logits, target), num_classes=2, threshold=threshold).total == 4


def test_counts_stay_whole_numbers_in_a_model_of_half_precision() -> None:
    model = torch.nn.Module()
    model.metric = ConfusionMatrix(3)
    model.half().to(torch.bfloat16)
    model.metric.set_dtype(torch.float16)
    model.metric.update(*batch())
    assert model.metric.counts.dtype == torch.int64


def test_scores_of_a_collection_are_computed_from_one_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("accuracy", "f1.macro", "recall[2]", "mcc")
    metrics = {name.replace(".", "_"): Score(name, num_classes=3) for name in names}
    collection = MetricCollection(
        {**metrics, "matrix": ConfusionMatrix(3), "but": Score("accuracy", 3, ignore_index=2)}
    )
    # No item of class 2 in the first batch: the tables are equal, the rules are not.
    collection.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    assert sorted(map(len, collection.compute_groups.values())) == [1, 5]
    calls = []

    def watched(*of: Any) -> Any:
        calls.append(of)
        return _count_tensors(*of)

    monkeypatch.setattr("confmat.torch._count_tensors", watched)
    collection.update(*batch())
    assert len(calls) == 2
    found = collection.compute()
    expected = cm.count([0, 1, *TARGET], [0, 1, *PREDS], labels=range(3))
    assert found["matrix"] == expected
    for name in names:
        assert float(found[name.replace(".", "_")]) == pytest.approx(
            cm.score(expected, name), abs=1e-7
        )
    assert float(found["but"]) == 1.0


def test_a_score_is_a_number_of_no_dimension() -> None:
    score = Score("f1.macro", num_classes=3)
    score.update(*batch())
    value = score.compute()
    assert (value.shape, value.dtype) == ((), torch.get_default_dtype())
    assert torch.isnan(Score("accuracy", num_classes=3)(*(side[:0] for side in batch())))
    assert score.higher_is_better is True
    assert Score("error_rate", 3).higher_is_better is False
    assert Score("prevalence[0]", 3).higher_is_better is None
    assert "f1.macro" in repr(score)


def test_torchmetrics_wrappers_take_a_score() -> None:
    tracker = MetricTracker(
        MetricCollection({"errors": Score("error_rate", 3), "f1": Score("f1.macro", 3)})
    )
    assert tracker.maximize == [False, True]
    for preds in ([0, 1, 2, 2], TARGET, PREDS):
        tracker.increment()
        tracker.update(torch.tensor(preds), torch.tensor(TARGET))
    assert tracker.best_metric(return_step=True)[1] == {"f1": 1, "errors": 1}


def test_counting_goes_on_in_and_after_inference_mode() -> None:
    metric = ConfusionMatrix(3)
    with torch.inference_mode():
        metric.update(*batch())
        metric.reset()
        metric.update(*batch())
    metric.update(*batch())
    assert metric.compute().total == 2 * len(TARGET)


@unchecked
def test_a_score_of_large_counts_keeps_its_digits() -> None:
    """MCC of a rare class: (10^10 * 7 - 3 * 5) / sqrt(...) = 0.639, for which torchmetrics finds 0."""
    table = torch.tensor([[10**10, 3], [5, 7]])
    score, theirs = Score("mcc", num_classes=2), MulticlassMatthewsCorrCoef(2)
    score.counts, theirs.confmat = table, table
    assert float(score.compute()) == pytest.approx(7 / (10 * 12) ** 0.5, rel=1e-6)
    assert float(theirs.compute()) == 0


def test_both_draw_themselves() -> None:
    from matplotlib import pyplot as plt

    metric, score = ConfusionMatrix(3), Score("accuracy", 3)
    metric.update(*batch())
    score.update(*batch())
    figure, axes = metric.plot(normalize="actual")
    assert axes.figure is figure
    assert score.plot()[0] is not None
    plt.close("all")


WORKER = """
import sys, torch, torch.distributed as dist
import confmat as cm
from confmat.torch import ConfusionMatrix, Score
rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
rng = torch.Generator().manual_seed(1)
preds, target = (torch.randint(0, 5, (1001,), generator=rng) for _ in range(2))
target[::9] = -100
whole = cm.count(target[target >= 0].tolist(), preds[target >= 0].tolist(), labels=range(5))
names = list("abcde")
apart = ConfusionMatrix(labels=names if rank else names[::-1])
apart.update(preds, target.clamp(min=0))
try:
    apart.compute()
except cm.InputError as error:
    assert "in every process" in str(error), error
else:
    raise AssertionError("ranks of other labels were added up")
matrix, score = ConfusionMatrix(labels=names, ignore_index=-100), Score("f1.macro", 5, ignore_index=-100)
# Unequal parts, and at first one that has nothing.
for start, stop in [(0, 300 * rank), (300, 600 + 100 * rank) if rank == 0 else (600, 1001)]:
    for metric in (matrix, score):
        metric.update(preds[start:stop], target[start:stop])
found = matrix.compute()
assert found == whole.relabel(names), (found, whole)
assert found.dropped == 112, found.dropped
assert abs(float(score.compute()) - cm.score(whole, "f1.macro")) < 1e-6
assert int(matrix.counts.sum()) < whole.total
dist.destroy_process_group()
print("same")
"""


def test_without_its_companions_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['torchmetrics'] = None; import confmat.torch"
    result = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert "pip install torchmetrics" in result.stderr
    assert "torchmetrics is not installed" in result.stderr


def test_two_processes_give_the_matrix_of_all_items(tmp_path: Any) -> None:
    run = [sys.executable, "-W", "ignore", "-c", WORKER]
    both = [
        subprocess.Popen(
            [*run, str(rank), str(tmp_path / "store")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert out.strip() == "same", err
