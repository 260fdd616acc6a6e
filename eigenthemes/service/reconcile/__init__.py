"""The reconciliation API 0.2, which OpenRefine and other clients of spreadsheets use, over a linker."""
