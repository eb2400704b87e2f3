"""How the documentation is built; every warning is an error (`python3 run.py docs`)."""

import re
import sys
from functools import cache
from importlib.metadata import version as installed
from inspect import Signature, getdoc, getmro, isclass
from inspect import signature as signature_of
from pathlib import Path

from docutils.nodes import SkipNode, field, image, literal_block
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

project = "confmat"
author = "the confmat developers"
release = version = installed("confmat")

# Markdown sources, and docstrings where a page asks for them.
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# Formulas become MathML here, so that no page waits for a script from another host.
html_math_renderer = "mathml"
# The members of a class are in the order in which they are written: it was chosen.
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# The type of the result is always there; a parameter without a description is explained by the
# class or the summary.
autodoc_typehints_description_target = "documented_params"
# Attributes that a docstring describes are listed with it; a second entry for each would be
# ambiguous.
napoleon_use_ivar = True
# The pages of their faces are made without them.
autodoc_mock_imports = ["keras", "torch", "torchmetrics"]
# $...$ is mathematics; a heading can be linked to by its words.
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
# Every reference must lead somewhere.
nitpicky = True
# NumPy's and the standard library's own names are explained there, and looking them up would need a
# network; and the inner modules of these rooms have no page.
_KEPT = (
    r"metrics|io|core\.building\.Pairs|display\.roles|intervals\.(?:asked|clusters|gradient|prevalence|raters|variance)|reporting\.value\.Intervals"
    r"|segmentation\.segments\.Images|core\.samples\.Units|core\.tables\.Drawn|detection\.counting\.BoxOptions|judging\.planning\.GoldPlan"
    r"|calibrating\.(?:bins|value)|comparison\.gaps\.GroupScores|counting\.planning\.Rules|structure\.arrangement\.Branches"
)
nitpick_ignore_regex = [("py:.*", rf"(?!confmat\.[a-z]).*|confmat\.(?:{_KEPT})(?:\..*)?")]

# So many characters of an output are side by side on a page.
WIDTH = 92

html_theme = "furo"
html_static_path = ["_static"]
# Language models read it first.
html_extra_path = ["llms.txt"]
html_css_files = ["confmat.css"]
html_js_files = [("confmat.js", {"defer": "defer"})]
# Every name has a page, and the search finds it by the words that are declared for it.
html_use_index = False
html_copy_source = False
html_title = f"confmat {release}"
# The licence says it.
html_show_copyright = False
exclude_patterns = ["_build", "_ext"]

# One page a metric, written from the declarations at every build.
sys.path.insert(0, str(Path(__file__).parent))

from generate_reference import generate  # noqa: E402 - found beside this file

generate()


def _one_signature(_app, what, _name, obj, _options, signature, returned):
    """Give a function its own signature alone, without those of its overloads and without what it catches to refuse."""
    for module in {
        each.__module__
        for each in (getmro(obj) if isclass(obj) else [obj])
        if hasattr(each, "__module__")
    }:
        try:
            analyzer = ModuleAnalyzer.for_module(module)
            analyzer.analyze()
        except PycodeError:
            continue
        analyzer.overloads.clear()
    if what == "class" and signature == "(*args, **kwargs)":
        # The base is not installed; this is the class's own.
        given = [
            each.replace(annotation=each.empty)
            for each in signature_of(obj.__init__).parameters.values()
        ]
        return str(Signature(given[1:])), returned
    for star, each in re.findall(r"(\*{1,2})(\w+)", signature or ""):
        if not re.search(
            rf"^\s*(?:.*, )?\*{{0,2}}{each}(?:,.*)?$", getdoc(obj) or "", re.MULTILINE
        ):
            signature = signature.replace(f"{star}{each}", "*" if star == "*" else "**")
    return (re.sub(r"(?:, |(?<=\())\*{1,2}(?=\))", "", signature), returned) if signature else None


def _math(self, node):
    """Write a formula, inline or displayed, as MathML."""
    self.body.append(tex2mathml(node.astext(), as_block=node.tagname == "math_block"))
    raise SkipNode


def _found_by(app):
    """Enter the words at the heads of pages, `search`, into the search index, so that they find these pages first."""
    for name, facts in app.env.metadata.items():
        words = filter(None, facts.get("search", "").split("; "))
        # The builder would enter them from the pages that it writes now, and forget those of all
        # others.
        app.builder.indexer._index_entries[name] = [(word, "", "main") for word in words]
    return []


@cache
def _tree(builder, group):
    tree = builder._get_local_toctree(
        group, collapse=False, titles_only=True, maxdepth=-1, includehidden=True
    )
    return tree.replace('href="#"', f'href="{Path(group).name}.html"')


def _sidebar(app, name, _template, context, _tree_of_page):
    """Give the many pages of a group the sidebar of that group, made once; one for each would be most of the build."""
    group = app.env.metadata.get(name, {}).get("within")
    if group:
        context["toctree"] = lambda **_options: _tree(app.builder, str(Path(name).with_name(group)))


def _whole_types(_app, _domain, _kind, content):
    """Leave out types that say nothing."""
    for each in list(content.findall(field)):
        if each[0].astext().startswith("type ") and each[1].astext() == "Any":
            each.parent.remove(each)


def _wrapped_sentences(_app, tree):
    """Mark outputs whose long lines are sentences, which a reader should not have to scroll to the verdict."""
    for block in tree.findall(literal_block):
        long = [line for line in block.astext().splitlines() if len(line) > WIDTH]
        if (
            block.get("language") == "text"
            and long
            and not any("  " in line.strip() for line in long)
        ):
            block["classes"].append("sentences")


def _suited_pictures(app, tree):
    """Show pictures at half their pixels, for sharp screens, and on dark pages those that are made for them."""
    for node in list(tree.findall(image)):
        path = Path(app.srcdir, app.env.docname).parent / node["uri"]
        dark = path.with_stem(path.stem + "-dark")
        if not dark.exists():
            continue
        # A PNG file begins with its signature, and the width is behind the name of its first
        # block.
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
    app.connect("autodoc-process-signature", _one_signature)
    app.add_html_math_renderer("mathml", (_math, None), (_math, None))
    # After autodoc has added the types, and before they are set.
    app.connect("object-description-transform", _whole_types, priority=600)
    # Before the theme asks for the tree.
    app.connect("html-page-context", _sidebar, priority=400)
    app.connect("html-collect-pages", _found_by)
    app.connect("doctree-read", _wrapped_sentences)
    # Before Sphinx collects the pictures of a page.
    app.connect("doctree-read", _suited_pictures, priority=400)
