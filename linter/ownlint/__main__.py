"""The console script, and `python -m ownlint`."""

from __future__ import annotations

import os
import signal
import sys

from ownlint.machine import collect_rarely


def main() -> None:
    collect_rarely()
    if os.name != "posix":  # told before anything is imported that only such a system has
        sys.stderr.write(
            f"error: ownlint needs a POSIX system, which {sys.platform} is not: run it in WSL or in a container\n"
        )
        sys.exit(2)
    # Until there is somebody to say it in a line, an interrupt ends us without a word.
    waiting = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not when it is to be ignored
    if waiting:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ownlint.cli import main as cli

    if waiting:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cli.main()
    except SystemExit as end:
        _leave(end.code)


def _leave(code: str | int | None) -> None:
    """Ends the process as it is: taking half a million objects apart one by one would take a quarter of a short run.
    What must be put away has been by now; what is written must get out."""
    if not isinstance(code, int):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # a reader that has gone, or a stream that was closed: Python knows what to do
    os._exit(code)


if __name__ == "__main__":
    main()
