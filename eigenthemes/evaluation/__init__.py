"""How good links are: figures for a batch of mentions, and whether two methods really differ."""
