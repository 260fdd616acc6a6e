"""Link names in text and tables to your own knowledge graph.

from eigenthemes import Linker, build_kb

build_kb(["mykg.nt.gz"], "my.kb")
for link in Linker("my.kb").link("Michael Jordan wrote in Science.").links:
    print(link.mention.text, link.entity, link.label)
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # as in typing, whose import takes longer than all else here: Ctrl-C would meet it
if TYPE_CHECKING:
    from typing import Any

    from eigenthemes.arrow import arrow_json_lines, link_arrow, linked_schema
    from eigenthemes.build import build_kb, complete_vectors, embed_kb, import_vectors, train_kb
    from eigenthemes.candidates.generator import CandidateGenerator, CandidateTable
    from eigenthemes.candidates.options import CandidateOptions
    from eigenthemes.documents.reader import read_documents
    from eigenthemes.documents.table_files.table_file import TableOptions
    from eigenthemes.errors import (
        BuildError,
        DocumentError,
        EigenthemesError,
        KBDamagedError,
        KBError,
        KBExistsError,
        KBNotFoundError,
        KBVersionError,
        MissingExtraError,
        OptionError,
        SourceError,
        VectorError,
        WorkerError,
    )
    from eigenthemes.evaluation.comparison import evaluate
    from eigenthemes.explanations import (
        CandidateMap,
        ColumnReason,
        ExplainedCandidate,
        Explanation,
        MapPoint,
        MapSupport,
        MemoryReason,
        Reason,
        RowReason,
        Support,
        TopicReason,
    )
    from eigenthemes.frames import link_frame
    from eigenthemes.kb.graph import Graph
    from eigenthemes.kb.store import KB
    from eigenthemes.kg.options import ReadOptions
    from eigenthemes.linker import Linker, LinkOptions
    from eigenthemes.ranking.options import AverageOptions, ContextOptions, EigenOptions
    from eigenthemes.records import (
        Candidate,
        Document,
        Entity,
        Link,
        LinkedDocument,
        LinkedTable,
        Mention,
        Neighbor,
        PlainMentions,
        RankedCandidate,
        Table,
    )
    from eigenthemes.table_stream import link_table_file
    from eigenthemes.text.normalize import normalize, tokenize

_NAMES = {
    "arrow": ("arrow_json_lines", "link_arrow", "linked_schema"),
    "build": ("build_kb", "complete_vectors", "embed_kb", "import_vectors", "train_kb"),
    "candidates.generator": ("CandidateGenerator", "CandidateTable"),
    "candidates.options": ("CandidateOptions",),
    "documents.reader": ("read_documents",),
    "errors": (
        "BuildError",
        "DocumentError",
        "EigenthemesError",
        "KBDamagedError",
        "KBError",
        "KBExistsError",
        "KBNotFoundError",
        "KBVersionError",
        "MissingExtraError",
        "OptionError",
        "SourceError",
        "VectorError",
        "WorkerError",
    ),
    "documents.table_files.table_file": ("TableOptions",),
    "evaluation.comparison": ("evaluate",),
    "frames": ("link_frame",),
    "kb.graph": ("Graph",),
    "kb.store": ("KB",),
    "kg.options": ("ReadOptions",),
    "linker": ("LinkOptions", "Linker"),
    "ranking.options": ("AverageOptions", "ContextOptions", "EigenOptions"),
    "explanations": (
        "CandidateMap",
        "ColumnReason",
        "ExplainedCandidate",
        "Explanation",
        "MapPoint",
        "MapSupport",
        "MemoryReason",
        "Reason",
        "RowReason",
        "Support",
        "TopicReason",
    ),
    "records": (
        "Candidate",
        "Document",
        "Entity",
        "Link",
        "LinkedDocument",
        "LinkedTable",
        "Mention",
        "Neighbor",
        "PlainMentions",
        "RankedCandidate",
        "Table",
    ),
    "table_stream": ("link_table_file",),
    "text.normalize": ("normalize", "tokenize"),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "KB",
    "AverageOptions",
    "BuildError",
    "Candidate",
    "CandidateGenerator",
    "CandidateMap",
    "CandidateOptions",
    "CandidateTable",
    "ColumnReason",
    "ContextOptions",
    "Document",
    "DocumentError",
    "EigenOptions",
    "EigenthemesError",
    "Entity",
    "ExplainedCandidate",
    "Explanation",
    "Graph",
    "KBDamagedError",
    "KBError",
    "KBExistsError",
    "KBNotFoundError",
    "KBVersionError",
    "Link",
    "LinkOptions",
    "LinkedDocument",
    "LinkedTable",
    "Linker",
    "MapPoint",
    "MapSupport",
    "MemoryReason",
    "Mention",
    "MissingExtraError",
    "Neighbor",
    "OptionError",
    "PlainMentions",
    "RankedCandidate",
    "ReadOptions",
    "Reason",
    "RowReason",
    "SourceError",
    "Support",
    "Table",
    "TableOptions",
    "TopicReason",
    "VectorError",
    "WorkerError",
    "__version__",
    "arrow_json_lines",
    "build_kb",
    "complete_vectors",
    "embed_kb",
    "evaluate",
    "import_vectors",
    "link_arrow",
    "link_frame",
    "link_table_file",
    "linked_schema",
    "normalize",
    "read_documents",
    "tokenize",
    "train_kb",
]


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used: `import eigenthemes` itself costs nothing."""
    from importlib import import_module

    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
