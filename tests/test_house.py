"""The laws of the house: what a reviewer should not have to look for."""

from __future__ import annotations

import ast
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import confmat
from confmat import metrics

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))

pytestmark = pytest.mark.skipif(
    not (ROOT / "run.py").exists(), reason="only in a clone, not in an installed package"
)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "python3 run.py demo" in readme
    assert "python3 run.py test" in readme


def test_the_version_is_one() -> None:
    assert version("confmat") == confmat.__version__
    assert f"## {confmat.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["CITATION.cff", "conda/recipe.yaml"])
def test_the_version_is_the_same_elsewhere(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.findall(r'^ *version: "?([0-9.]+)"?$', text, re.MULTILINE) == [confmat.__version__]


def test_users_and_developers_are_offered_apart() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = {"all", "cli", "images", "keras", "plot", "sklearn", "torch"}
    assert set(settings["project"]["optional-dependencies"]) == extras
    assert set(settings["dependency-groups"]) == {
        "dev",
        "docs",
        "nightly",
        "peers",
        "release",
        "test",
    }


def test_the_conda_recipe_has_the_same_floors() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    floors = {*re.findall(r"^    - ([a-z-]+ >=[0-9.]+)$", recipe, re.MULTILINE)} - {"python >=3.11"}
    assert floors == {
        each.replace(">=", " >=")
        for each in (*needed["build-system"]["requires"], *needed["project"]["dependencies"])
    }


def test_a_typed_package_says_so() -> None:
    assert (ROOT / "src/confmat/py.typed").exists()


def test_the_kernel_is_read_at_every_call() -> None:
    """`from confmat.kernels import kernel` would keep a copy, and the tests could no longer swap the twins."""
    copies = [
        f"{relative(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "confmat.kernels"
        if "kernel" in {alias.name for alias in node.names}
    ]
    assert copies == []


# The rooms that may lean on others than NumPy, SciPy and the standard library.
OUTER = {"cli", "display", "io", "keras", "onedal", "pytest", "sklearn", "torch"}
# Files of inner rooms that open what somebody has given them.
DOORS = {"core/pictures.py": {"PIL"}, "segmentation/maps.py": {"PIL"}}


def test_the_inner_rooms_lean_on_numpy_and_scipy_only() -> None:
    allowed = set(sys.stdlib_module_names) | {"confmat", "numpy", "scipy"}
    foreign = {}
    for path in SOURCES:
        inside = path.relative_to(ROOT / "src/confmat")
        if inside.parts[0].removesuffix(".py") in OUTER:
            continue
        packages = {name.partition(".")[0] for name in imported(path)}
        if found := packages - allowed - DOORS.get(inside.as_posix(), set()):
            foreign[relative(path)] = found
    assert foreign == {}


def imported(path: Path) -> list[str]:
    """Every module that a file imports, also inside functions."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)}:{node.lineno} imports relatively"
            names.append(node.module or "")
    return names


def words_of(tree: ast.Module) -> Iterator[str]:
    """Every name that a module imports, and every text in it but docstrings; of a score its metric alone."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    heads = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented)]
    docstrings = [node.value for node in heads if isinstance(node, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in docstrings
        ):
            yield re.split(r"[.\[]", node.value)[0]


@pytest.mark.parametrize("room", ["auditing", "deciding"])
def test_solvers_name_no_metric(room: str) -> None:
    """Solvers read the facts that metrics declare; only `best(costs=...)` makes a metric, that of the costs."""
    synonyms = [name for name, value in vars(metrics).items() if isinstance(value, metrics.Metric)]
    known = {*metrics.catalog(), *metrics.factories(), *synonyms} - {"cost"}
    paths = sorted((ROOT / "src/confmat" / room).glob("*.py"))
    named = {
        relative(path): known & set(words_of(ast.parse(path.read_text(encoding="utf-8"))))
        for path in paths
    }
    assert {path: names for path, names in named.items() if names} == {}


def invisible(values: Iterable[object]) -> list[str]:
    """The metrics and families among these values that the catalog lacks."""
    known = [*metrics.catalog().values(), *metrics.factories().values()]
    # A metric may have another name for a use of its own, as accuracy has for exact matches: the
    # formula is listed.
    formulas = {id(one.formula) for one in known if isinstance(one, metrics.Metric)}
    return [
        one.name
        for one in values
        if isinstance(one, (metrics.Metric, metrics.Factory))
        and not any(one is each for each in known)
        if id(getattr(one, "formula", None)) not in formulas
    ]


FAMILIES = [each.name for each in pkgutil.iter_modules(metrics.__path__)]


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_declares_is_in_the_catalog(family: str) -> None:
    """A metric without a line in `__all__` of its family would be declared, and nobody would find it."""
    assert invisible(vars(import_module(f"confmat.metrics.{family}")).values()) == []


def test_a_metric_that_is_declared_and_not_listed_is_seen() -> None:
    @metrics.of_class(title="Predictive product", latex="TP", bounds=(0, 1))
    def predictive_product(c: Any) -> Any:
        """Product of precision and recall."""
        return c.tp

    assert invisible([predictive_product, metrics.recall, metrics.f_beta]) == ["predictive_product"]


def test_setting_up_needs_nothing_but_python() -> None:
    assert {name.partition(".")[0] for name in imported(ROOT / "run.py")} <= set(
        sys.stdlib_module_names
    )


# A page that names somebody's machine is wrong on every other.
MACHINE_PATHS = re.compile(r"(?<![\w.])/(home|root|work|tmp|Users)/\w|localhost:\d|\b[A-Z]:\\Users")
PROSE = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *SOURCES,
    *(ROOT / "native").glob("*.*"),
]


def test_no_page_speaks_of_one_machine() -> None:
    paths = {
        relative(path): MACHINE_PATHS.findall(path.read_text(encoding="utf-8")) for path in PROSE
    }
    assert {path: machines for path, machines in paths.items() if machines} == {}


def test_pages_for_users_have_no_word_of_the_source() -> None:
    """CONTRIBUTING.md has the meanings of these words; code and what it prints may have any."""
    ours = re.compile(
        r"\b(?:doors?|(?<!Hugging )faces?|ring(?:s|ed)?|roads?|rooms?)\b", re.IGNORECASE
    )
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    found = {}
    for path in pages:
        text = path.read_text(encoding="utf-8")
        prose = re.sub(
            r"```.*?```|`[^`\n]*`|^search: [^\n]*$|\]\([^)]*\)",
            "",
            text,
            flags=re.DOTALL | re.MULTILINE,
        )
        if words := ours.findall(prose):
            found[relative(path)] = words
    assert found == {}


def test_nobody_is_sent_to_an_index_for_confmat() -> None:
    """Its name there belongs to nobody yet: pages, messages and the action install from the sources."""
    pages = [*PROSE, ROOT / "action.yml"]
    named = re.compile(r"pip3? install[^\n`]*\bconfmat\b")
    sent = {
        relative(path): found
        for path in pages
        if (found := named.findall(path.read_text(encoding="utf-8")))
    }
    assert sent == {}
    assert 'default: ""' in pages[-1].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wanted", "expected"), [("reference", "reference"), ("", confmat.kernel_name())]
)
def test_the_environment_chooses_the_kernel(wanted: str, expected: str) -> None:
    environment = {**os.environ, "CONFMAT_KERNEL": wanted}
    program = [sys.executable, "-W", "ignore", "-c", "import confmat; print(confmat.kernel_name())"]
    output = subprocess.run(
        program, env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert output.strip() == expected


def test_a_misspelt_kernel_is_refused() -> None:
    environment = {**os.environ, "CONFMAT_KERNEL": "fast"}
    program = [sys.executable, "-c", "import confmat"]
    result = subprocess.run(program, env=environment, check=False, capture_output=True, text=True)
    assert result.returncode != 0
    assert "must be 'compiled' or 'reference', not 'fast'" in result.stderr


# As where nothing was compiled.
BARE = "import sys; sys.modules['confmat.kernels._compiled'] = None; "


def without_kernel(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that finds no compiled kernel."""
    environment = {**os.environ, "CONFMAT_KERNEL": ""}
    return subprocess.run(
        [sys.executable, "-c", BARE + program],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


def test_a_missing_kernel_is_reported_once() -> None:
    done = without_kernel(
        "import confmat as cm; print(cm.kernel_name()); [cm.count([1, 2], [1, 1]) for _ in '123']"
    )
    assert done.stdout == "reference\n"
    assert done.stderr.count("confmat counts with its NumPy kernel") == 1
    assert done.stderr.startswith("<string>:1: ConfmatWarning: ")
    assert "the compiled one was not built when confmat was installed. Install" in done.stderr


def test_the_command_line_reports_a_missing_kernel_when_asked(tmp_path: Path) -> None:
    pytest.importorskip("click", reason="the command line is the extra confmat[cli]")
    path = tmp_path / "pairs.csv"
    path.write_text("actual,predicted\na,a\nb,a\n", encoding="utf-8")
    done = without_kernel(f"from confmat.cli import main; main(['report', {str(path)!r}])")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "with its NumPy kernel"
        in without_kernel("from confmat.cli import main; main(['--version'])").stdout
    )


def test_a_kernel_that_cannot_be_loaded_says_why() -> None:
    broken = "import importlib.abc; F = type('F', (importlib.abc.MetaPathFinder,), {'find_spec': find}); "
    finder = "def find(self, name, *_):\n    if name.endswith('_compiled'): raise ImportError('wrong machine')\n"
    program = f"import sys\n{finder}{broken}sys.meta_path.insert(0, F())\nimport confmat as cm; cm.count([1], [1])"
    environment = {**os.environ, "CONFMAT_KERNEL": ""}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    )
    assert "the compiled one could not be loaded (wrong machine)" in done.stderr
