"""`python -m confmat` is the command line."""

from confmat.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
