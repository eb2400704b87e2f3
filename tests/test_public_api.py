"""The public face: every `__all__` is right, and importing the package costs next to nothing."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import confmat

# Packages that a user may have, and must not pay for at import.
HEAVY = {
    "duckdb",
    "matplotlib",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "scipy",
    "sklearn",
    "torch",
}


# Each face with the library that it extends; collecting the examples of its docstrings may leave
# half a module.
FACES = {"keras": "keras", "sklearn": "sklearn", "torch": "torchmetrics"}


def modules() -> Iterator[ModuleType]:
    """Every module of the package whose companions are installed."""
    yield confmat
    absent = {face for face, library in FACES.items() if find_spec(library) is None}
    for module in pkgutil.walk_packages(confmat.__path__, "confmat."):
        # The compiled twin declares nothing itself; kernels speaks for it.
        if module.name.endswith("._compiled") or module.name.split(".")[1] in absent:
            continue
        try:
            yield importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "confmat").startswith("confmat"):
                raise


def test_all_tells_the_truth() -> None:
    offenders = {}
    for module in modules():
        declared = getattr(module, "__all__", None)
        if (
            declared is None
        ):  # a private module: a name with an underscore is its own, any other is for the rooms
            continue
        missing = {name for name in declared if not hasattr(module, name)}
        hidden = set(defined_here(module)) - set(declared)
        if (
            module.__name__.startswith("confmat.metrics.")
            and module.__name__ != "confmat.metrics.coefficients"
        ):
            # A family lists its metrics; other functions are for the rooms, as those of private
            # modules are.
            hidden = {
                name for name, value in vars(module).items() if made_here(value, module)
            } - set(declared)
        if missing or hidden or len(set(declared)) < len(declared):
            offenders[module.__name__] = {
                "declared": declared,
                "missing": missing,
                "hidden": hidden,
            }
    assert offenders == {}


def defined_here(module: ModuleType) -> Iterator[str]:
    """Functions and classes whose home is this module and whose name has no underscore in front."""
    for name, value in vars(module).items():
        if (
            not name.startswith("_")
            and getattr(value, "__module__", None) == module.__name__
            and callable(value)
        ):
            yield name


def made_here(value: Any, module: ModuleType) -> bool:
    """Whether this is a metric that the module declares."""
    return isinstance(value, confmat.Metric) and value.formula.__module__ == module.__name__


def test_every_module_says_which_room_it_is() -> None:
    first_lines = {
        module.__name__: (module.__doc__ or "").partition("\n")[0] for module in modules()
    }
    assert {
        name: line for name, line in first_lines.items() if not line.endswith((".", ":", "!", "?"))
    } == {}


def test_import_is_light() -> None:
    program = "import json, sys, confmat; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    output = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert HEAVY.intersection(json.loads(output)) == set()


OPENED_LATE = """
import sys, confmat
opened = lambda: any(name.startswith(("confmat.metrics", "confmat.reporting")) for name in sys.modules)
confmat.count([1, 2], [1, 1])
print(opened(), hasattr(confmat, "_nothing"), opened(), confmat.f1.name, opened())
"""


def test_metrics_come_when_they_are_asked_for() -> None:
    output = subprocess.run(
        [sys.executable, "-c", OPENED_LATE], check=True, capture_output=True, text=True
    ).stdout
    assert output.split() == ["False", "False", "False", "f1", "True"]


TRAVELS = """
import pickle, confmat
for metric in (confmat.metrics.coefficients.dennis, confmat.metrics.cost([[0, 1], [2, 0]]), confmat.f1):
    assert pickle.loads(pickle.dumps(metric)).name == metric.name
