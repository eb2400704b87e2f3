"""How the documentation is built; every warning is an error (`python3 run.py docs`)."""

import re
import sys
from importlib.metadata import version as installed
from inspect import Signature
from inspect import signature as signature_of
from pathlib import Path

from docutils.nodes import image

project = "confmat"
author = "the confmat developers"
release = version = installed("confmat")

# Markdown sources, and docstrings where a page asks for them.
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
# The members of a class stand in the order in which they are written: it was chosen.
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Attributes that a docstring describes are listed with it; a second entry for each would be ambiguous.
napoleon_use_ivar = True
# The pages of their faces are made without them.
autodoc_mock_imports = ["keras", "torch", "torchmetrics"]
# $...$ is mathematics; a heading can be linked to by its words.
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
# Every reference must lead somewhere.
nitpicky = True
# NumPy's and the standard library's own names are explained there, and looking them up would need a network;
# and the inner modules of these rooms have no page.
_KEPT = (
    r"metrics|io|core\.building\.Pairs|display\.roles|intervals\.(?:clusters|gradient|prevalence|raters|variance)|reporting\.value\.Intervals"
    r"|segmentation\.segments\.Images|core\.samples\.Units|core\.tables\.Drawn|detection\.counting\.BoxOptions"
)
nitpick_ignore_regex = [("py:.*", rf"(?!confmat\.[a-z]).*|confmat\.(?:{_KEPT})(?:\..*)?")]

html_theme = "furo"
html_title = f"confmat {release}"
# The licence says it.
html_show_copyright = False
exclude_patterns = ["_build", "_ext"]

# One page a metric, written from the declarations at every build.
sys.path.insert(0, str(Path(__file__).parent))

from generate_reference import generate  # noqa: E402 - found beside this file

generate()


def _init_signature(_app, what, _name, obj, _options, signature, returned):
    """Give a class whose base is not installed the signature of its own __init__."""
    if what == "class" and signature == "(*args, **kwargs)":
        given = [each.replace(annotation=each.empty) for each in signature_of(obj.__init__).parameters.values()]
        return str(Signature(given[1:])), returned
    return None


def _suited_pictures(app, tree):
    """Show pictures at half their pixels, for sharp screens, and on dark pages those that are made for them."""
    for node in list(tree.findall(image)):
        path = Path(app.srcdir, app.env.docname).parent / node["uri"]
        dark = path.with_stem(path.stem + "-dark")
        if not dark.exists():
            continue
        # A PNG file begins with its signature, and the width stands behind the name of its first block.
        node["width"] = f"{int.from_bytes(path.read_bytes()[16:20], 'big') // 2}px"
        twin = node.deepcopy()
        twin["uri"] = str(Path(node["uri"]).with_name(dark.name))
        node["classes"] += ["only-light"]
        twin["classes"] += ["only-dark"]
        node.parent.insert(node.parent.index(node) + 1, twin)


def _links_of_the_root(_app, _path, _parent, content):
    """Lead links of CONTRIBUTING.md and its neighbours to the pages that include them; others become plain text."""

    def link(found):
        page = Path(__file__).parent / f"{found[2].lower()}.md"
        return f"[{found[1]}]({page.name})" if page.exists() else found[1]

    content[0] = re.sub(r"\[([^\]]+)\]\(([A-Z_]+)(?:\.md)?\)", link, content[0])


def setup(app):
    """Register the hooks of this file."""
    app.connect("include-read", _links_of_the_root)
    app.connect("autodoc-process-signature", _init_signature)
    # Before Sphinx collects the pictures of a page.
    app.connect("doctree-read", _suited_pictures, priority=400)
