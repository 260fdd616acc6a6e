"""Link names in text and tables to your own knowledge graph.

from eigenthemes import Linker, build_kb

build_kb(["mykg.nt.gz"], "my.kb")
for link in Linker.open("my.kb").link("Michael Jordan wrote in Science.").links:
    print(link.mention.text, link.entity, link.label)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from eigenthemes.build import build_kb, embed_kb, import_vectors, train_kb
    from eigenthemes.candidates.generator import CandidateGenerator, CandidateTable
    from eigenthemes.errors import EigenthemesError
    from eigenthemes.kb.graph import Graph
    from eigenthemes.kb.store import KB
    from eigenthemes.kg.options import ReadOptions
    from eigenthemes.linker import Linker
    from eigenthemes.records import Candidate, Document, Link, LinkedDocument, Mention
    from eigenthemes.text.normalize import normalize, tokenize

_HOME = {
    "KB": "kb.store",
    "Candidate": "records",
    "CandidateGenerator": "candidates.generator",
    "CandidateTable": "candidates.generator",
    "Document": "records",
    "EigenthemesError": "errors",
    "Graph": "kb.graph",
    "Link": "records",
    "LinkedDocument": "records",
    "Linker": "linker",
    "Mention": "records",
    "ReadOptions": "kg.options",
    "build_kb": "build",
    "embed_kb": "build",
    "import_vectors": "build",
    "normalize": "text.normalize",
    "tokenize": "text.normalize",
    "train_kb": "build",
}

__all__ = [
    "KB",
    "Candidate",
    "CandidateGenerator",
    "CandidateTable",
    "Document",
    "EigenthemesError",
    "Graph",
    "Link",
    "LinkedDocument",
    "Linker",
    "Mention",
    "ReadOptions",
    "__version__",
    "build_kb",
    "embed_kb",
    "import_vectors",
    "normalize",
    "tokenize",
    "train_kb",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when first used: `import eigenthemes` itself costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
