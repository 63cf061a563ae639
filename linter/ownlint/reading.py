"""The facts of every source: from the cache where they are known, else from the frontends.

An entry of the cache is in two parts. The *head* of a file is what is always asked: what its comments silence, what
could not be read, which classes it binds, and the digest of the rest. The rest, its *facts*, is taken up when a rule
has to be run: what the rules said is remembered by the digests of all facts (see `pipeline`), so that a change which
changes no facts costs no rule.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from ownlint import children, door, inputs, machine
from ownlint.facts import anchors
from ownlint.facts.cache import Cache
from ownlint.facts.digest import digest_of
from ownlint.facts.records import FileRecord, Language, decode_file, encode_file
from ownlint.facts.sharing import SharedNames
from ownlint.facts.vocabulary import Vocabulary, decode_vocabulary, encode_vocabulary
from ownlint.incremental.kept import FactsEntry
from ownlint.outline import Libraries
from ownlint.report.progress import Told, nobody
from ownlint.sources.compilation import Command
from ownlint.sources.digests import Digests
from ownlint.sources.discover import Source, modules

DEADLINE = 60.0
"""Seconds that one file may take to be read; enough for a large one, typed, on a slow machine."""

_A_SECOND = 100_000
"""Bytes for which one more second is given to what asks all files that were read."""

READING = "reading files"

_FEW = 16
_SMALL = 1 << 18
"""Bytes of a file that is looked at here, not in a child with a deadline."""

Depends = tuple[tuple[str, str], ...]
"""Absolute paths of headers, each with its digest."""


class _Head(msgspec.Struct, frozen=True, gc=False):
    """What the cache holds of a file beside its facts. `file` is what is left of it without them."""

    file: FileRecord
    depends: Depends
    digest: str
    """Of the facts."""
    read: bool
    """Not passed over for want of an anchor."""


class FileEntry:
    """One file: its head, and its facts when they are asked for."""

    def __init__(self, head: _Head, key: str, held: str, encoded: bytes | None = None) -> None:
        """`encoded` are the facts of a file that was just read. They are decoded where they are needed, which is in
        another process: here they would only take up memory."""
        self.head = head.file
        self.depends = tuple(path for path, _ in head.depends)
        self.read = head.read
        self.digest = head.digest
        self.key = key
        self.held = held
        """The digest of the bytes that were analysed; empty when there are none, or more than one."""
        self.encoded = encoded
        self.settled = False
        """It was just read, and did not change meanwhile."""

    @property
    def is_bare(self) -> bool:
        """Nothing is known of it but that it is there."""
        return not (self.read or self.head.problems or self.head.suppressions)

    @property
    def place(self) -> FactsEntry:
        """Where the cache has what is known of it."""
        known = self.read or bool(self.head.problems)
        key = _facts_key(self.key) if known else ""
        return FactsEntry(self.head.language, self.head.module, self.digest if known else "", key)

    @property
    def identity(self) -> tuple[str, ...]:
        """What rules can know of it; of a file that was passed over, that it is there."""
        return (self.head.path, self.head.language, self.head.module, self.digest if self.read else "")


class _Passed:
    """The Python files that have none of the words, by relative path, with what they held: most files of most projects.
    One entry for all of them, which is overwritten."""

    def __init__(self, cache: Cache, root: Path, words: bytes) -> None:
        self._cache = cache
        self._key = Cache.key(b"passed", os.fsencode(root), inputs.reader_digest("python", cache), words)
        self._known: dict[str, str] = {}
        self._changed = False
        if (data := cache.get(self._key)) is not None:
            with contextlib.suppress(msgspec.DecodeError):
                self._known = msgspec.json.decode(data, type=dict[str, str])

    def over(self, path: str) -> str:
        return self._known.get(path, "")

    def note(self, path: str, held: str) -> None:
        self._known[path] = held
        self._changed = True

    def save(self) -> None:
        if self._changed:
            self._cache.put(self._key, msgspec.json.encode(dict(sorted(self._known.items()))))


class Facts:
    """What is known of every source, in order of their paths.

    `depends` are the headers that were read for them. Not `settled`: a file changed while it was read, or its reader
    was lost; the next run may see more."""

    def __init__(self, reader: Reader, entries: Iterable[tuple[int, FileEntry]]) -> None:
        self._reader = reader
        self._entries = sorted(entries, key=lambda entry: entry[1].head.path)
        self.heads = [entry.head for _, entry in self._entries]
        self.depends = sorted({path for _, entry in self._entries for path in entry.depends})

    def held(self) -> dict[str, str]:
        """The digest of what was analysed of each file, by path."""
        return {entry.head.path: entry.held for _, entry in self._entries}

    @property
    def settled(self) -> bool:
        return self._reader.settled

    @property
    def unsought(self) -> str:
        return self._reader.unsought

    def take_up(self) -> None:
        """The facts of all files, still encoded, so that a child finds them here."""
        self._reader.take_up(self._entries)

    def files(self) -> list[FileRecord]:
        return self._reader.whole(self._entries)

    def entries(self) -> dict[str, FactsEntry]:
        """By path, what is known of each file, and where the cache has it."""
        return {entry.head.path: entry.place for _, entry in self._entries}

    def digest(self, *languages: Language) -> bytes:
        """Of all that rules can know of the files in these languages."""
        digest = blake2b(digest_size=20)
        for _, entry in self._entries:
            if entry.head.language in languages:
                digest.update(msgspec.json.encode(entry.identity))
        return digest.digest()


class Reader:
    """Reads sources, with one cache and one way to compile them."""

    def __init__(
        self,
        root: Path,
        sources: Sequence[Source],
        held: Sequence[str],
        commands: dict[str, Command],
        cache: Cache,
        digests: Digests,
        jobs: int,
        told: Told = nobody,
    ) -> None:
        """`held` are the digests of the sources."""
        self.root = root
        self.sources = sources
        self.held = held
        self.commands = commands
        self.cache = cache
        self.digests = digests
        self.jobs = jobs
        self.told = told
        self.settled = True
        self.unsought = ""
        """Why some files that were passed over may be worth reading; empty where that is known."""
        self._named = modules(sources)
        self._vocabularies: dict[int, Vocabulary] = {}
        """By source, the words it was last read with."""

    def all(self, libraries: Libraries, words: Sequence[str]) -> Facts:
        """C++ first: the classes it binds are among the words that make a Python file worth reading, like `words`,
        which the rules ask for. Then Python, and again those of its files that were passed over and name what others
        define."""
        vocabulary = anchors.with_words(libraries.known.vocabulary, words)
        known = dict(self.read(self._written_in("cpp"), vocabulary))
        vocabulary = anchors.with_bound_classes(vocabulary, [entry.head for entry in known.values()])
        passed = self._written_in("python")
        asked = vocabulary
        for _ in range(anchors.MOST_PASSES + 1):
            known |= dict(self.read(passed, asked))
            wider = self._wider(vocabulary, known, libraries)
            passed = [i for i in passed if not known[i].read and not known[i].head.problems]
            asked = anchors.beside_those(vocabulary, wider)
            if not asked.anchors:
                break
            vocabulary = wider
        return Facts(self, known.items())

    def _written_in(self, language: Language) -> list[int]:
        return [index for index, source in enumerate(self.sources) if source.language == language]

    def _wider(self, vocabulary: Vocabulary, known: dict[int, FileEntry], libraries: Libraries) -> Vocabulary:
        """With the words for what the files that were read hand on."""
        read = [(i, entry) for i, entry in sorted(known.items()) if entry.head.language == "python" and entry.read]
        said = [entry.digest.encode() for _, entry in read]
        code = inputs.reader_digest("python", self.cache)
        if not read:
            return vocabulary
        key = Cache.key(b"wider", code, libraries.known.digest.encode(), encode_vocabulary(vocabulary), *said)
        if (kept := self.cache.get(key)) is not None:
            try:
                return decode_vocabulary(kept)
            except msgspec.DecodeError:
                pass
        self.take_up(read)
        models = libraries.models  # read here: a mistake in one is told before a child is started

        def work() -> bytes:
            return encode_vocabulary(anchors.with_helpers(vocabulary, self.whole(read), models))

        size = sum(entry.head.size for _, entry in read)
        memory = machine.analysis(machine.memory(), children.MEMORY)
        try:
            wider = children.answered(work, DEADLINE + size // _A_SECOND, memory)
        except children.LostError as error:
            self.settled = False
            self.unsought = f"Python files that use helpers of the project were not searched for: {error.reason}"
            return vocabulary
        self.cache.put(key, wider)
        return decode_vocabulary(wider)

    # --- some of the sources ---

    def read(self, chosen: Sequence[int], vocabulary: Vocabulary) -> list[tuple[int, FileEntry]]:
        """Of the sources with these numbers; what the cache does not hold is extracted."""
        words = {language: encode_vocabulary(vocabulary.of(language)) for language in ("cpp", "python")}
        entries: dict[int, FileEntry] = {}
        missing: list[tuple[int, str]] = []
        passed = _Passed(self.cache, self.root, words["python"])
        for index in chosen:
            self._vocabularies[index] = vocabulary
            source, held = self.sources[index], self.held[index]
            if held and source.language == "python" and passed.over(source.relative) == held:
                entries[index] = self._bare(source, held)
                continue
            key = self._key(source, held, words[source.language])
            entry = self._cached(key, held) if held else None
            if entry is None:
                missing.append((index, key))
            else:
                entries[index] = entry
        for index, entry in self._extracted(missing, vocabulary).items():
            entries[index] = entry
            if entry.is_bare and entry.head.language == "python" and entry.settled:
                passed.note(self.sources[index].relative, self.held[index])
        passed.save()
        return [(index, entries[index]) for index in chosen]

    def _bare(self, source: Source, held: str) -> FileEntry:
        """Of a file that was passed over before."""
        module = self._named.get(source.relative, "")
        file = FileRecord(source.relative, source.language, source.stamp.size, module=module)
        return FileEntry(_Head(file, (), "", read=False), "", held)

    def take_up(self, entries: Sequence[tuple[int, FileEntry]]) -> None:
        """Their encoded facts, which may have been swept from the cache since the heads were read: then the files are
        read again, and what was analysed of them is not what was found of them before when they changed meanwhile."""
        lost: dict[Vocabulary, list[tuple[int, str]]] = {}
        for index, entry in entries:
            if entry.encoded is None and (entry.read or entry.head.problems):
                entry.encoded = self.cache.get(_facts_key(entry.key))
                if entry.encoded is None:
                    lost.setdefault(self._vocabularies[index], []).append((index, entry.key))
        again = {i: e for vocabulary, many in lost.items() for i, e in self._extracted(many, vocabulary).items()}
        for index, entry in entries:
            if index in again:
                entry.encoded = again[index].encoded
                if again[index].held != entry.held:
                    entry.held = ""  # its head is of other bytes than its facts

    def whole(self, entries: Sequence[tuple[int, FileEntry]]) -> list[FileRecord]:
        """With their facts."""
        self.take_up(entries)
        names = SharedNames()
        return [
            entry.head if entry.encoded is None else names.share(decode_file(entry.encoded)) for _, entry in entries
        ]

    def _key(self, source: Source, held: str, words: bytes) -> str:
        command = self.commands.get(source.relative)
        how = b"" if command is None else msgspec.json.encode(command)
        module = self._named.get(source.relative, "")
        about = f"{source.language}\0{source.relative}\0{module}\0{held}".encode()
        return Cache.key(b"file", inputs.reader_digest(source.language, self.cache), words, about, how)

    def _cached(self, key: str, held: str) -> FileEntry | None:
        """When the headers that were read for it are still the same."""
        data = self.cache.get(key)
        if data is None:
            return None
        try:
            head = msgspec.json.decode(data, type=_Head)
        except msgspec.DecodeError:
            return None
        if any(self.digests.of(path) != digest for path, digest in head.depends):
            return None
        return FileEntry(head, key, held)

    def _extracted(self, missing: Sequence[tuple[int, str]], vocabulary: Vocabulary) -> dict[int, FileEntry]:
        passed = self._passed_over(missing, vocabulary) if len(missing) <= _FEW else {}
        missing = [(index, key) for index, key in missing if index not in passed]
        if not missing:
            return passed
        from ownlint.frontends.extract import Task, extract
        from ownlint.frontends.worker import RETIRE, Handshake

        tasks = []
        for index, _ in missing:
            source = self.sources[index]
            command, module = self.commands.get(source.relative), self._named.get(source.relative, "")
            tasks.append(Task(source.language, source.relative, str(source.path), command, command is not None, module))
        entries = passed
        jobs, memory = machine.shares(self.jobs, machine.memory())
        limits = Handshake(vocabulary, memory=memory, retire=min(RETIRE, memory // 4))
        results = extract(tasks, vocabulary, jobs, DEADLINE, limits=limits)
        self.told(READING, 0, len(tasks))
        for done, ((index, key), extracted) in enumerate(zip(missing, results, strict=True), 1):
            self.told(READING, done, len(tasks))
            file = decode_file(extracted.encoded)
            depends = tuple((path, self.digests.of(path)) for path in sorted(extracted.dependencies))
            head = _head_of(file, extracted.encoded, depends)
            entry = entries[index] = FileEntry(head, key, extracted.digest, extracted.encoded)
            if extracted.digest and extracted.digest == self.held[index]:
                self._keep(entry, head, extracted.encoded)
            elif extracted.lost or extracted.digest:
                self.settled = False
        return entries

    def _keep(self, entry: FileEntry, head: _Head, encoded: bytes) -> None:
        if head.read or head.file.problems:
            self.cache.put(_facts_key(entry.key), encoded)
        if not entry.is_bare or entry.head.language != "python":
            self.cache.put(entry.key, msgspec.json.encode(head))
        entry.settled = True

    def _passed_over(self, missing: Sequence[tuple[int, str]], vocabulary: Vocabulary) -> dict[int, FileEntry]:
        """Small files in which no anchor is found: not worth starting a reader for."""
        found: dict[int, FileEntry] = {}
        for index, _ in missing:
            source = self.sources[index]
            if source.language == "python" and self.held[index] and source.stamp.size <= _SMALL:
                from ownlint.frontends.python.wanted import speaks_to_the_linter, wanted

                try:
                    data = door.read(source.path, _SMALL)
                except door.UnreadableError:
                    continue
                same = digest_of(data) == self.held[index]
                if (
                    same
                    and b"\0" not in data
                    and not speaks_to_the_linter(data)
                    and not wanted(data, vocabulary.anchors)
                ):
                    found[index] = self._bare(source, self.held[index])
                    found[index].settled = True
        return found


def _facts_key(key: str) -> str:
    return Cache.key(b"facts", key.encode())


def _head_of(file: FileRecord, encoded: bytes, depends: Depends) -> _Head:
    left = FileRecord(
        file.path,
        file.language,
        file.size,
        bound_classes=file.bound_classes,
        comments=file.comments if file.suppressions else (),
        suppressions=file.suppressions,
        meanings=file.meanings[:1],  # enough to tell that there are some
        typed=file.typed,
        problems=file.problems,
        module=file.module,
    )
    bare = not file.problems and encode_file(left) == encoded
    return _Head(left, depends, blake2b(encoded, digest_size=20).hexdigest(), read=not bare)
