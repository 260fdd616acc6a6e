"""The evidence of the paper: its tables and figures, tau-MIL-ND, and the way from raw sources to gold."""
