"""`python -m gacc_gui` and the `gacc-gui` script: the same command line.

Owns the signals from the first moment on: whoever interrupts while modules are still being imported is
answered as later, too.
"""

import signal
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit with its code."""
    # A shell script's background children inherit an ignored SIGINT; whoever signals us means it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from gacc_gui.cli import run

        code = run()
    except BaseException as error:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the second one is heard already
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        from gacc_gui.core.errors import is_interruption

        if not is_interruption(error):
            raise
        # Not by our own words' module, which may be what is half imported.
        print("gacc-gui: interrupted", file=sys.stderr, flush=True)
        code = INTERRUPTED
    raise SystemExit(code)


if __name__ == "__main__":
    main()
