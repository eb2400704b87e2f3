"""Printed matrices: tables that papers, notebooks and terminals show, read back."""

__all__: list[str] = []
