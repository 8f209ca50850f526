"""`python -m bot` is `kennel`."""

from bot.cli import main

if __name__ == "__main__":
    main()
