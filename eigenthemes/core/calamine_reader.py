"""Read a workbook with calamine in a separate process.

calamine allocates the rectangle that a sheet covers at once. A single cell far away takes more memory than there is, and the
process is aborted: this one, not the user's. As a script: a workbook on standard input, a pickled result on standard output.
"""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
from typing import Any

MOST_MEMORY = 4 << 30  # bytes of address space

# what the script answers with: a result, or the reason why there is none
DONE, LOCKED, DAMAGED = "done", "locked", "damaged"


def run_calamine(data: bytes, sheet: str | None = None) -> tuple[str, Any]:
    """Return (DONE, the rows of a sheet, or the names of all sheets), or (LOCKED or DAMAGED, a message)."""
    command = [sys.executable, "-P", __file__, *([] if sheet is None else [sheet])]
    answer = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if answer.returncode or not answer.stdout:
        return DAMAGED, f"its cells need more than {MOST_MEMORY >> 30} GB of memory"
    status, value = pickle.loads(answer.stdout)
    return status, value


def _read(data: bytes, sheet: str | None) -> Any:
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    if sheet is not None:
        return book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    return [each.name for each in book.sheets_metadata if each.typ == python_calamine.SheetTypeEnum.WorkSheet]


def main(arguments: list[str]) -> None:
    """Write the answer of `run_calamine` to standard output."""
    import python_calamine

    _limit_memory()
    try:
        answer = (DONE, _read(sys.stdin.buffer.read(), arguments[0] if arguments else None))
    except python_calamine.PasswordError:
        answer = (LOCKED, "")
    except MemoryError:
        raise SystemExit(1) from None
    except Exception as error:  # whatever calamine finds wrong with a damaged file
        answer = (DAMAGED, " ".join(str(error).split())[:120] or type(error).__name__)
    sys.stdout.buffer.write(pickle.dumps(answer))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows: an allocation that is far too large fails all the same
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    main(sys.argv[1:])
