"""Files of corrections: gold documents as JSON lines, as training reads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from eigenthemes.core.storage import check_output, lock
from eigenthemes.documents.json_lines import document_of
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.service.json_http import each_document

NEEDED = 20  # mentions with gold that training needs to fit weights on them


@dataclass(frozen=True, slots=True)
class CorrectionFile:
    """The file of a KB's corrections; any number of processes may append to it."""

    path: Path

    def check(self) -> None:
        """Raise an `OptionError` if the file cannot be written."""
        try:
            check_output(self.path, OptionError, remedy="give another place for corrections")  # opening a pipe would block
            open(self.path, "ab").close()
        except OSError as error:
            sentence = f"corrections cannot be written to {self.path} ({error.strerror}); give another place"
            raise OptionError(sentence, code="corrections", where=str(self.path)) from None

    def append(self, records: Sequence[dict[str, Any]]) -> None:
        """Append documents, all or none; they are on the disk when it returns.

        Raises
        ------
        OSError
            The disk is full, or a limit of the file's size is reached: the file is as it was before.
        """
        lines = b"".join(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)
        with open(self.path, "a+b", buffering=0) as file:
            lock(file.fileno(), wait=True)
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":  # a crash may have cut the last line
                    lines = b"\n" + lines
            try:
                rest = memoryview(lines)
                while rest:  # a nearly full disk takes only some of it, without an error
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise

    def count(self) -> dict[str, int]:
        """Return the numbers of documents and of mentions, and the number of mentions that training needs."""
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        numbers = [number for line in lines if (number := _gold_mentions(line))]
        return {"count": len(numbers), "mentions": sum(numbers), "needed": NEEDED}


def correction_files(path: Path | None, names: Sequence[str]) -> dict[str, CorrectionFile]:
    """Return the corrections file of each KB by name: `FILE-NAME.jsonl` if there are several."""
    if path is None:
        return {}
    if len(names) == 1:
        return {names[0]: CorrectionFile(path)}
    return {name: CorrectionFile(path.with_name(f"{path.stem}-{name}{path.suffix}")) for name in names}


def gold_records(body: Any, kb: KB) -> list[dict[str, Any]]:
    """Return the documents of a request; refuse those without gold, and gold that is no id of the KB."""
    if body == []:
        raise DocumentError("there is no document; send one or more, with gold")
    each_document(body, lambda record: _check_gold(record, kb))
    return body if isinstance(body, list) else [body]


def _check_gold(record: Any, kb: KB) -> None:
    if not isinstance(record, dict):
        raise DocumentError('the document is no object; expected {"text", "mentions": [{"start", "end", "gold"}]}')
    document = document_of(record)
    corrected = [mention for mention in document.mentions or () if mention.gold is not None]
    if not corrected:
        raise DocumentError('"mentions" has no "gold"; give the right id of at least one mention, or null for none')
    for number, mention in enumerate(document.mentions or ()):
        for entity_id in mention.gold or ():
            if entity_id not in kb:
                problem = f'mention {number}: "gold" is {entity_id[:80]!r}'
                raise DocumentError(f"{problem}, and the KB has no such id; give one of its ids")


def _gold_mentions(line: bytes) -> int:
    try:
        record = orjson.loads(line)
        return sum("gold" in mention for mention in record["mentions"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return 0
