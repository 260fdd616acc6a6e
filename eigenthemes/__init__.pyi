"""The public names of the package, each with its module: imported when it is first used."""

from .build import (
    build_kb as build_kb,
    complete_vectors as complete_vectors,
    embed_kb as embed_kb,
    import_vectors as import_vectors,
)
from .names.generator import (
    CandidateGenerator as CandidateGenerator,
    CandidateTable as CandidateTable,
)
from .names.generator import CandidateOptions as CandidateOptions
from .documents.reader import read_documents as read_documents
from .errors import (
    BuildError as BuildError,
    DocumentError as DocumentError,
    EigenthemesError as EigenthemesError,
    KBDamagedError as KBDamagedError,
    KBError as KBError,
    KBExistsError as KBExistsError,
    KBNotFoundError as KBNotFoundError,
    KBVersionError as KBVersionError,
    MissingExtraError as MissingExtraError,
    OptionError as OptionError,
    SourceError as SourceError,
    UnknownEntityError as UnknownEntityError,
    VectorError as VectorError,
    WorkerError as WorkerError,
)
from .evaluation.comparison import (
    Evaluation as Evaluation,
    MethodScores as MethodScores,
    evaluate as evaluate,
)
from .explanations import (
    CandidateMap as CandidateMap,
    ColumnReason as ColumnReason,
    ExplainedCandidate as ExplainedCandidate,
    Explanation as Explanation,
    MapPoint as MapPoint,
    MapSupport as MapSupport,
    MemoryReason as MemoryReason,
    Reason as Reason,
    RowReason as RowReason,
    Support as Support,
    TopicReason as TopicReason,
)
from .kb.graph import Graph as Graph
from .kb.store import KB as KB
from .kg.options import ReadOptions as ReadOptions
from .linker import (
    Linker as Linker,
    LinkOptions as LinkOptions,
)
from .pipeline.batch import Batch as Batch
from .ranking.methods import Method as Method
from .ranking.options import (
    AverageOptions as AverageOptions,
    ContextOptions as ContextOptions,
    EigenOptions as EigenOptions,
)
from .records import (
    Candidate as Candidate,
    Document as Document,
    Entity as Entity,
    Link as Link,
    LinkedDocument as LinkedDocument,
    LinkedTable as LinkedTable,
    Mention as Mention,
    Neighbor as Neighbor,
    PlainMentions as PlainMentions,
    RankedCandidate as RankedCandidate,
    Table as Table,
)
from .tables.arrow_batches import (
    arrow_json_lines as arrow_json_lines,
    link_arrow as link_arrow,
    linked_schema as linked_schema,
)
from .tables.frames import link_frame as link_frame
from .tables.table_file import TableOptions as TableOptions
from .tables.table_stream import link_table_file as link_table_file
from .text.normalize import (
    normalize as normalize,
    tokenize as tokenize,
)
from .train import train_kb as train_kb

__version__: str
