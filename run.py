"""Set up and run confmat from a clone: `python3 run.py demo`, `python3 run.py test`.

Standard library only, because a fresh machine has nothing else. Everything is installed into
`.venv` beside this file; a stamp in there remembers from what, so that the second run starts at
once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
# A further Python has an environment of its own.
VENV = ROOT / os.environ.get("CONFMAT_VENV", ".venv")
LOG = VENV / "install.log"
STAMP = VENV / "confmat-stamp.json"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(BIN / "python")

# An editable install, so that a change in src/ counts at once. Its import hook was measured: 0.6 ms
# at interpreter start, nothing per import; not worth a reinstall after every edit.
BUILD_INPUTS = ("pyproject.toml", "CMakeLists.txt", "src/confmat/_version.py", "native/**/*")


def main() -> int:
    """Parse the command line, set up what the command needs, and run it."""
    options, rest = parse(sys.argv[1:])
    if rest and options.command not in {"test", "bench"}:
        sys.exit(f"run.py {options.command} takes no further arguments; got: {' '.join(rest)}")
    os.chdir(ROOT)
    return COMMANDS[options.command](options, rest)


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Split the command line into our options and those passed on to pytest or a benchmark."""
    parser = argparse.ArgumentParser(
        prog="run.py", description="Set up confmat in .venv and run it."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="count an example and print its matrix and basic scores")
    test = commands.add_parser(
        "test", help="run the tests, in about three minutes; further arguments go to pytest"
    )
    for tier, (_extras, _minutes, meaning) in TIERS.items():
        if tier:
            test.add_argument(
                f"--{tier}", action="store_const", const=tier, dest="tier", default="", help=meaning
            )
    checks = commands.add_parser(
        "check",
        help="format, lint, types, import layers, native tests, the build without a compiler",
    )
    checks.add_argument(
        "--fix", action="store_true", help="format, and mend what the linter can mend"
    )
    commands.add_parser("bench", help="run the benchmarks; further arguments go to them (--quick)")
    commands.add_parser("docs", help="build the documentation into docs/_build")
    releases = commands.add_parser(
        "release", help="build what is published into dist/: sources and wheels"
    )
    releases.add_argument(
        "--check", action="store_true", help="judge and install each in an empty environment, too"
    )
    return parser.parse_known_args(arguments)


# --- the commands ---------------------------------------------------------------------------------


def demo(_options: argparse.Namespace, _rest: list[str]) -> int:
    """Run the embedded example, and leave the command line ready for files of one's own."""
    set_up("cli")
    status = run("-m", "confmat.demo")
    say(f"next: {BIN.relative_to(ROOT)}/confmat report FILE")
    return status


# The tiers of the tests: the groups and extras that they need, how long they take on two cores, and
# what they are.
TIERS = {
    "": (["test"], "3 minutes", "what a change should keep"),
    "all": (["test", "cli", "images"], "8 minutes", "with the slow tests and more examples"),
    "peers": (
        ["test", "peers"],
        "15 minutes",
        "like --all, compared with heavy packages: several GB, most of it PyTorch",
    ),
    "nightly": (
        ["test", "peers", "nightly"],
        "two hours",
        (
            "everything with its coverage, ten times the examples, the kernel under sanitizers, "
            "further Pythons, a release"
        ),
    ),
}


def test(options: argparse.Namespace, rest: list[str]) -> int:
    """Run the tests of a tier; what is asked for by name is run whole, slow or not."""
    extras, minutes, meaning = TIERS[options.tier]
    set_up(*extras)
    named = any(not each.startswith("-") for each in rest)
    tier = [f"--{options.tier}"] if options.tier else ["--all"] if named else []
    if not named:
        say(f"testing: {meaning}; about {minutes} on two cores")
        for more, (_extras, longer, what) in TIERS.items():
            if more and more != options.tier:
                say(f"  --{more:8} about {longer}: {what}")
    # A process per core, each with files of its own; what is asked for by name is sooner done by
    # one.
    spread = [] if named else ["-n", "auto", "--maxprocesses", "8", "--dist", "loadfile"]
    if options.tier != "nightly" or named:
        return run("-m", "pytest", *tier, *spread, *rest)
    # All of them, whatever failed before: nobody waits for a night to see the second failure.
    os.environ["HYPOTHESIS_PROFILE"] = "quick"
    failed = [run("-m", "pytest", *tier, *spread, "--cov", "--cov-report=term", *rest)]
    # Coverage is measured at half the speed; it does not need the many examples.
    os.environ["HYPOTHESIS_PROFILE"] = "thorough"
    failed.append(run("-m", "pytest", "--peers", "-m", "hypothesis", *spread, *rest))
    os.environ["HYPOTHESIS_PROFILE"] = "quick"
    failed += [
        native_tests(seeds=20),
        sanitized_kernel(),
        further_environments(),
        build_release(check=True),
    ]
    return int(any(failed))


