"""Quality trimming of sequencing reads."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Iterable, Iterator, TextIO

log = logging.getLogger(__name__)

PHRED_OFFSET = 33


class MalformedRecord(ValueError):
    """A FASTQ record that cannot be parsed."""


@dataclass(frozen=True)
class Read:
    name: str
    bases: str
    quality: str

    def __len__(self) -> int:
        return len(self.bases)

    def head(self, length: int) -> Read:
        return Read(self.name, self.bases[:length], self.quality[:length])


def parse_fastq(stream: TextIO) -> Iterator[Read]:
    while True:
        name = stream.readline().rstrip("\n")
        if not name:
            return
        bases = stream.readline().rstrip("\n")
        separator = stream.readline()
        quality = stream.readline().rstrip("\n")
        if not name.startswith("@") or not separator.startswith("+"):
            raise MalformedRecord(f"unexpected line near {name!r}")
        if len(bases) != len(quality):
            raise MalformedRecord(f"length mismatch in {name!r}")
        yield Read(name[1:], bases, quality)


def cut_position(quality: str, threshold: int) -> int:
    """Where the BWA algorithm cuts the 3' end of a read."""
    best, position = 0, len(quality)
    running = 0
    for index in range(len(quality) - 1, -1, -1):
        running += threshold - (ord(quality[index]) - PHRED_OFFSET)
        if running < 0:
            break
        if running > best:
            best, position = running, index
    return position


class Trimmer:
    def __init__(self, threshold: int = 20, min_length: int = 30) -> None:
        self.threshold = threshold
        self.min_length = min_length
        self.kept = 0
        self.dropped = 0

    def trim(self, reads: Iterable[Read]) -> Iterator[Read]:
        for read in reads:
            trimmed = read.head(cut_position(read.quality, self.threshold))

            removed = Counter(read.bases[len(trimmed):])
            scores = Counter(ord(c) - PHRED_OFFSET for c in read.quality)
            log.debug(
                "%s: cut %d bases (%s), most common score %s",
                read.name,
                len(read) - len(trimmed),
                removed,
                scores.most_common(1),
            )

            if len(trimmed) < self.min_length:
                self.dropped += 1
                continue
            self.kept += 1
            yield trimmed


def write_fastq(stream: TextIO, reads: Iterable[Read]) -> None:
    for read in reads:
        stream.write(f"@{read.name}\n{read.bases}\n+\n{read.quality}\n")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threshold", type=int, default=20)
    parser.add_argument("--min-length", type=int, default=30)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.INFO)

    trimmer = Trimmer(args.threshold, args.min_length)
    write_fastq(sys.stdout, trimmer.trim(parse_fastq(sys.stdin)))
    log.info("kept %d reads, dropped %d", trimmer.kept, trimmer.dropped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
