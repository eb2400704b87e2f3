"""The command line as a program: pipes, terminals, interruptions, start-up."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import confmat as cm

CONFMAT = [sys.executable, "-W", "ignore", "-m", "confmat"]
DEMO = Path(cm.__file__).parent / "data" / "demo.csv.gz"

Run = Callable[..., tuple[int, str, str]]


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CONFMAT, *arguments],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        **options,
    )


def test_the_demo_runs_both_ways(folder: Path) -> None:
    found = program("demo", cwd=folder)
    assert (found.returncode, found.stderr) == (0, "")
    assert "4,000 photographs" in found.stdout
    again = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "confmat.demo"],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        cwd=folder,
    )
    assert again.stdout == found.stdout
    page = folder / "confmat-demo.html"
    assert found.stdout.endswith(f"\n  {page.resolve()}\n")
    assert "<title>Farm animals</title>" in page.read_text(encoding="utf-8")


def test_the_frame_of_a_table_is_plain_where_the_encoding_lacks_it(folder: Path) -> None:
    cm.save(cm.ConfusionMatrix([[3, 1], [0, 2]], ["猫", "b"]), folder / "m.json")
    env = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    table = program("show", str(folder / "m.json"), env=env).stdout
    assert "| total" in table
    assert "\\u2502" not in table
    assert "\\u732b" in table


def test_the_data_of_the_demo_is_what_its_script_makes(folder: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "tools" / "make_demo.py"
    if not script.exists():
        pytest.skip("only in a clone")
    rows = f"import sys; sys.path.insert(0, {str(script.parent)!r}); import make_demo; print(len(make_demo.rows()))"
    assert subprocess.check_output([sys.executable, "-c", rows], text=True, cwd=folder) == "4001\n"
    target = f"import sys, pathlib; sys.path.insert(0, {str(script.parent)!r}); import make_demo; "
    target += "make_demo.TARGET = pathlib.Path('demo.csv.gz').resolve(); make_demo.main()"
    subprocess.run([sys.executable, "-c", target], check=True, cwd=folder)
    import gzip

    assert gzip.decompress((folder / "demo.csv.gz").read_bytes()) == gzip.decompress(
        DEMO.read_bytes()
    )


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_mistake(folder: Path) -> None:
    process = subprocess.Popen(
        [*CONFMAT, "metrics"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, bufsize=0
    )
    assert process.stdout is not None
    assert process.stderr is not None
    # Closed before a line is written, as `head -0` would.
    process.stdout.close()
    assert process.wait() == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a shell as POSIX has it closes the streams")
def test_streams_that_are_closed(folder: Path) -> None:
    """A gate in a script may be asked for its status alone."""
    cm.save(cm.count(list("aab"), list("abb")), folder / "m.json")

    def status(line: str) -> tuple[int, str]:
        found = subprocess.run(
            ["/bin/sh", "-c", f'"$0" -W ignore -m confmat {line}', sys.executable],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
        assert found.stdout == ""
        return found.returncode, found.stderr

    assert status("report m.json >&-") == (0, "")
    assert status("report m.json --fail-under accuracy=0.9 >&- 2>&-") == (1, "")
    assert status("report - <&-") == (2, "confmat: standard input is empty\n")
    assert status("report absent.json 2>&-") == (2, "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_a_pipe_with_a_name_is_read_once_as_a_stream(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    process = subprocess.Popen(
        [*CONFMAT, "count", "pipe"], stdout=subprocess.PIPE, cwd=folder, encoding="utf-8"
    )
    (folder / "pipe").write_text("y,yhat\na,b\n")
    out, _ = process.communicate()
    assert out == f"{cm.count(['a'], ['b'])}\n"
    with pytest.raises(cm.InputError, match="can be read only once"):
        cm.count_files(folder / "pipe", format="csv")


# Small blocks and a rest after each, so that an interrupt comes in the middle of the count however
# late it comes. The children of a shell's background job ignore Ctrl-C; this one must not.
SLOW = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from confmat.io import records
records.BLOCK_BYTES, read = 64, records.Table.columns
def slow(*arguments):
    pathlib.Path("at work").touch()
    time.sleep(0.05)
    return read(*arguments)
records.Table.columns = slow
if sys.argv[1] == "duckdb":
    from confmat.io.duckdb_files import Room
    watched = Room._watched
    def slow_query(self, query, *arguments):
        if "count(*)" in query:
            pathlib.Path("at work").touch()
        # A sum over the same rows many times over.
        return watched(self, query.replace("count(*)", "count(*), sum(length(repeat(k0, 9999)))"), *arguments)
    Room._watched = slow_query
from confmat.cli import main
main(sys.argv[2:])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
@pytest.mark.parametrize("road", ["stream", "threads", "duckdb", "resumed"])
def test_ctrl_c_leaves_no_debris(folder: Path, road: str) -> None:
    (folder / "big.csv").write_text("y,yhat\n" + "a,b\n" * 100_000)
    if road == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        rows = "SELECT 'a' AS y, 'b' AS yhat FROM range(2000000)"
        duckdb.connect().execute(f"COPY ({rows}) TO '{folder}/big.parquet'")
    before = {path.name for path in folder.iterdir()}
    more = ["--resume", "checkpoint"] if road == "resumed" else []
    given = {"stream": "-", "duckdb": "big.parquet"}.get(road, "big.csv")
    command = [sys.executable, "-W", "ignore", "-c", SLOW, road, "count", given]
    with (folder / "big.csv").open("rb") as stdin:
        process = subprocess.Popen(
            [*command, "-o", "out.json", *more],
            stdin=stdin,
            stderr=subprocess.PIPE,
            cwd=folder,
            bufsize=0,
        )
        while not (folder / "at work").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    said = (
        b"confmat: interrupted; the same command goes on where it was\n"
        if road == "resumed"
        else b""
    )
    assert (process.returncode, err) == (130, said)
    left = {path.name for path in folder.iterdir()} - before - {"at work"}
    # A checkpoint is kept: the count can go on from it.
    assert left <= {"checkpoint"}
    if road == "resumed":
        assert program("count", "big.csv", "-f", "jsonl", *more, cwd=folder).stdout.endswith(
            '"count": 100000}\n'
        )


def test_on_a_terminal_there_are_colors_and_nothing_else_changes(folder: Path) -> None:
    pytest.importorskip("rich")
    plain = program("report", "preds.csv", cwd=folder).stdout
    assert "\x1b" not in plain
    colored = on_a_terminal("report", "preds.csv", cwd=folder)
    assert "\x1b[1m" in colored
    assert without_colors(colored) == plain
    assert on_a_terminal("report", "preds.csv", cwd=folder, NO_COLOR="1") == plain
    assert "\x1b" in on_a_terminal("metrics", cwd=folder)


@pytest.mark.parametrize("form", ["table", "csv"])
def test_no_label_acts_on_a_terminal(folder: Path, form: str) -> None:
    (folder / "hostile.csv").write_text('y,yhat\n\x1b[31mred,"a\x1b]0;owned\x07"\n\u202eb,b\n')
    for command in ("count", "report"):
        shown = on_a_terminal(command, "hostile.csv", "-f", form, cwd=folder, NO_COLOR="1")
        # A slow machine shows how long it has worked, on a line that is cleared.
        assert not {"\x1b", "\x07", "\u202e"} & set(shown.replace("\r\x1b[K", ""))
        assert "red" in shown
    # A file and a pipe get what was counted.
    if form == "csv":
        assert "\x1b[31mred" in program("count", "hostile.csv", "-f", form, cwd=folder).stdout


def on_a_terminal(
    *arguments: str, cwd: Path, command: list[str] = CONFMAT, **environment: str
) -> str:
    """Standard output of a program that believes to stand before a terminal."""
    pty = pytest.importorskip("pty")
    main, other = pty.openpty()
    settings = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen(
        [*command, *arguments], stdout=other, stderr=other, cwd=cwd,
        env=settings | {"TERM": "xterm-256color", "COLUMNS": "100"} | environment,
    )  # fmt: skip
    os.close(other)
    found = b""
    while True:
        try:
            part = os.read(main, 1 << 16)
        except OSError:
            break
        if not part:
            break
        found += part
    os.close(main)
    process.wait()
    return found.decode().replace("\r\n", "\n")


def without_colors(text: str) -> str:

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_progress_is_shown_on_a_terminal_after_a_while_and_taken_away(folder: Path) -> None:
    """The line is drawn by a program whose patience has been taken away."""
    program_ = (
        "import confmat.cli.terminal as t; t.PATIENCE = 0\n"
        "import confmat.io.threads as p; p.Clock.__init__.__defaults__ = (0,)\n"
        "import sys; from confmat.cli import main; main(sys.argv[1:])\n"
    )
    (folder / "big.csv").write_text("y,yhat\n" + "a,b\n" * 2_000_000)
    command = [sys.executable, "-W", "ignore", "-c", program_]
    text = on_a_terminal("count", "big.csv", "--resume", "checkpoint", cwd=folder, command=command)
    quiet = on_a_terminal(
        "count", "big.csv", "--resume", "other", "-q", cwd=folder, command=command
    )
    assert "rows/s" in text
    assert "left" in text
    shown, _, rest = text.rpartition("\r\x1b[K")
    assert shown
    assert "a       0  2,000,000  │ 2,000,000 ██████\n" in without_colors(rest)
    assert "rows/s" not in quiet


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("matching entities", "spans tagged.conll"),
        ("working it out", "count answers.csv --extract json"),
    ],
)
def test_work_that_nobody_can_tell_the_end_of_says_that_it_goes_on(
    folder: Path, told: str, line: str
) -> None:
    """As for counts: with the patience taken away, a line is shown and taken away, and none with -q."""
    (folder / "tagged.conll").write_text("x B-A B-A\n" * 20_000)
    rows = [f'a,"{{""n"": {n}, ""answer"": ""a""}}"\n' for n in range(10_000)]
    (folder / "answers.csv").write_text("y,yhat\n" + "".join(rows))
    program_ = "import sys, confmat.cli.terminal as t; t.PATIENCE = 0; from confmat.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-W", "ignore", "-c", program_, *line.split()]
    text = on_a_terminal(cwd=folder, command=command)
    shown, _, rest = text.rpartition("\r\x1b[K")
    assert f"\r\x1b[K{told}  00:00:" in shown, text
    assert told not in rest
    assert len(rest) > 20
    assert told not in on_a_terminal("-q", cwd=folder, command=command)


def test_help_imports_nothing_heavy(folder: Path) -> None:
    """An import that takes time waits until it is used; the rest is measured in benchmarks."""
    code = (
        "import sys\n"
        "from confmat.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'duckdb', 'rich', 'narwhals', 'pandas', 'polars', 'pyarrow', 'csv', "
        "'confmat.io'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    for arguments in (["--help"], ["--version"], ["report", "--help"]):
        found = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, *arguments],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
        )
        assert found.stderr == "[]\n", arguments


def test_without_click_a_sentence_says_what_to_install(folder: Path) -> None:
    code = "import sys; sys.modules['click'] = None; from confmat.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert found.returncode == 1
    assert (
        found.stderr.strip()
        == "confmat: the command line takes click; install it with: pip install click duckdb rich"
    )


def test_a_new_format_is_one_row_and_every_command_writes_it(run: Run, folder: Path) -> None:
    from confmat.core.formats import FORMATS, Format, register

    register(Format("heads", lambda table: "+".join(map(str, table.heads)) + "\n", (".heads",)))
    try:
        assert run("count", "preds.csv", "-o", "m.json")[0] == 0
        for words in (
            ["count", "preds.csv"],
            ["count", "preds.csv", "--by", "site"],
            ["show", "m.json", "--top", "1"],
            ["report", "m.json"],
            ["report", "preds.csv", "--by", "site"],
            ["audit", "m.json", "-c", "accuracy=0.8"],
            ["compare", "m.json", "m.json", "--names", "a,b"],
            ["infer", "-c", "accuracy=0.75", "--positives", "2", "--total", "4"],
            ["metrics", "recall"],
        ):
            status, out, err = run(*words, "-f", "heads")
            assert (status, out.count("\n"), "+" in out) == (0, 1, True), (words, err)
        assert run("show", "m.json", "-o", "m.heads")[0] == 0
        assert (folder / "m.heads").read_text().endswith("cat+hen\n")
    finally:
        del FORMATS["heads"]
    status, _, err = run("show", "m.json", "-f", "heads")
    assert status == 2
    assert "'heads' is none of" in err


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is full")
def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*CONFMAT, "report", str(DEMO)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            # Text that is left in a buffer would be written at exit.
            env={**os.environ, "PYTHONUNBUFFERED": ""},
        )
    assert (done.returncode, done.stderr) == (
        2,
        "confmat: standard output: no space left on device\n",
    )
    done = program("count", str(DEMO), "-o", "/dev/full", "-f", "json")
    assert done.returncode == 2
    assert done.stderr.startswith("confmat: /dev/full: ")