def sanitized_kernel() -> int:
    """Search for differences between the kernels, and for faults of memory, with the module under sanitizers."""
    if not (compiler() and headers()):
        say("no kernel is built here, so there is nothing to sanitize")
        return 0
    checks = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1"
    tree = unpacked_wheel("sanitized", {"CXXFLAGS": checks, "LDFLAGS": checks})
    if tree is None or not list(tree.glob("confmat/kernels/_compiled*")):
        say("the kernel could not be built under sanitizers")
        return 1
    # The sanitizer has to come before Python; with it the C++ library, whose exceptions it watches.
    libraries = [shared_library(name) for name in ("libasan.so", "libstdc++.so")]
    environment = {
        **bare_path(tree),
        "CONFMAT_KERNEL": "compiled",
        "LD_PRELOAD": " ".join(libraries),
        # Python itself leaves memory behind; a request for too much of it is an answer that the
        # tests want.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    }
    tests = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/test_kernels_*.py"))
    return subprocess.call(
        [PYTHON, "-S", "-m", "pytest", "-q", "--nightly", *tests, "tests/counting"], env=environment
    )


def shared_library(name: str) -> str:
    """Ask the compiler where a library of its own lies."""
    return subprocess.check_output(
        [compiler() or "c++", f"-print-file-name={name}"], text=True
    ).strip()


# Beside the Python that started this file.
FURTHER_PYTHONS = ("3.12", "3.13")
# The first Python whose stable ABI nanobind knows. Lists and tuples take about twice the time
# through it (arrays the same), so such a wheel is for Pythons that have none of their own.
STABLE = "3.12"


def further_environments() -> int:
    """Run the tests on the other Pythons that this machine has, and with the lowest versions of what users need."""
    lowest = ROOT / "build" / "lowest.txt"
    lowest.parent.mkdir(exist_ok=True)
    lowest.write_text("".join(f"{floor}\n" for floor in floors()), encoding="utf-8")
    # Old packages warn of the newer ones that they meet.
    old = {"PIP_CONSTRAINT": str(lowest), "PYTEST_ADDOPTS": "-Wignore::DeprecationWarning"}
    ways: dict[str, tuple[str | None, dict[str, str]]] = {
        **{
            f"Python {version}": (interpreter(version), {"CONFMAT_VENV": f".venv-{version}"})
            for version in FURTHER_PYTHONS
        },
        "the lowest versions": (sys.executable, {"CONFMAT_VENV": ".venv-lowest", **old}),
    }
    failed = []
    for name, (python, more) in ways.items():
        if python is None:
            say(f"there is no {name} here; its tests are left out")
        elif subprocess.call([python, "run.py", "test", "--all"], env={**os.environ, **more}):
            failed.append(name)
    say(
        f"failed with {' and '.join(failed)}"
        if failed
        else "the tests in further environments are done"
    )
    return 1 if failed else 0


def floors() -> list[str]:
    """List the lowest versions that pyproject.toml lets users have, as constraints for pip."""
    needed = [*settings()["project"]["dependencies"], *requirements(["cli", "images", "plot"])]
    return [re.sub(r"\[.*\]|,.*", "", each).replace(">=", "==") for each in needed]


def interpreter(version: str) -> str | None:
    """Find a Python of this version, on the path or among pyenv's, that starts."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [
        shutil.which(f"python{version}"),
        *map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python"))),
    ]
    for candidate in filter(None, candidates):
        if not subprocess.run(
            [candidate, "-c", "import venv"], capture_output=True, check=False
        ).returncode:
            return candidate
    return None


def check(options: argparse.Namespace, _rest: list[str]) -> int:
    """Run everything that judges the source; name all that failed, not only the first."""
    set_up("test", "dev")
    kernel = [str(path) for path in sorted(ROOT.glob("native/*.?pp"))]
    judges: dict[str, Callable[[], int]] = {
        "format": lambda: run_tool("ruff", "format", *([] if options.fix else ["--check"])),
        "format of native/": lambda: run_tool(
            "clang-format", *(["-i"] if options.fix else ["-n", "-Werror"]), *kernel
        ),
        "lint": lambda: run_tool("ruff", "check", *(["--fix"] if options.fix else [])),
        "words": lambda: run("tools/words.py"),
        "types": lambda: run_tool("mypy"),
        "layers": lambda: run_tool("lint-imports"),
        "a build without a compiler": pure_build,
    }
    failed = []
    # The kernel's tests compile for a minute; types are checked meanwhile.
    with ThreadPoolExecutor(1) as aside:
        say("--- tests of native/, beside the others")
        native = aside.submit(native_tests)
        for name, judge in judges.items():
            say(f"--- {name}")
            if judge():
                failed.append(name)
        if native.result():
            failed.append("tests of native/")
    say(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


def bench(_options: argparse.Namespace, rest: list[str]) -> int:
    """Run every benchmark; each asserts its answer before it measures."""
    set_up("test", "peers", "nightly")
    return run("-m", "benchmarks", *rest)


def docs(_options: argparse.Namespace, _rest: list[str]) -> int:
    """Build the documentation; a warning is an error."""
    set_up("docs")
    return run(
        "-m",
        "sphinx",
        "--quiet",
        "--jobs",
        "auto",
        "--builder",
        "html",
        "--fail-on-warning",
        "--keep-going",
        "docs",
        "docs/_build/html",
    )


def release(options: argparse.Namespace, _rest: list[str]) -> int:
    """Build what is published from this machine; try it if asked to."""
    return build_release(check=options.check)


def build_release(*, check: bool) -> int:
    """Build the sources, a wheel from them for each Python here, and the pure one; install each where nothing is."""
    set_up("release")
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    if run("-m", "build", "--sdist", "--outdir", str(dist), "."):
        return 1
    (sources,) = dist.glob("*.tar.gz")
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    pythons = {
        here: sys.executable,
        **{each: found for each in FURTHER_PYTHONS if (found := interpreter(each))},
    }
    pure = "--config-settings=wheel.cmake=false", "--config-settings=wheel.py-api=py3"
    builds: list[tuple[str, tuple[str, ...]]] = [
        *((python, ()) for python in pythons.values()),
        (sys.executable, pure),
    ]
    if STABLE in pythons:
        builds.append(
            (pythons[STABLE], (f"--config-settings=wheel.py-api=cp{STABLE.replace('.', '')}",))
        )
    with ThreadPoolExecutor(2) as both:
        failed = sum(both.map(lambda each: build_wheel(each[0], sources, *each[1]), builds))
        wheels = sorted(dist.glob("*.whl"))
        if check:
            failed += run_tool("twine", "check", "--strict", str(sources), *map(str, wheels))
            tries = [
                (wheel, version)
                for wheel in wheels
                for version in pythons
                if fits(wheel, version, here)
            ]
            failed += sum(both.map(lambda each: smoke(each[0], pythons[each[1]], each[1]), tries))
    for path in (sources, *wheels):
        say(f"{path.stat().st_size / 1e6:5.2f} MB  {path.name}")
    return int(bool(failed))


def build_wheel(python: str, sources: Path, *more: str) -> int:
    """Build a wheel for this Python from the sources as they are published."""
    wheel = ["wheel", "--quiet", "--no-deps", f"--wheel-dir={sources.parent}", *more, str(sources)]
    environment = {**os.environ, "CXX": compiler() or "c++"}
    return subprocess.call([PYTHON, "-m", "pip", "--python", python, *wheel], env=environment)


def fits(wheel: Path, version: str, here: str) -> bool:
    """Whether the wheel is tried with this Python; the pure one is with one of them."""
    python, abi, _ = wheel.stem.split("-")[2:]
    least = python.replace("cp3", "3.")
    if abi == "abi3":
        return int(version[2:]) >= int(least[2:])
    return version == (here if abi == "none" else least)


def smoke(wheel: Path, python: str, version: str) -> int:
    """Install a wheel and what it needs into an empty environment, and try it there."""
    where = ROOT / "build" / "smoke" / f"{version}-{wheel.stem}"
    subprocess.check_call([python, "-m", "venv", "--clear", "--without-pip", str(where)])
    inside = str(where / BIN.name / "python")
    # Compiled modules of each package would take longer than to download it.
    installing = [
        PYTHON,
        "-m",
        "pip",
        "--python",
        inside,
        "install",
        "--quiet",
        "--no-compile",
        str(wheel),
    ]
    kernel = "reference" if "-none-" in wheel.name else "compiled"
    trying = [inside, "-I", "-W", "error", str(ROOT / "tools" / "smoke.py")]
    environment = {**os.environ, "CONFMAT_KERNEL": kernel}
    return subprocess.call(installing) or subprocess.call(trying, env=environment)


COMMANDS = {
    "demo": demo,
    "test": test,
    "check": check,
    "bench": bench,
    "docs": docs,
    "release": release,
}


def native_tests(seeds: int = 0) -> int:
    """Run the kernel's own tests under the sanitizers, where there is a compiler; again with so many seeds."""
    if not compiler():
        say("skipped: no C++ compiler")
        return 0
    return subprocess.call(["bash", "native/run_tests.sh", str(seeds)])


def pure_build() -> int:
    """Build as on a machine without a compiler: the wheel must be pure, and must count."""
    tree = unpacked_wheel("pure", {"CC": "/bin/false", "CXX": "/bin/false"})
    if tree is None:
        return 1
    (built,) = tree.parent.glob("*.whl")
    if not built.name.endswith("py3-none-any.whl"):
        say(f"expected a pure wheel, got {built.name}")
        return 1
    program = "import confmat as cm; assert cm.kernel_name() == 'reference'; print(cm.count(list('aab'), list('abb')))"
    return subprocess.call(
        [PYTHON, "-S", "-c", program], env={**bare_path(tree), "CONFMAT_KERNEL": "reference"}
    )


def unpacked_wheel(name: str, compilers: dict[str, str]) -> Path | None:
    """Build a wheel in a folder of its own, with these settings for compilers, and unpack it there."""
    where = ROOT / "build" / name
    shutil.rmtree(where, ignore_errors=True)
    # Not the usual build folder: what CMake learns here about compilers must not last.
    wheel = [
        "wheel",
        "--quiet",
        "--no-deps",
        f"--config-settings=build-dir={where}/cmake",
        f"--wheel-dir={where}",
        ".",
    ]
    if subprocess.call([PYTHON, "-m", "pip", *wheel], env={**os.environ, **compilers}):
        return None
    (built,) = where.glob("*.whl")
    shutil.unpack_archive(built, where / "tree", "zip")
    return where / "tree"


def bare_path(tree: Path) -> dict[str, str]:
    """Show the way to a package and to what it needs, for `python -S`, which knows no editable installation."""
    packages = subprocess.check_output(
        [PYTHON, "-c", "import numpy; print(numpy.__path__[0])"], text=True
    ).strip()
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), str(Path(packages).parent)])}


