"""Other libraries' doors to the linker: spaCy."""
