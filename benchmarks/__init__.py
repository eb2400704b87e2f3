"""Benchmarks: one file per question; each asserts its answers before it measures. `python3 run.py bench` runs all."""
