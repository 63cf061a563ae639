"""Prints which rewrites change what is found where: `python tests/metamorphic/report.py [REWRITE-PART] [PAGE ...]`."""

from __future__ import annotations

import sys
from collections import Counter

from comparing import PAGES, cases_of, differences
from cpp_rewrites import REWRITES as IN_CPP
from python_rewrites import REWRITES as IN_PYTHON


def main(part: str = "", *pages: str) -> None:
    ways = [one for one in (*IN_CPP, *IN_PYTHON) if part in one.name and not one.heard]
    count: Counter[str] = Counter()
    for page in sorted(PAGES.glob("*.md")):
        if not pages or page.stem in pages:
            for case in cases_of(page):
                for found in differences(page.stem, case, ways):
                    count[found.rewrite] += 1
                    print(found, flush=True)
    for name, number in count.most_common():
        print(f"{number:5} {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
