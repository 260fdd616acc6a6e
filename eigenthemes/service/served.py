"""The KBs of a service by name, and how new ones replace them while the service runs.

Every process opens a new KB beside the old one; all serve it once all have it. A KB that cannot be opened changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from eigenthemes.errors import EigenthemesError, KBError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker, LinkOptions
from eigenthemes.pipeline.batch import BatchMaker
from eigenthemes.service.settings import Reloaded, named_paths

Result = TypeVar("Result")

_LINKERS = 64  # kept open per KB
_THREADS = 4  # for work that is too long for the event loop and not for the batcher
_WARM_MENTIONS = 80  # enough to load the compiled look-up


@dataclass(frozen=True)
class ServedKB:
    """A KB under its name, with the linkers of the options used lately."""

    name: str
    path: Path
    kb: KB
    linkers: dict[LinkOptions, Linker] = field(default_factory=dict)  # that are open
    _batches: dict[Any, BatchMaker] = field(default_factory=dict)
    _opening: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, name: str, path: Path) -> ServedKB:
        """Open a KB and link once, so that everything is loaded and compiled."""
        served = cls(name, path, KB.open(path))
        served.warm_up()
        return served

    @property
    def state(self) -> str:
        """A short hash that changes whenever the KB changes."""
        return str(self.kb.manifest.get("sha256") or self.kb.manifest["data"])[:12]

    def linker(self, options: LinkOptions = LinkOptions()) -> Linker:  # noqa: B008  frozen
        """Return the linker with these options; any number of threads may call it."""
        linker = self.linkers.get(options)
        if linker is None:
            with self._opening:
                linker = self.linkers.get(options) or self._open_linker(options)
        return linker

    def _open_linker(self, options: LinkOptions) -> Linker:
        """Open a linker; it shares its batch maker, which is warm, with linkers that find the same mentions and candidates."""
        linker = Linker(self.kb, options=options)
        key = (linker.method.calibrated, options.detector, options.language)
        linker.batches = self._batches.setdefault(key, linker.batches)
        if len(self.linkers) >= _LINKERS:
            del self.linkers[next(iter(self.linkers))]
        self.linkers[options] = linker
        return linker

    def warm_up(self) -> None:
        """Link the KB's own names, with explanations if possible, and search for one."""
        linker = self.linker()
        names = [self.kb.label_of(index) for index in range(min(_WARM_MENTIONS, len(self.kb)))]
        mentions = [{"text": names[i % len(names)]} for i in range(_WARM_MENTIONS if names else 0)]
        documents: list[Any] = [{"mentions": mentions}, {"text": ", ".join(names[:5])}]
        for document in documents:
            linker.link(document)
        if linker.method.calibrated:
            self.linker(LinkOptions(explain=True)).link({"mentions": mentions[:5]})
        self.kb.search(names[0] if names else "")


Reload = Callable[[], Awaitable[Reloaded]]


class ServedKBs:
    """The KBs of a service by name; the first is the default.

    Attributes
    ----------
    kbs : dict
        The KBs that are served; empty until they are open.
    prepared : dict, optional
        The KBs that `commit` will serve.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self.paths = named_paths(paths)
        self.kbs: dict[str, ServedKB] = {}
        self.prepared: dict[str, ServedKB] | None = None
        self.threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="eigenthemes")

    @classmethod
    def open(cls, paths: Sequence[str | Path]) -> ServedKBs:
        """Open KBs, ready to link."""
        served = cls(paths)
        if error := served.prepare():
            raise error
        served.commit()
        return served

    @property
    def names(self) -> list[str]:
        """The names of all KBs."""
        return list(self.paths)

    @property
    def states(self) -> dict[str, str]:
        """The state of each KB by its name."""
        return {name: kb.state for name, kb in self.kbs.items()}

    def get(self, name: str | None = None) -> ServedKB:
        """Return the KB of a name; None: the first."""
        served = self.kbs.get(self.names[0] if name is None else name)
        if served is None:
            problem = f"no KB named {str(name)[:80]!r} is served; expected one of {', '.join(self.names)}"
            raise OptionError(problem, code="kb-unknown", where="kb")
        return served

    def prepare(self) -> EigenthemesError | None:
        """Open KBs that have changed beside those that are served; return the error if one cannot be used. Slow."""
        self.prepared = None
        try:
            self.prepared = {name: self._prepared(name, path) for name, path in self.paths.items()}
        except EigenthemesError as error:
            return error
        except Exception as error:  # a damaged array can fail anywhere
            return KBError(f"a KB cannot be used ({type(error).__name__}); build it again", code="kb-damaged")
        return None

    def _prepared(self, name: str, path: Path) -> ServedKB:
        old = self.kbs.get(name)
        if old is not None and KB.open(path).manifest == old.kb.manifest:
            return old
        return ServedKB.open(name, path)

    def commit(self) -> Reloaded:
        """Serve the prepared KBs from now on; requests that use an old one finish with it."""
        before, self.kbs, self.prepared = self.kbs, self.prepared or self.kbs, None
        replaced = tuple(name for name, kb in self.kbs.items() if before.get(name) is not kb)
        return Reloaded(replaced, tuple(name for name in self.names if name not in replaced))

    async def reload(self) -> Reloaded:
        """Prepare and commit: for a service of one process."""
        error = await self.run(self.prepare)
        return self.commit() if error is None else Reloaded(error=error)

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)