# --- setting up -----------------------------------------------------------------------------------


def set_up(*extras: str) -> None:
    """Make `.venv` and install confmat into it with these extras and groups, unless a stamp says that it is done."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is started by whatever python3 is there
        sys.exit(
            f"confmat needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}"
        )
    inputs = fingerprint()
    stamp = json.loads(STAMP.read_text()) if STAMP.exists() and VENV.exists() else {}
    if stamp.get("python") != sys.version:
        stamp = {}
        make_venv()
    missing = sorted(set(extras) - set(stamp.get("extras", [])))
    if stamp.get("inputs") != inputs:
        wanted = sorted({*extras, *stamp.get("extras", [])})
        STAMP.unlink(missing_ok=True)
        LOG.unlink(missing_ok=True)
        install("confmat", "--editable", ".", *requirements(wanted))
        stamp = {
            "python": sys.version,
            "inputs": inputs,
            "kernel": built_kernel(),
            "extras": wanted,
        }
        explain_kernel(stamp["kernel"])
        STAMP.write_text(json.dumps(stamp))
    elif missing:
        # The package itself is as it should be, and need not be compiled again.
        install(f"what {' and '.join(missing)} needs", *requirements(missing))
        stamp["extras"] = sorted({*stamp["extras"], *missing})
        STAMP.write_text(json.dumps(stamp))
    if stamp["kernel"] == "reference":
        # It was said at installation; the package need not warn again at each import.
        os.environ.setdefault("CONFMAT_KERNEL", "reference")


def fingerprint() -> str:
    """Identify what an installation depends on: the build's inputs, and whether there is a compiler with headers."""
    digest = hashlib.sha256()
    for pattern in BUILD_INPUTS:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    digest.update(f"{ROOT} {compiler()} {headers()}".encode())
    return digest.hexdigest()


