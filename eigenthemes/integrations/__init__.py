"""Use the linker from other libraries: spaCy, Ray."""
