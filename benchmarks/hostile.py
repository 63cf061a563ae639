"""Attacks on a check: what a stranger's tree, a full disk or a kill may try, each as a user would meet it.

    python benchmarks/hostile.py [--light] [--only ID ...] [--list]

Every attack gets a new folder with a good file of one known bug in each language, runs the command line in it under
limits of time and memory, and says what must hold. Beside that, of every run: nothing outside of the
project is changed, run or shown, no control character comes out, there is no traceback, and no process is left behind.
Prints a table; the exit code is 1 when anything failed. `--light` is what is run with the tests.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

from hostile_attacks import ATTACKS
from hostile_place import FailedError, Place, adopt_orphans


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    known = {attack.id: attack for attack in ATTACKS}
    if unknown := [name for name in given.only if name not in known]:
        parser.error(f"no such attack: {', '.join(unknown)}; see --list")
    chosen = [known[name] for name in given.only] or [each for each in ATTACKS if each.light or not given.light]
    if given.list:
        for each in chosen:
            print(f"{each.id:<26} {each.item:>3}  {'light' if each.light else '':<5}  {each.tried}: {each.must}")
        return 0
    adopt_orphans()
    print(f"{'attack':<26} {'about':<16}  {'outcome':<7} {'s':>6} {'CPU s':>6} {'peak MB':>8}")
    failed, began = 0, time.monotonic()
    for each in chosen:
        started, used = time.monotonic(), _processor_time()
        with Place() as place:
            try:
                each.run(place)
                place.check_all()
                said = ""
            except (FailedError, subprocess.TimeoutExpired) as error:
                said = str(error)
        failed += bool(said)
        spent, used = time.monotonic() - started, _processor_time() - used
        outcome = "FAILED" if said else "ok"
        print(f"{each.id:<26} {each.item:<16}  {outcome:<7} {spent:>6.1f} {used:>6.1f} {place.peak / 1e6:>8,.0f}")
        if said:
            print(f"    {each.tried}: must: {each.must}\n    but: {said[:1500]}")
        sys.stdout.flush()
    print(f"\n{len(chosen)} attacks, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


def _processor_time() -> float:
    """Seconds that children needed which have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
