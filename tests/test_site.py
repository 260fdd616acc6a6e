"""The documentation site: every page has its place, it builds without a warning, and nothing on it leads nowhere or out."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from helpers.files import ROOT

import eigenthemes

yaml = pytest.importorskip("yaml", reason="the site is built where mkdocs is: the extra [test], or [docs]")
for package in ("mkdocs", "material", "mkdocstrings", "griffe"):
    pytest.importorskip(package, reason=f"the site needs {package}: the extra [test], or [docs]")

DOCS = ROOT / "docs"


class _Loader(yaml.SafeLoader):  # type: ignore[misc,name-defined]
    """Reads mkdocs.yml without making the Python objects it names."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, tag, node: None)


def module_of(name: str) -> ModuleType:
    """A module of docs/site/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", DOCS / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    return module_of("hooks")


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)
    return loaded


def pages_in(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages_in(part)]


def test_every_page_is_in_the_navigation(config: dict[str, Any], hooks: ModuleType) -> None:
    listed = pages_in(config["nav"])
    there = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    there |= {*hooks.PAGES.values(), *hooks.NOTEBOOKS.values()}
    missing = sorted(there - set(listed))
    assert not missing, f"mkdocs.yml: nav has no line for {', '.join(missing)}; add it to the section where people look for it"
    assert sorted(set(listed)) == sorted(listed)
    assert set(listed) <= there


def test_nothing_is_fetched(config: dict[str, Any]) -> None:
    assert config["theme"]["font"] is False
    assert not [each for each in (*config.get("extra_css", ()), *config.get("extra_javascript", ())) if "//" in each]


def test_every_public_name_is_on_an_api_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    shown = set(re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE))
    for name in set(eigenthemes.__all__) - {"__version__"}:
        module = getattr(eigenthemes, name).__module__
        assert {f"{module}.{name}", module} & shown, f"{name} is on no page of docs/api"


def test_links_lead_on_the_site_where_they_lead_in_the_repository(hooks: ModuleType) -> None:
    assert hooks.site_path("README.md", "docs/tables.md") == "tables.md"
    assert hooks.site_path("docs/tables.md", "../README.md") == "index.md"
    assert hooks.site_path("docs/cookbook/obo.md", "../formats.md") == "formats.md"
    assert hooks.site_path("docs/embeddings.md", "../benchmarks/results/embeddings.png") == "benchmarks/results/embeddings.png"
    assert hooks.site_path("README.md", "docs/tutorial.ipynb") == "tutorial.md"
    assert hooks.site_path("README.md", "https://example.org/docs/tables.md") is None
    assert hooks.site_path("README.md", "docs/nowhere.md") is None


def test_code_is_no_link(hooks: ModuleType) -> None:
    class Page:
        class file:
            src_uri, dest_uri = "cookbook/obo.md", "cookbook/obo/index.html"

    code = "```\n[b](../../README.md)\n```\n"
    image = '![d](../images/page.png) <img alt="" src="../images/page.png">'
    text = f"[a](../formats.md#brat)\n\n{code}[c](../../README.md) {image}\n"
    turned = hooks.on_page_markdown(text, Page, None, None)
    assert turned == text.replace("[c](../../README.md)", "[c](../index.md)").replace('src="../', 'src="../../')


PUBLIC = sorted(set(eigenthemes.__all__) - {"__version__"})


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_of_public_names_are_in_numpy_style(name: str) -> None:
    """A list of names and what they are, which mkdocstrings would show as one paragraph, is a section of parameters."""
    public = getattr(eigenthemes, name)
    members = [member for key, member in vars(public).items() if not key.startswith("_")] if isinstance(public, type) else []
    for documented in (public, *members):
        docstring = inspect.getdoc(documented) if callable(documented) else None
        assert not re.search(r"^\w+(, \w+)*  +\S", docstring or "", re.MULTILINE), docstring


class _Links(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.links, self.ids = list[str](), set[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and tag in ("a", "img", "link", "script"):
                self.links.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_builds_and_all_its_links_lead_somewhere(site: Path) -> None:
    files = [file.resolve() for file in site.rglob("*.html") if file.name != "404.html"]
    pages = {file: _Links(file.read_text(encoding="utf-8")) for file in files}
    assert len(pages) > 40
    lost = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme in ("http", "https", "mailto")
                continue
            path, anchor = urldefrag(link)
            target = (file.parent / unquote(path)).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (anchor and target in pages and unquote(anchor) not in pages[target].ids):
                lost.append((file.relative_to(site.resolve()).as_posix(), link))
    assert not lost


@pytest.mark.slow
def test_nothing_on_the_site_is_loaded_from_elsewhere(site: Path) -> None:
    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"([^\"]+)\"", text)
        loaded += re.findall(r"<link[^>]*rel=\"(?:stylesheet|preconnect|preload)\"[^>]*href=\"([^\"]+)\"", text)
        assert not [each for each in loaded if "//" in each], file


@pytest.mark.slow
def test_the_site_shows_the_readme_the_notebook_and_docstrings(site: Path) -> None:
    def page(path: str) -> str:
        return (site / path / "index.html").read_text(encoding="utf-8")

    assert "no annotated data, no GPU" in page(".")
    assert 'data-id="https://example.org/demo/michael_i_jordan"' in page("tutorial")
    assert "Link the mentions of documents to the entities of a KB" in page("api/linker")
    assert re.search(r"doc-section-title[^>]*>Parameters:.*?<code>threshold</code>", page("api/linker"), re.DOTALL)
    assert "Least probability of a link" in page("api/linker")
    assert "flights.kb" in page("cookbook/openflights")
    assert "LinkedDocument" in page("api/records")
    assert "_view" not in page("api/records")
