"""Share small KBs, commands and files between test modules; no test module imports another."""