def compiler() -> str | None:
    """Find the C++ compiler that a build would take."""
    named = os.environ.get("CXX")
    found = (shutil.which(name) for name in ([named] if named else ["c++", "g++", "clang++"]))
    return next(filter(None, found), None)


def headers() -> bool:
    """Whether Python's own headers are there."""
    return Path(sysconfig.get_path("include"), "Python.h").exists()


def make_venv() -> None:
    """Make an empty `.venv`; say what to install where Python comes without the means."""
    say("making .venv")
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)],
        text=True,
        capture_output=True,
        check=False,
    )
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        print(made.stdout + made.stderr, file=sys.stderr)
        sys.exit(
            "Python's venv module is missing or incomplete. On Debian or Ubuntu: apt-get install "
            "python3-venv"
        )


def settings() -> dict[str, Any]:
    """Read pyproject.toml."""
    import tomllib  # not in the Pythons that are turned away with a sentence, so not at the top

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(names: Iterable[str]) -> list[str]:
    """Read from pyproject.toml what these groups of developers, and extras of users, consist of."""
    found = settings()
    lists = {**found["project"]["optional-dependencies"], **found["dependency-groups"]}
    return [requirement for name in names for requirement in lists[name]]


def install(what: str, *arguments: str) -> None:
    """Have pip install this into `.venv`; show the end of its log if that fails."""
    say(f"installing {what}; the first time takes about a minute")
    # Verbose, because a build that falls back says so nowhere else; into a file, because nobody
    # reads it otherwise. Modules are compiled as they are imported: to compile all of PyTorch,
    # Keras and MLflow takes as long as the rest.
    command = [
        PYTHON,
        "-m",
        "pip",
        "install",
        "--verbose",
        "--no-compile",
        "--disable-pip-version-check",
        *arguments,
    ]
    # Python remembers the compiler that built it, which need not be the one that is here.
    environment = {**os.environ, "CXX": compiler() or "c++"}
    begin = time.monotonic()
    with LOG.open("a", encoding="utf-8") as log:
        code = subprocess.call(
            command, env=environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
    if code:
        print(*installation_log().splitlines()[-40:], sep="\n", file=sys.stderr)
        sys.exit(f"The installation failed; the whole log is {LOG.relative_to(ROOT)}")
    say(f"installed in {time.monotonic() - begin:.0f} s")


def installation_log() -> str:
    """Read back what the last installation wrote."""
    return LOG.read_text(encoding="utf-8", errors="replace")


def built_kernel() -> str:
    """Ask the package which kernel it counts with."""
    program = "from confmat.kernels import kernel_name; print(kernel_name())"
    chosen = {name: value for name, value in os.environ.items() if name != "CONFMAT_KERNEL"}
    command = [PYTHON, "-W", "ignore", "-c", program]
    return subprocess.check_output(command, env=chosen, text=True).strip()


def explain_kernel(kernel: str) -> None:
    """Say once which kernel was built, and if it is the slower one, why."""
    if kernel == "compiled":
        say("the compiled kernel is in use")
        return
    if not compiler():
        reason = "there is no C++ compiler (Debian: apt-get install g++ python3-dev)"
    elif not headers():
        reason = "Python's headers are missing (Debian: apt-get install python3-dev)"
    else:
        what = "compiled" if "CMake build failed" in installation_log() else "configured"
        reason = f"the compiled one could not be {what}; {LOG.relative_to(ROOT)} says why"
    say(f"the NumPy kernel is in use, the same answers more slowly: {reason}")


# --- talking and running --------------------------------------------------------------------------


def run(*arguments: str) -> int:
    """Run the environment's Python; its exit status is ours."""
    return subprocess.call([PYTHON, *arguments])


def run_tool(name: str, *arguments: str) -> int:
    """Run a program of the environment; its exit status is ours."""
    return subprocess.call([str(BIN / name), *arguments])


def say(text: str) -> None:
    """Tell how far we are, on the side channel: standard output belongs to the command that runs."""
    print(f"run.py: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
