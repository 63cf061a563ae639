"""The console script, and `python -m ownlint`."""

from __future__ import annotations

import signal


def main() -> None:
    # Until there is somebody to say it in a line, an interrupt ends us without a word.
    waiting = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not when it is to be ignored
    if waiting:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ownlint import cli

    if waiting:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    cli.main()


if __name__ == "__main__":
    main()
