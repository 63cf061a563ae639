"""Files as an editor has them: their text is read in the place of what is on the disk."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ownlint.sources.discover import Source, Stamp

MOST_BYTES = 64 << 20


class Unsaved(msgspec.Struct, frozen=True):
    """`path` is the file of the project, without links; `stored` holds what is to be read instead."""

    path: Path
    stored: Path
    text: bytes


@contextlib.contextmanager
def stored(path: Path, text: bytes) -> Iterator[Unsaved]:
    """For as long as somebody reads it."""
    with tempfile.TemporaryDirectory(prefix="ownlint-") as folder:
        place = Path(folder, f"unsaved{path.suffix}")
        place.write_bytes(text)
        yield Unsaved(path.resolve(), place, text)


def read_instead(sources: Sequence[Source], unsaved: Sequence[Unsaved]) -> tuple[Source, ...]:
    """The same sources, of which some are read elsewhere."""
    elsewhere = {one.path: one.stored for one in unsaved}
    return tuple(
        _read_from(source, elsewhere[source.path]) if source.path in elsewhere else source for source in sources
    )


def _read_from(source: Source, stored: Path) -> Source:
    return msgspec.structs.replace(source, path=stored, stamp=Stamp.of(stored.stat()))
