"""The reconciliation API 0.2 over a linker: what OpenRefine and other clients of spreadsheets speak."""
