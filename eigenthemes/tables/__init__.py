"""Tables: which cells form documents (`table_documents`), and table files, data frames and Arrow batches linked with a Linker.

A table file is read twice: `scan` counts its rows and keeps a sample, then `chunks` yields all rows. A writer of the same
format keeps what the format holds and adds columns; a writer of another format writes the values.
"""
