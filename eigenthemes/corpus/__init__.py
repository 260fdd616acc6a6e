"""Link a corpus: many files of documents in, as many out, on this machine or a cluster."""
