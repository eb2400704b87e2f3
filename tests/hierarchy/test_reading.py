"""Reading a hierarchy from a file: each form, and files that hold no hierarchy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat import Hierarchy

FOOD = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
PARENTS = "citrus,fruit\nlemon,citrus\nlime,citrus\napple,fruit\nleek,\n"
PATHS = "fruit/citrus/lemon\nfruit/citrus/lime\n\nfruit/apple\nleek\n"

FORMS = {
    "turned.csv": "Parent,Child\n"
    + "".join(",".join(line.split(",")[::-1]) + "\n" for line in PARENTS.split()),
    "pairs.tsv": f"child,parent\n{PARENTS}".replace(",", "\t"),
    "dos.csv": "\ufeffchild,parent\r\n" + PARENTS.replace("\n", "\r\n"),
    "quoted.csv": '"child", parent\n"citrus", fruit\n lemon ,"citrus"\nlime,citrus\napple,fruit\nleek,""\n',
    "class_group.csv": f"Class,Group\n{PARENTS}",
    "superclass.csv": "superclass;name\n"
    + "".join(";".join(line.split(",")[::-1]) + "\n" for line in PARENTS.split()),
    "class_path.csv": "class,path\nlemon,fruit/citrus\nlime,fruit / citrus/lime\napple,fruit\nleek,\n",
    "levels.csv": "order,kind,class\nfruit,citrus,lemon\nfruit,citrus,lime\nfruit,apple,\nleek,,\n",
    "remarks.csv": f"# where it comes from, and when\nchild,parent\n{PARENTS}",
    "remarks.txt": f"# fruit, and leek\n{PATHS}",
    "spaced.json": json.dumps([path.replace("/", " / ") for path in PATHS.split()]),
    "headed_paths.csv": f"path\n{PATHS}",
    "paths.txt": PATHS,
    "nested.json": json.dumps({"fruit": {"citrus": ["lemon", "lime"], "apple": None}, "leek": []}),
    "paths.json": json.dumps(PATHS.split()),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(FORMS[name].encode())
    assert Hierarchy.read(file) == FOOD
    assert Hierarchy.read(str(file)) == FOOD


def test_parents_in_json(tmp_path: Path) -> None:
    file = tmp_path / "parents.json"
    file.write_text(
        '{"citrus": "fruit", "lemon": "citrus", "apple": "fruit", "fruit": "food"}',
        encoding="utf-8",
    )
    h = Hierarchy.read(file)
    assert (h.root, h.ancestors("lemon")) == ("food", ("citrus", "fruit", "food"))


def test_another_separator(tmp_path: Path) -> None:
    file = tmp_path / "paths.txt"
    file.write_text("a > b\na > c\n", encoding="utf-8")
    assert Hierarchy.read(file, sep=" > ").children("a") == ("b", "c")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xml", b"<a/>", r"a hierarchy is read from .csv or .tsv .* not from 'a.xml'"),
        ("a.csv", b"", "a.csv: the file is empty"),
        (
            "b.csv",
            b"a,b,c\n",
            "b.csv: a table with a column for each level has their names .* nothing is below",
        ),
        (
            "i.csv",
            b"kind,family\ncat,pet\ndog,pet\n",
            "first row, 'kind', 'family', names no columns of a hier",
        ),
        ("p.csv", b"fruit/apple\nleek\n", "p.csv: its first row, 'fruit/apple', names no columns"),
        (
            "j.csv",
            b"class,group\nanimal,cat\nanimal,dog\n",
            "j.csv: 'animal' would have the parents 'cat' and 'dog', and a hierarchy is a",
        ),
        (
            "l.csv",
            b"species,family,order\ncat,pet,animal\ndog,pet,animal\n",
            "turn the columns round",
        ),
        (
            "m.csv",
            b"child,parent,note\ncat,pet,purrs\n",
            "beside 'child', 'parent' there are other columns, 'note'",
        ),
        ("d.csv", b"child,parent\na,b\nb,a\n", "d.csv: a hierarchy may not go round"),
        ("f.csv", b'"a', "f.csv: it is no table"),
        ("g.csv", b"\xff\xfe\x00a", "g.csv: line 1: byte 0 .* is no UTF-8; it looks like UTF-16"),
        ("h.csv", b"child,parent\na,b\n,b\n", "h.csv: row 3 names no child, only the parent 'b'"),
        ("a.json", b"{", "a.json: it is no JSON"),
        ("d.json", b"[" * 100_000, "d.json: it is no JSON that can be read"),
    ],
)
def test_what_is_no_hierarchy(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(cm.InputError, match=message) as caught:
        Hierarchy.read(file)
    assert len(str(caught.value)) < 400


def test_short_branches_are_no_levels_the_wrong_way_round(tmp_path: Path) -> None:
    file = tmp_path / "levels.csv"
    file.write_text(
        "order,kind,class\nfruit,citrus,lemon\nleek,,\nroot,beet,\nnut,,\n", encoding="utf-8"
    )
    assert Hierarchy.read(file).leaves == ("lemon", "leek", "beet", "nut")


def test_deep_json_is_read_or_refused(tmp_path: Path) -> None:
    nested: Any = ["leaf"]
    for level in range(400):
        nested = {f"level {level}": nested}
    file = tmp_path / "deep.json"
    file.write_text(json.dumps(nested), encoding="utf-8")
    assert Hierarchy.read(file).levels == 401
