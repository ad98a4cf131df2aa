"""The site: `python -m sphinx -W docs docs/_build/html` builds it from this folder and the docstrings."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
# Notebooks run the command of this very installation.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

import pages
from docutils import nodes
from pygments.lexers import TextLexer
from sphinx.domains.python import PyObject

import dpselect

project = "dpselect"
author = "the dpselect authors"
copyright = "the dpselect authors"
release = version = dpselect.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build", "decisions"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
# Notebooks are stored without outputs and run here, in a folder that is gone afterwards; an error fails the build.
nb_execution_mode = "auto"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_number_source_lines = False
# Pages are written for readers of the repository too: links are plain paths.
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    name: name
    for name in ("ArrayLike", "NDArray", "Floats", "Integers", "Rows", "Some", "Draw", "LogLaw", "Entropy", "Entropies")
}
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
for field in PyObject.doc_field_types:
    if field.name == "variable":
        field.label = "Attributes"

# u' is another score, not an apostrophe.
smartquotes = False

html_theme = "furo"
html_title = "dpselect"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
highlight_language = "none"
html_theme_options = {"navigation_with_keys": True}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True


def draw_dashes(_app, page, _name):
    """Show the dash that Sphinx writes between a parameter and its words as one."""
    for text in list(page.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" \u2013 "))


def setup(app):
    """Write the reference pages before anything is read."""
    # Commands are shown in one colour: shell lexers colour half of a number.
    app.add_lexer("console", TextLexer)
    app.add_lexer("sh", TextLexer)
    app.connect("builder-inited", lambda _: pages.write_all())
    app.connect("source-read", pages.keep_links_inside)
    app.connect("source-read", pages.close_examples)
    app.connect("autodoc-process-signature", pages.readable_defaults)
    app.connect("doctree-resolved", draw_dashes)
    app.connect("autodoc-skip-member", pages.leave_out_requests)
    app.connect("autodoc-process-docstring", pages.show_as_written)
