"""What ownlint says of the two pieces of code it came from: a review of a change to XLA, and MLIR's Python bindings.

    python benchmarks/seeds.py [--repositories DIR] [--releases DIR] [--wheel PYTHON] [--jobs N]

`--repositories` is a folder of bare clones (`owner+name`, `owner/name` or `name.git`): the change to XLA is checked as
a whole and commit by commit. `--releases` is where `corpora.py mlir` has unpacked LLVM's releases: the holes of the
bindings are looked for in each. `--wheel` is an interpreter that has `jaxlib`: the programs of
`tests/truth/mlir-seed.md` are run with it, to see which of them crash, beside what is found in them; without it they
are only checked.

What was said and is right is in `seeds/*.toml`; nothing of the code is kept. The exit code is 1 when a point that is
written down there as found is missed, or one is told where it is not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import seeds_mlir
import seeds_programs
import seeds_review
from corpora import FetchError, default_folder

HERE = Path(__file__).resolve().parent / "seeds"
PROGRAMS = HERE.parent.parent / "tests/truth/mlir-seed.md"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=Path, help="a folder of bare clones")
    parser.add_argument("--releases", type=Path, default=default_folder(), help="where corpora.py has unpacked")
    parser.add_argument("--wheel", type=Path, metavar="PYTHON", help="an interpreter that has jaxlib")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        to = Path(scratch).resolve()
        if given.repositories:
            review = seeds_review.read_review(HERE / "review.toml")
            try:
                said = seeds_review.look(review, given.repositories, to, given.jobs)
            except FetchError as error:
                parser.error(str(error))
            print("\n".join(seeds_review.table(review, said)), end="\n\n", flush=True)
            wrong += seeds_review.lost(review, said)
        bindings = seeds_mlir.read_bindings(HERE / "mlir.toml")
        found = seeds_mlir.look(bindings, given.releases, to, given.jobs)
        print("\n".join(seeds_mlir.table(bindings, found)), end="\n\n", flush=True)
        wrong += seeds_mlir.lost(bindings, found)
        programs = seeds_programs.look(PROGRAMS, given.wheel)
        print("\n".join(seeds_programs.table(programs)), flush=True)
        wrong += seeds_programs.lost(programs)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