"""


def test_metrics_travel_before_anybody_asked_for_the_catalog() -> None:
    subprocess.run([sys.executable, "-c", TRAVELS], check=True)


@pytest.mark.parametrize("first", ["__all__", "f1", "count_files"])
def test_nobody_can_tell_what_came_late(first: str) -> None:
    program = f"import confmat; confmat.{first}; from confmat import *; print(f1.name, mcc.name, count.__name__)"
    output = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert output.split() == ["f1", "mcc", "count"]


def test_what_is_not_there_is_said_to_be() -> None:
    assert "recall" in dir(confmat)
    with pytest.raises(AttributeError, match="no attribute 'recal'"):
        confmat.recal  # type: ignore[attr-defined]  # noqa: B018 - to see what it says
    said = {
        "tpr": "'tpr'; it is confmat.recall",
        "f2": "'f2'; confmat.metric('f2') gives it",
        "macro_f1": "'macro_f1': the score is spelt 'f1.macro'",
        "plott": "'plott'; did you mean 'plot'?",
    }
    assert not hasattr(confmat, "auc")
    for name, end in said.items():
        with pytest.raises(AttributeError, match=re.escape(end)):
            getattr(confmat, name)
    with pytest.raises(AttributeError, match=r"no attribute '_tpr'$"):
        confmat._tpr  # type: ignore[attr-defined]  # noqa: B018 - to see what it says


def test_the_front_page_is_short_and_shows_no_rooms() -> None:
    names = set(vars(confmat)["_pages"]())
    assert {
        "ConfusionMatrix",
        "ConfmatError",
        "__version__",
        "count",
        "kernel_name",
        "f1",
        "sensitivity",
    } <= names
    assert len(names) <= 145
    assert {name for name in dir(confmat) if not name.startswith("__")} == names - {"__version__"}
    assert confmat.metrics.sensitivity is confmat.sensitivity is confmat.recall


HINT = """
import sys, confmat
rooms = lambda: {name.split(".")[1] for name in sys.modules if name.startswith("confmat.")}
before = rooms()
for name in ("read_coco", "conut"):
    assert not hasattr(confmat, name)
print(*sorted(rooms() - before))
"""


def test_a_public_room_is_on_the_front_page_and_there() -> None:
    """The stub names all but the rooms that need another library, which a type checker may lack."""
    stub = Path(confmat.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    named = re.findall(r"(\w+) as \1", stub.partition("from . import")[2])
    assert {*named, "keras", "sklearn", "torch"} == {*vars(confmat)["_ROOMS"]}


def test_a_name_that_is_absent_needs_no_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not hasattr(confmat, "zzzz")
    monkeypatch.setattr("importlib.machinery.SourceFileLoader.get_source", lambda *_: None)
    assert not hasattr(confmat, "zzzz")


def test_a_hint_opens_no_room_but_that_of_the_metrics() -> None:
    output = subprocess.run(
        [sys.executable, "-c", HINT], check=True, capture_output=True, text=True
    ).stdout
    assert output.split() == ["metrics"]


def offered() -> Iterator[tuple[str, Any]]:
    """Functions of the front page, and the public methods of its classes."""
    for name in dir(confmat):
        if name.startswith("_"):
            continue
        value = getattr(confmat, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for method, function in inspect.getmembers(value, inspect.isroutine):
                # Since Python 3.13 properties that are kept are routines, too.
                if (
                    not method.startswith("_")
                    and callable(function)
                    and getattr(function, "__module__", "").startswith("confmat")
                ):
                    yield f"{name}.{method}", function


def test_public_functions_describe_their_parameters() -> None:
    functions = dict(offered())
    assert {"count", "ConfusionMatrix.select", "Tally.update"} <= set(functions)
    silent = [
        name
        for name, function in functions.items()
        if set(inspect.signature(function).parameters) - {"self"}
        and "\nParameters\n----------\n" not in (inspect.getdoc(function) or "")
    ]
    assert silent == []


def test_the_package_can_be_imported_from_a_zip(tmp_path: Path) -> None:
    shutil.make_archive(
        str(tmp_path / "packed"), "zip", Path(confmat.__file__).parent.parent, "confmat"
    )
    # An editable installation is found before any path.
    program = (
        "import sys; sys.meta_path[:] = [one for one in sys.meta_path if 'Redirect' not in "
        "type(one).__name__]; "
        "import confmat as cm; print(cm.__file__, cm.f1(cm.count([0, 1], [0, 1]), average='macro'))"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path / "packed.zip"),
        "CONFMAT_KERNEL": "reference",
    }
    output = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "packed.zip" in output
    assert output.endswith(" 1.0\n")
