"""`python -m gacc_gui` and the `gacc-gui` script: the same command line."""


def main() -> None:
    """Run the command line and exit with its code."""
    from gacc_gui.cli import run

    raise SystemExit(run())


if __name__ == "__main__":
    main()
