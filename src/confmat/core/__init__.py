"""The value and its parts: labels, counts, the matrix, the stack."""
