"""Hooks of mkdocs: pages that are no Markdown in docs/ come to the site, and every link leads where it leads in the repository.

README.md is the home page; the changelog, CONTRIBUTING.md, the benchmarks and the documents of paper/ are pages, too; the
tutorial notebook becomes one with what its cells showed.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PAGES = {  # path in the repository -> path on the site, of pages from outside docs/
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "paper/README.md": "paper/index.md",
    "paper/docs/experiments.md": "paper/experiments.md",
    "paper/docs/raw-sources.md": "paper/raw-sources.md",
    "paper/docs/taumil.md": "paper/taumil.md",
    "paper/docs/cli.md": "paper/cli.md",
    "paper/results/local/report.md": "paper/results/local/report.md",
    "paper/results/tables/report.md": "paper/results/tables/report.md",
}
NOTEBOOKS = {"docs/tutorial.ipynb": "tutorial.md"}
ASSETS = ("benchmarks/results/*.png", "paper/results/*/figures/*.png", "NOTICE", "CITATION.cff", "LICENSE")

_LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_IMAGE = re.compile(r"(<img\b[^>]*?\bsrc=\")([^\"#]+)")
_PATH_AS_TEXT = re.compile(r"^\[(?:docs/)?([\w-]+)\.md\]\($")  # a path means nothing to a reader of the site
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies outside docs/, and the notebook."""
    for source, target in PAGES.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text(encoding="utf-8")))
    for source, target in NOTEBOOKS.items():
        files.append(File.generated(config, target, content=page_of_notebook(ROOT / source)))
    for pattern in ASSETS:
        for file in sorted(ROOT.glob(pattern)):
            files.append(File.generated(config, file.relative_to(ROOT).as_posix(), abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links of the repository into links of the site, outside of code."""
    source = {target: source for source, target in (PAGES | NOTEBOOKS).items()}.get(
        page.file.src_uri, f"docs/{page.file.src_uri}"
    )
    parts, at = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += _relinked(markdown[at : fence.start()], source, page.file), fence[0]
        at = fence.end()
    return "".join(parts) + _relinked(markdown[at:], source, page.file)


def _relinked(markdown: str, source: str, file: File) -> str:
    def link_of_markdown(link: re.Match[str]) -> str:
        target = site_path(source, link[2])
        if target is None:
            return link[0]
        opening = _PATH_AS_TEXT.sub(r"[\1](", link[1])
        return f"{opening}{posixpath.relpath(target, posixpath.dirname(file.src_uri) or '.')}{link[3] or ''}{link[4]}"

    def image_of_html(image: re.Match[str]) -> str:  # mkdocs leaves it alone, and the page stands in a folder of its own
        target = site_path(source, image[2])
        return image[0] if target is None else f"{image[1]}{posixpath.relpath(target, posixpath.dirname(file.dest_uri) or '.')}"

    return _IMAGE.sub(image_of_html, _LINK.sub(link_of_markdown, markdown))


def site_path(source: str, link: str) -> str | None:
    """Return where on the site a link leads that stands in a page of the repository; None: it leads out of it."""
    if "://" in link or link.startswith(("mailto:", "/")):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(link)))
    if target in PAGES | NOTEBOOKS:
        return (PAGES | NOTEBOOKS)[target]
    return target.removeprefix("docs/") if (ROOT / target).exists() else None


def page_of_notebook(notebook: Path) -> str:
    """Return a notebook as Markdown: its texts, its code, and what the cells showed."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = [_text(cell["source"]) if cell["cell_type"] == "markdown" else _code(cell) for cell in cells]
    where = f"*This page is the notebook `{notebook.relative_to(ROOT).as_posix()}` of the repository, as it was run.*"
    texts.insert(1, where)
    return "\n\n".join(texts) + "\n"


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def _code(cell: dict[str, Any]) -> str:
    return "\n\n".join([f"```python\n{_text(cell['source'])}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        html = re.sub(r"\n\s*\n", "\n", _text(data["text/html"]))  # a blank line would end it
        return f'<div class="output">\n{html}\n</div>'
    return f"```text\n{_text(output.get('text') or data['text/plain']).rstrip()}\n```"
