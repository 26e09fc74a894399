"""Configuration of Sphinx, which builds the documentation site and the man page. The source folder is the repository.

sphinx-build -W -c docs/site . build/docs
"""

import ast
import inspect
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from docutils import nodes
from pygments.lexers.data import JsonLexer
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

import cardtable
from cardtable.cli.club import CLUB_COMMANDS
from cardtable.cli.completion_scripts import COMPLETION_COMMANDS
from cardtable.cli.main import COMMANDS, FRONT_END_OPTIONS

project = "cardtable"
author = "The cardtable developers"
project_copyright = author
version = release = cardtable.__version__
today_fmt = "%Y-%m-%d"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_click"]
root_doc = "docs/site/index"
include_patterns = [
    "*.md", "benchmarks/README.md", "build/reports/*.md", "cardtable/**.md", "docs/**.md", "examples/*/README.md",
]  # fmt: skip
exclude_patterns = ["**/.*", "build/[!r]*", "dist", "tests", "wheels"]
suppress_warnings = ["myst.header"]  # pages of the repository begin below a title

smartquotes = False

html_theme = "furo"
html_title = f"cardtable {version}"
html_favicon = "../../packaging/share/icons/hicolor/scalable/apps/io.github.cardtable.cardtable.svg"
html_additional_pages = {"index": "redirect.html"}
html_copy_source = False
html_show_sourcelink = False
templates_path = ["templates"]

man_pages = [("docs/site/command-line", "cardtable", "card games in a terminal", [author], 1)]
man_show_urls = True

myst_enable_extensions = ["attrs_block", "deflist"]
myst_heading_anchors = 4

autodoc_default_options = {"members": True, "undoc-members": True, "show-inheritance": True, "no-value": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_use_type_comments = False
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?!cardtable\.).*"),  # names of other libraries
    (r"py:.*", r"cardtable\.[\w.]+\.([OSTVW]|BV|TV|V_co|S_co)"),  # type variables
    (r"py:.*", r"cardtable\.testing\.cases\.Case"),  # no part of the interface
    (r"py:.*", r"cardtable\.ui\.(toolkit\.painting\.themes\.Theme|keys\.keymap\.Keymap)"),  # no part of the interface
]

logger = logging.getLogger(__name__)


def load_commands() -> None:
    """Import the modules of all commands, which the program imports on demand."""
    for table in (COMMANDS, CLUB_COMMANDS, COMPLETION_COMMANDS):
        for module, _ in table.values():
            import_module(f"cardtable.cli.{module}")


def omit_front_end_options(_app, context, lines) -> None:
    """Remove the options that every command accepts from the options of all commands but the program itself."""
    if context.parent is None:
        return
    text, remaining = iter(lines), []
    for line in text:
        if line.startswith(".. option::"):
            is_omitted = line.removeprefix(".. option::").strip().lstrip("-") in FRONT_END_OPTIONS
        if not is_omitted:
            remaining.append(line)
    lines[:] = remaining


def mark_required_options(_app, _context, lines) -> None:
    """Write that an option is required after its description, as a word."""
    lines[:] = [re.sub(r"\*\*Required\*\* (.*)", r"\1 Required.", line) for line in lines]


def escape_help(_app, _context, lines) -> None:
    """Escape what reStructuredText would take for markup in help texts; backticks enclose literal text in them."""
    for number, line in enumerate(lines):
        if not re.match(r"\.\. option::|\s+:(default|options): ", line):
            lines[number] = re.sub(
                r"`([^`]+)`|([*_|:\\])", lambda part: f"``{part[1]}``" if part[1] else f"\\{part[2]}", line
            )


def omit_arguments(_app, _context, lines) -> None:
    """Leave out the list of arguments, which repeats the usage."""
    lines.clear()


def title_command_sections(_app, doctree) -> None:
    """Give the section of each command the words of its usage as the title, such as ``club ban``.

    The section of all commands, which the directive puts into the section before it, gets a place beside that.
    """
    for section in [*doctree.findall(nodes.section)]:
        usage = next((node for node in section.children if isinstance(node, nodes.literal_block)), None)
        words, options, _ = usage.astext().partition(" [OPTIONS]") if usage else ("", "", "")
        if options and words.startswith("cardtable"):
            section[0].children = [nodes.Text(words.removeprefix("cardtable ") if " " in words else "Commands")]
            if " " not in words:
                before = section.parent
                before.remove(section)
                before.parent.insert(before.parent.index(before) + 1, section)


def unlink_other_files(app, doctree) -> None:
    """Leave the words alone of relative links to folders and to files that are no pages of the site."""
    for kind in (addnodes.pending_xref, addnodes.download_reference):
        for node in [*doctree.findall(kind)]:
            if node.get("reftype") != "myst" or node.get("refdomain"):
                continue
            if Path(app.srcdir, Path(node["refdoc"]).parent, node["reftarget"]).exists():
                node.replace_self(nodes.inline("", "", *node.children))


def tidy_man_page(app, _error) -> None:
    """Remove requests for space after headings, which set their own."""
    for page in Path(app.outdir).glob("*.1"):
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"^(\.S[HS] .*\n)\.sp\n", r"\1", text, flags=re.MULTILINE), encoding="utf-8")


def iter_undocumented_names(module):
    """Yield the public names that a module defines without a docstring; type variables need none."""
    body = ast.parse(inspect.getsource(module)).body
    for node, following in pairwise([*body, None]):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                names, has_docstring = [node.name], ast.get_docstring(node)
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
                has_docstring = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            case _:
                continue
        for name in names:
            if not (has_docstring or name.startswith("_") or isinstance(getattr(module, name), TypeVar)):
                yield name


def require_docstrings(_app, object_type, name, obj, _options, lines) -> None:
    """Warn about names of the reference without a docstring, which makes the build fail.

    Fields and properties may go without: a name and a type can say everything.
    """
    if object_type == "method" and not any(lines):
        logger.warning("%s has no docstring", name)
    if object_type == "module":
        for undocumented in iter_undocumented_names(obj):
            logger.warning("%s.%s has no docstring", name, undocumented)


def link_to_data(app, environment, node, content):
    """Return a link to a name of the reference that is used as a type and is not a class, such as ``Card``."""
    if node.get("refdomain") != "py":
        return None
    return environment.domains["py"].resolve_xref(
        environment, node["refdoc"], app.builder, "obj", node["reftarget"], node, content
    )


def setup(app: Sphinx) -> None:
    """Register the extensions of this file."""
    load_commands()
    app.add_lexer("mermaid", TextLexer)
    app.add_lexer("jsonl", JsonLexer)
    app.connect("sphinx-click-process-options", omit_front_end_options)
    app.connect("sphinx-click-process-options", mark_required_options)
    for part in ("description", "options", "epilog"):
        app.connect(f"sphinx-click-process-{part}", escape_help)
    app.connect("sphinx-click-process-arguments", omit_arguments)
    app.connect("doctree-read", title_command_sections)
    app.connect("doctree-read", unlink_other_files)
    app.connect("missing-reference", link_to_data)
    app.connect("build-finished", tidy_man_page)
    app.connect("autodoc-process-docstring", require_docstrings)
