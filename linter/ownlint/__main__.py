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
    cli.main()


if __name__ == "__main__":
    main()
