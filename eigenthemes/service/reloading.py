"""A KB that was built anew replaces the old one while the service runs.

Every process opens and warms the new KB beside the old; only when all have it do they serve it. One that cannot be opened
leaves all of them as they are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from eigenthemes.errors import EigenthemesError, KBError
from eigenthemes.service.served import ServedKB, ServedKBs


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What became of a reload: the names of KBs that were replaced, and of those that are as they were; or the error."""

    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    error: EigenthemesError | None = None

    def to_dict(self) -> dict[str, Any]:
        if self.error is not None:
            raise KBError(f"{self.error} (the old KB is still served)", code=self.error.code, where=self.error.where)
        return {"replaced": list(self.replaced), "unchanged": list(self.unchanged)}


Reload = Callable[[], Awaitable[Reloaded]]


class Reloader:
    """The two steps of a reload in one process."""

    def __init__(self, served: ServedKBs) -> None:
        self.served = served
        self._prepared: dict[str, ServedKB] | None = None

    def prepare(self) -> EigenthemesError | None:
        """Open what is new; return what is wrong with it. Takes long: for a thread."""
        self._prepared = None
        try:
            self._prepared = self.served.prepare()
        except EigenthemesError as error:
            return error
        except Exception as error:  # a damaged array can fail anywhere
            return KBError(f"a KB cannot be used ({type(error).__name__}); build it again", code="kb-damaged")
        return None

    def commit(self) -> Reloaded:
        """Serve what was prepared."""
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return Reloaded(unchanged=tuple(self.served.names))
        before = {kb.name: kb for kb in self.served.all()}
        self.served.replace(prepared)
        replaced = tuple(name for name, kb in prepared.items() if before.get(name) is not kb)
        return Reloaded(replaced, tuple(name for name in prepared if name not in replaced))

    def abort(self) -> None:
        self._prepared = None

    async def reload(self) -> Reloaded:
        """Do both: for a service of one process."""
        error = await self.served.run(self.prepare)
        return self.commit() if error is None else Reloaded(error=error)
