"""scikit-learn's own tests, run against confmat.sklearn.

    python tests/faces/sklearn_own.py report.json [arguments for pytest]

The tests are those inside the installed scikit-learn. As a plugin of pytest, this file puts
confmat's functions in the place of scikit-learn's before they are imported, keeps the tests that
reach them, and writes what failed.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

MODULES = (
    "sklearn.metrics.tests.test_classification",
    "sklearn.metrics.tests.test_common",
    "sklearn.metrics.tests.test_score_objects",
    "sklearn.metrics._plot.tests.test_confusion_matrix_display",
    "sklearn.tests.test_public_functions",
)


def run(report: Path, *arguments: str) -> dict[str, Any]:
    """Run the tests in a process of their own; what failed, and how many passed."""
    command = [
        *(
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "sklearn_own",
            "-p",
            "no:cacheprovider",
            "-q",
            "--tb=short",
        ),
        *("-c", os.devnull, "--rootdir", str(_packages())),
        *("--pyargs", *MODULES, *arguments),
    ]
    here = Path(__file__).resolve()
    paths = [str(here.parent), str(here.parents[2] / "src"), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "SCIPY_ARRAY_API": "1",
        "MPLBACKEND": "agg",
        "CONFMAT_OWN_REPORT": str(report),
    }
    # Results of an earlier run would pass for this one's.
    report.unlink(missing_ok=True)
    subprocess.run(command, check=False, env=environment, cwd=report.parent)
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


def _packages() -> Path:
    spec = importlib.util.find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parents[1]


# ---- the plugin ----------------------------------------------------------------------------------

outcomes: dict[str, str] = {}


def pytest_configure() -> None:
    """Put our functions where the tests look for theirs."""
    if "CONFMAT_OWN_REPORT" not in os.environ:
        return
    import sklearn.metrics
    import sklearn.metrics._scorer

    import confmat.sklearn

    ours = {
        name: getattr(confmat.sklearn, name)
        for name in confmat.sklearn.__all__
        if hasattr(sklearn.metrics, name)
    }
    for scorer in sklearn.metrics._scorer._SCORERS.values():
        if scorer._score_func.__name__ in ours:
            scorer._score_func = ours[scorer._score_func.__name__]
    # Their examples are small, and are counted all the same.
    confmat.sklearn._pairs.FEW = 0
    for name, function in ours.items():
        # The demands of their tests of wrong arguments: which are wrong.
        constraints = getattr(getattr(sklearn.metrics, name), "_skl_parameter_constraints", None)
        if constraints is not None:
            function._skl_parameter_constraints = constraints
        for module in (sklearn.metrics, sklearn.metrics._scorer):
            if hasattr(module, name):
                setattr(module, name, function)


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep what reaches our functions."""
    kept = [item for item in items if _reaches(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _reaches(item: Any) -> bool:
    """Whether a test asks one of our functions: as a parameter, or in its own text or that of what it calls."""
    spec = getattr(item, "callspec", None)
    values = [] if spec is None else list(spec.params.values())
    metrics = getattr(item.module, "ALL_METRICS", {})
    named = [metrics.get(value, value) if isinstance(value, str) else value for value in values]
    functions = [value for value in named if callable(value) and not isinstance(value, type)]
    paths = [value for value in values if isinstance(value, str) and value.startswith("sklearn.")]
    if paths:
        return any(map(_names_ours, paths))
    if any(_is_ours(value) for value in functions):
        return True
    if any(value in metrics for value in values if isinstance(value, str)):
        return False
    return _asks(item.function, vars(item.module), set())


def _asks(function: Any, names: dict[str, Any], seen: set[str]) -> bool:
    code = getattr(_plain(function), "__code__", None)
    codes, words = [code] if isinstance(code, CodeType) else [], set()
    while codes:
        code = codes.pop()
        words |= {*code.co_names}
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    found = [names[word] for word in words - seen if word in names]
    seen |= words
    if "get_scorer" in words or any(_is_ours(value) for value in found):
        return True
    return any(
        _asks(value, names, seen) for value in found if isinstance(value, FunctionType)
    ) or any(_is_ours(value) for part in found if isinstance(part, dict) for value in part.values())


def _names_ours(path: str) -> bool:
    import sklearn.metrics

    space, _, name = path.rpartition(".")
    return space == "sklearn.metrics" and _is_ours(getattr(sklearn.metrics, name, None))


def _is_ours(value: Any) -> bool:
    return str(getattr(_plain(value), "__module__", "")).startswith("confmat")


def _plain(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def pytest_runtest_logreport(report: Any) -> None:
    """Remember the worst that happened to each test."""
    if report.when == "call" or report.failed or report.skipped:
        outcomes[report.nodeid.rpartition("/")[2]] = report.outcome


def pytest_sessionfinish() -> None:
    """Write what failed and how many passed."""
    if "CONFMAT_OWN_REPORT" in os.environ:
        found = {
            "failed": sorted(name for name, outcome in outcomes.items() if outcome == "failed"),
            "passed": sum(outcome == "passed" for outcome in outcomes.values()),
            "skipped": sum(outcome == "skipped" for outcome in outcomes.values()),
        }
        Path(os.environ["CONFMAT_OWN_REPORT"]).write_text(
            json.dumps(found, indent=1), encoding="utf-8"
        )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(Path(sys.argv[1]).resolve(), *sys.argv[2:]), indent=1))
