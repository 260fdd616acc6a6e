"""The KBs that are served, each under its name: opened, warm, and replaced as a whole when a new one of the name is there."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from eigenthemes.candidates.rules import Sharing
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import BatchMaker
from eigenthemes.ranking.methods import default_method, method_named, scoring_options
from eigenthemes.service.kb_names import named_paths
from eigenthemes.service.options import LinkOptions

Result = TypeVar("Result")

_LINKERS = 64  # of a KB, by their options
_THREADS = 4  # for what takes longer than the loop can wait, and is not for the batcher
_WARM_MENTIONS = 80  # more than those from which the compiled look-up is loaded


@dataclass(frozen=True)
class ServedKB:
    """A KB under its name, with a linker for each set of options that was asked for lately.

    generation  how often the KB of this name was replaced
    """

    name: str
    path: Path
    kb: KB
    generation: int = 0
    _batches: dict[tuple[Sharing | None, bool, str | None], BatchMaker] = field(default_factory=dict)
    _linkers: OrderedDict[LinkOptions, Linker] = field(default_factory=OrderedDict)
    _opening: Lock = field(default_factory=Lock)

    @classmethod
    def open(cls, name: str, path: Path, generation: int = 0) -> ServedKB:
        """Open a KB, and link once: whatever is loaded or compiled at first use is there when it returns."""
        kb = KB.open(path)
        kb.map_files()
        served = cls(name, path, kb, generation)
        served.warm_up()
        return served

    @property
    def state(self) -> str:
        """Return a string that changes whenever the KB changes."""
        return str(self.kb.manifest.get("sha256") or self.kb.manifest["data"])[:12]

    def linker(self, options: LinkOptions = LinkOptions()) -> Linker:  # noqa: B008  frozen
        """Return the linker of these options; any number of threads may ask."""
        with self._opening:
            linker = self._linkers.get(options)
            if linker is None:
                linker = self._linkers[options] = self._share(_open_linker(self.kb, options), options)
                if len(self._linkers) > _LINKERS:
                    self._linkers.popitem(last=False)
            else:
                self._linkers.move_to_end(options)
            return linker

    def _share(self, linker: Linker, options: LinkOptions) -> Linker:
        """Let linkers share a batch maker, which is warm, where they find the same mentions and the same candidates."""
        key = (linker.method.sharing, options.nested, options.lang)
        linker.batches = self._batches.setdefault(key, linker.batches)
        return linker

    def known_linker(self, options: LinkOptions) -> Linker | None:
        """Return the linker of these options if it is open already; never waits for one that is being opened."""
        linker = self._linkers.get(options)
        if linker is not None:
            with suppress(KeyError):  # forgotten by another thread this very moment
                self._linkers.move_to_end(options)
        return linker

    def warm_up(self) -> None:
        """Link the KB's own names, explained where that can be, and search for one."""
        linker = self.linker()
        names = [self.kb.label_of(index) for index in range(min(_WARM_MENTIONS, len(self.kb)))]
        mentions = [{"text": names[i % len(names)]} for i in range(_WARM_MENTIONS if names else 0)]
        documents: list[Any] = [{"mentions": mentions}, {"text": ", ".join(names[:5])}]
        for document in documents:
            linker.link(document)
        if linker.method.calibrated:
            self.linker(LinkOptions(explain=True)).link({"mentions": mentions[:5]})
        self.kb.search(names[0] if names else "")


def _open_linker(kb: KB, options: LinkOptions) -> Linker:
    name = options.method or default_method(kb)
    given = {} if options.k is None else {"k": options.k}
    return Linker(
        kb,
        method=name,
        threshold=options.threshold,
        allow_nil=options.nil,
        top=options.top,
        explain=options.explain,
        language=options.lang,
        detector="nested-names" if options.nested else "names",
        scoring=scoring_options({name: method_named(name)}, given)[name],
    )


class ServedKBs:
    """The KBs of a service by their names; the first is meant where none is named."""

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self.paths = named_paths(paths)
        self._served: dict[str, ServedKB] = {}
        self.threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="eigenthemes")

    @classmethod
    def open(cls, paths: Sequence[str | Path]) -> ServedKBs:
        """Open KBs, ready to link."""
        served = cls(paths)
        served.replace(served.prepare())
        return served

    @property
    def names(self) -> list[str]:
        return list(self.paths)

    @property
    def is_ready(self) -> bool:
        return bool(self._served)

    @property
    def states(self) -> dict[str, str]:
        """Name -> what changes whenever the KB of this name is changed."""
        return {name: kb.state for name, kb in self._served.items()}

    def get(self, name: str | None = None) -> ServedKB:
        """Return the KB of a name; None: the first."""
        served = self._served.get(self.names[0] if name is None else name)
        if served is None:
            raise OptionError(
                f"no KB named {str(name)[:80]!r} is served; expected one of {', '.join(self.names)}",
                code="kb-unknown",
                where="kb",
            )
        return served

    def all(self) -> list[ServedKB]:
        return list(self._served.values())

    def prepare(self) -> dict[str, ServedKB]:
        """Open the KBs as they are on the disk now, beside those that are served; those that have not changed stay."""
        prepared = {}
        for name, path in self.paths.items():
            old = self._served.get(name)
            if old is not None and KB.open(path).manifest == old.kb.manifest:
                prepared[name] = old
            else:
                prepared[name] = ServedKB.open(name, path, 0 if old is None else old.generation + 1)
        return prepared

    def replace(self, prepared: dict[str, ServedKB]) -> None:
        """Serve these from now on; whoever still uses an old one keeps it."""
        self._served = prepared

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in a thread, while the service goes on answering."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)
