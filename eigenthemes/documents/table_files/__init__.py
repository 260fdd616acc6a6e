"""Table files in and out: CSV, TSV, Excel, Parquet, JSON lines.

A file is read twice: `look` counts its rows and keeps some of them, then `chunks` yields all of them. A writer of the same
format leaves everything as it is and adds columns; one of another format writes the values anew.
"""
