"""`python -m confmat` is the command line."""

from confmat.cli import main

if __name__ == "__main__":
    main()
