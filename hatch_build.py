"""What `make wheel` adds to a wheel: kernels compiled for this platform, from the folder EIGENTHEMES_KERNELS."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface):  # type: ignore[misc,type-arg]
    """Put compiled kernels into a wheel, and name it for the Python and the platform they are for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Do so where the folder is told; else the wheel is for every platform, as always."""
        folder = os.environ.get("EIGENTHEMES_KERNELS")
        if version == "editable" or not folder:
            return
        files = sorted(Path(folder).rglob("*.nbc"))
        if not files:
            raise FileNotFoundError(f"{folder} holds no compiled kernels; run eigenthemes warm-up with NUMBA_CACHE_DIR before")
        build_data["force_include"] |= {str(file.resolve()): f"eigenthemes/compiled/{file.name}" for file in files}
        build_data["pure_python"] = False
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        build_data["tag"] = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
