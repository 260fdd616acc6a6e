"""Compiled kernels: arrays in, arrays out. Importing one of these modules imports numba."""
