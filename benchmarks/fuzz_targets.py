"""What `fuzz.py` feeds its inputs to: each frontend as the program calls it.

A target returns when the input was read or refused in a documented way; whatever it raises is a finding of the fuzzer. A
rule that raises is one, too: the program survives it, and says so, but it is a bug.
"""

# Inputs are tables: a row is easier to read than a paragraph of short lines.
# ruff: noqa: E501

from __future__ import annotations

import functools
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Protocol

import fuzz_inputs as given
import msgspec

from ownlint import baseline, catalogue, config, fixes, pipeline
from ownlint.choices import CERTAINTIES, FORMATS
from ownlint.cli import mending
from ownlint.cli.delivery import rendered
from ownlint.facts import cache, records, show
from ownlint.facts.errors import RefusalError
from ownlint.facts.vocabulary import Vocabulary, decode_vocabulary, encode_vocabulary
from ownlint.finding import Crash, Edit, Finding, Fix, Step
from ownlint.fixes import FixError
from ownlint.frontends import worker
from ownlint.inputs import packs
from ownlint.models import contract_reader
from ownlint.models.files import ModelFile
from ownlint.models.libraries import Models, load
from ownlint.outline import rule_infos
from ownlint.project.program import Program
from ownlint.report.compose import compose
from ownlint.report.model import Incomplete, Report, Sources
from ownlint.report.sanitise import HARMFUL
from ownlint.selection import RuleNames
from ownlint.sources import changes, stubs
from ownlint.sources.discover import discover


class WrongError(Exception):
    """Nothing was raised, but what came out breaks a promise."""


class Target(Protocol):
    def make(self, random: Random) -> bytes:
        """An input."""

    def run(self, data: bytes, random: Random) -> None:
        """Reads it. `random` is the same for the same input."""


# --- C++ and Python ---------------------------------------------------------------------------

_COMPANION = b"""\
#include <pybind11/pybind11.h>
struct Part { int n; };
class Engine { public: Part& part() { return part_; } void run(std::function<void()> f); Part part_; };
PYBIND11_MODULE(native, m) {
  py::class_<Part>(m, "Part").def_readwrite("n", &Part::n);
  py::class_<Engine>(m, "Engine").def(py::init<>()).def("part", &Engine::part).def("run", &Engine::run);
}
"""
"""Makes the other language's half of a program, so that rules across the border have something to look at."""

RULES_SHARE = 8
"""One input of so many is shown to all rules."""


@functools.lru_cache(maxsize=1)
def models() -> Models:
    return load([pack / "models" for pack in packs()])


class Reader(worker.WorkerReader):
    """As the worker's, but an error that it would report as its own is raised."""

    def _fallback(self, *_: object) -> records.FileRecord:
        raise


def vocabulary() -> Vocabulary:
    return models().vocabulary()


def ask_rules(files: Iterable[records.FileRecord], known: Models | None = None) -> list[Finding]:
    said = list(catalogue.run(catalogue.load(), Program(files, known or models())))
    for each in said:
        if isinstance(each, Crash):
            raise WrongError(f"rule {each.rule}: {each.error}")
    return [each for each in said if isinstance(each, Finding)]


class Code:
    """A language by one way of reading it."""

    def __init__(self, folder: Path, kind: Any, grammar: given.Grammar, *languages: str) -> None:
        self._kind, self._grammar = kind, grammar
        self._reader = Reader(worker.Handshake(vocabulary(), python_limit=8_000_000))
        self._seeds = given.blocks(*languages)
        words = {word for seed in self._seeds for word in re.findall(rb"\w+|[^\w\s]{1,2}", seed)}
        self._words = [*sorted(words), *given.STRANGE]
        self._path = folder / ("it.py" if kind == "python" else "it.cc")
        self._path.write_bytes(_COMPANION)
        if kind == "python":
            (folder / "other.cc").write_bytes(_COMPANION)
            _, self._beside = Reader(worker.Handshake(vocabulary())).answer(
                worker.Request("structure", "other.cc", str(folder / "other.cc"))
            )

    def make(self, random: Random) -> bytes:
        if random.random() < 0.3:
            data = given.grown(random, self._grammar)
            if random.random() < 0.5:
                data = given.mutated(random, [data, random.choice(self._seeds)], self._words)
        else:
            data = given.mutated(random, self._seeds, self._words)
        return given.blown_up(random, data) if random.randrange(given.LARGE) == 0 else data

    def run(self, data: bytes, random: Random) -> None:
        self._path.write_bytes(data)
        arguments = ("-x", "c++", "-std=c++20", "-nostdinc", "-nostdinc++") if self._kind == "meaning" else ()
        name, folder = self._path.name, str(self._path.parent)
        request = worker.Request(self._kind, name, str(self._path), arguments, folder, "it")
        _, encoded = self._reader.answer(request)
        file = records.decode_file(encoded)
        if random.randrange(RULES_SHARE) == 0:
            beside = [records.decode_file(self._beside)] if self._kind == "python" else []
            for finding in ask_rules([file, *beside]):
                _check_place(finding, len(data) if finding.path == name else len(_COMPANION))
            for line in show.file(file):
                line.encode("utf-8", "surrogatepass")


def _check_place(finding: Finding, size: int) -> None:
    if not 0 <= finding.span.start <= finding.span.end <= size:
        raise WrongError(f"rule {finding.rule}: a place outside of the file")


# --- what is written in TOML ------------------------------------------------------------------


_MODEL_KEYS = "name names effect released_by kind role library languages on members class macro types ok returned_by pattern regular anchors beside prefixes constants modules exports returns policy versions packages when holds namespaces aliases words source".split()  # fmt: skip # noqa: SIM905
_MODEL_TABLES = ["[library]", "[[function]]", "[[class]]", "[[status]]", "[[macro]]", "[[framework]]", "[gil]", "[env]", "[[version]]", "[[parity]]", "[python]", "[[python.class]]", "[[python.member]]", "[[python.function]]", "[[python.callbacks]]", "[[memory.type]]"]  # fmt: skip


class ModelFiles:
    """Models: refused with a `ModelError`, or used on a program."""

    def __init__(self, folder: Path) -> None:
        self._grammar = given.toml(_MODEL_TABLES, _MODEL_KEYS)
        self._seeds = given.model_pieces()
        words = {word for seed in self._seeds for word in re.findall(rb'"[^"\n]*"|\w+|[^\w\s]', seed)}
        patterns = (
            b'"(a+)+$"',
            b'"("',
            b'".*.*.*.*Z"',
            b'"[z-a]"',
            b'"*::*"',
            b'"::"',
            b'""',
            b'"*"',
            b'"argument 300"',
        )
        self._words = [*sorted(words), *given.STRANGE, *patterns * 20]
        reader = Reader(worker.Handshake(vocabulary()))
        (folder / "native.cc").write_bytes(_COMPANION)
        self._file = records.decode_file(
            reader.answer(worker.Request("structure", "native.cc", str(folder / "native.cc")))[1]
        )

    def make(self, random: Random) -> bytes:
        if random.random() < 0.3:
            return b'[library]\nname = "x"\n' * (random.random() < 0.8) + given.grown(random, self._grammar)
        data = given.mutated(random, self._seeds, self._words)
        return given.blown_up(random, data) if random.randrange(given.LARGE) == 0 else data

    def run(self, data: bytes, random: Random) -> None:
        try:
            file = ModelFile(Path("ours.toml"), data)
            known = Models([file], "0")
            encode_vocabulary(known.vocabulary())
        except RefusalError as error:
            _check_line(str(error))
            return
        known.function("absl::Status::Update", "cpp", ("absl",))
        known.status("const absl::Status&")
        known.macro("RETURN_IF_ERROR" * 5)
        known.may_return_status("Run")
        known.python_class("a.b.C")
        if random.randrange(RULES_SHARE * 8) == 0:
            ask_rules([self._file], known)


def _check_line(message: str) -> None:
    if "\n" in message or not message:
        raise WrongError(f"not one line: {message!r}")


class SettingsFiles:
    """Settings: refused with a `ConfigError`, or applied to a small tree."""

    _SEEDS = (
        b'[tool.ownlint]\nselect = ["all"]\nignore = ["discarded-status"]\nexclude = ["docs/", "*.pb.cc"]\n',
        b'[tool.ownlint]\ncertainty = "possible"\njobs = 2\ntypes = "never"\nversions = { jax = "0.4" }\n',
        (
            b'[project]\nname = "x"\n\n[tool.ownlint.per-file-ignores]\n"tests/**" = ["all"]\n\n[tool.ownlint.severity]\n'
            b'"discarded-status" = "note"\n'
        ),
        b'[tool.ownlint]\nparity = [["metal", "vulkan"]]\nmodels = ["a.toml"]\ncache-dir = "c"\nbuild-path = "b"\n',
    )

    def __init__(self, folder: Path) -> None:
        self._path = folder / "pyproject.toml"
        self._tree = folder / "tree"
        (self._tree / "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/docs").mkdir(parents=True)
        for name in ("a.cc", "b.py", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/docs/aaaaaaaaaaaaaaaaaaaaaaaaaaaac.cc"):
            (self._tree / name).write_text("x")
        tables = ["[tool.ownlint]", "[tool.ownlint.severity]", "[tool.ownlint.per-file-ignores]", "[tool]"]
        self._grammar = given.toml(tables, config.KEYS)
        self._words = [word.encode() for word in (*config.KEYS, *(f'"{word}"' for word in given._TOML_WORD))]
        self._words += [b"[", b"]", b"=", b'"', b"{", b"}", b",", b"\n", *given.STRANGE]
        self._known = RuleNames(rule_infos())

    def make(self, random: Random) -> bytes:
        if random.random() < 0.5:
            return given.grown(random, self._grammar)
        return given.mutated(random, self._SEEDS, self._words)

    def run(self, data: bytes, random: Random) -> None:
        self._path.write_bytes(data)
        try:
            settings = config.with_suite(config.read(self._path))
            config.refuse(config.pattern_mistakes(settings))
            config.refuse(config.rule_mistakes(settings, self._known))
            self._known.selected(settings.config)
            discover(self._tree, (self._tree,), settings.config)
        except RefusalError as error:
            _check_line(str(error))


class ContractFiles:
    """Contracts of packages, and the stubs beside them."""

    _SEED = b"""\
format = 1
package = "native"
modules = ["native._core"]

[[class]]
name = "Engine"
cxx = "Engine"
at = "engine.cc:3"

[[class]]
name = "Part"
bases = ["Engine"]

[[member]]
on = "Engine"
name = "part"
kind = "method"
returns = "Part"
category = "reference"
policy = "reference_internal"
borrows = [{ from = "self", protected = false, certainty = "likely" }]
stores = [{ argument = 1, into = "self", protected = true }]
invalidates = ["part"]
releases_gil = true
"""
    _STUB = b"from typing import Annotated, Optional\nclass Engine:\n    def part(self, n: int = ...) -> Optional[Part]: ...\n    @property\n    def name(self) -> 'Part': ...\n    x: Annotated[Part, 1]\n"  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self._stub = folder / "native.pyi"
        keys = "format package modules plain frameworks name at cxx framework bases holder on kind takes names returns category policy borrows stores invalidates releases_gil from protected via reason certainty argument into".split()  # fmt: skip # noqa: SIM905
        self._grammar = given.toml(["[[class]]", "[[member]]", "[class]", "[frameworks]"], keys)
        self._words = [*(key.encode() for key in keys), *re.findall(rb'"[^"]*"|\S', self._SEED), *given.STRANGE]

    def make(self, random: Random) -> bytes:
        """A stub when the first byte says so."""
        if random.random() < 0.3:
            stub = self._STUB if random.random() < 0.6 else given.grown(random, given.PYTHON)
            return b"#" + given.mutated(random, [stub, self._STUB], self._words)
        if random.random() < 0.4:
            return b'format = 1\npackage = "x"\n' * (random.random() < 0.8) + given.grown(random, self._grammar)
        return given.mutated(random, [self._SEED], self._words)

    def run(self, data: bytes, random: Random) -> None:
        if data.startswith(b"#"):
            self._stub.write_bytes(data)
            stubs.read([self._stub])
            return
        try:
            contract_reader.parse("native.own.toml", data)
        except RefusalError as error:
            _check_line(str(error))


# --- baselines, diffs -------------------------------------------------------------------------


class Baselines:
    """Baselines: refused with a `BaselineError`, or held against a report and written again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "ownlint-baseline.json"
        entry = '{"path": "a.cc", "rule": "x", "symbol": "f()", "message": "m", "fingerprint": "00ff"}'
        self._seeds = [
            f'{{\n  "version": 1,\n  "findings": [\n    {entry},\n    {entry}\n  ]\n}}\n'.encode(),
            b'{"version": 1, "findings": []}',
        ]
        self._words = [*re.findall(rb'"[^"]*"|\S', self._seeds[0]), b"1e999", b"null", b"[" * 3000, *given.STRANGE]

    def make(self, random: Random) -> bytes:
        return given.mutated(random, self._seeds, self._words)

    def run(self, data: bytes, random: Random) -> None:
        self._path.write_bytes(data)
        try:
            entries = baseline.read(self._path, self._path.parent)
        except baseline.BaselineError as error:
            _check_line(str(error))
            return
        left = baseline.split(Report(), entries, {"a.cc"}, {"x"})
        self._path.write_text(baseline.text(entries), encoding="utf-8")
        if sorted(baseline.read(self._path, self._path.parent)) != sorted(entries) or len(left.stale) > len(entries):
            raise WrongError("a baseline that is written again says something else")


class Diffs:
    """What git says of changes (`--diff-base`), and the diffs of fixes: each must make of the old bytes the new ones."""

    _RAW = b":100644 100644 " + b"a" * 40 + b" " + b"b" * 40 + b" M\0a.cc\0:100644 100644 " + b"a" * 40 + b" " + b"b" * 40 + b" R097\0b.cc\0c.cc\0:000000 100644 " + b"0" * 40 + b" " + b"b" * 40 + b" A\0d.py\0"  # fmt: skip
    _HUNKS = b"diff --git a/a.cc b/a.cc\n--- a/a.cc\n+++ b/a.cc\n@@ -1,2 +3,4 @@ f()\n-x\n+y\n@@ -9 +12,0 @@\n-z\ndiff --git a/b b/c\nBinary files a/b and b/c differ\n* Unmerged path e\n"  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self._words = [b":", b"@@ ", b"-1", b"+1,99999999999999999999", b"diff --git ", b"\0", b"R", b"U", b"\n", b"0" * 40, *given.STRANGE]  # fmt: skip
        self._texts = given.blocks("cpp", "python")

    def make(self, random: Random) -> bytes:
        which = random.randrange(3)
        base = ([self._RAW], [self._HUNKS], self._texts)[which]
        return b"012"[which : which + 1] + given.mutated(random, base, self._words)

    def run(self, data: bytes, random: Random) -> None:
        match data[:1]:
            case b"0":
                try:
                    list(changes._raw(data[1:]))
                except changes.ChangesError as error:
                    _check_line(str(error))
            case b"1":
                [one.gone for one in changes._sections(data[1:], 2)]
            case _:
                self._edited(data[1:], random)

    def _edited(self, data: bytes, random: Random) -> None:
        edits = []
        for _ in range(random.randrange(4)):
            start = random.randrange(len(data) + 2)
            words = random.choice((b"", b"x", b"x\r\n", b"\n\n", "é".encode()))
            edits.append(Edit("a.cc", records.Span(start, start + random.randrange(9)), words.decode()))
        try:
            after = fixes.apply(data, edits)
        except FixError:
            return
        planned = mending.Plan({"a.cc": data}, {"a.cc": after}, (), (), {})
        if _patched(data, mending.diff(planned, str)) != after:
            raise WrongError("a diff that does not make what the fix makes")


_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def _patched(before: bytes, diff: bytes) -> bytes:
    """What a unified diff of one file makes of it."""
    old, out, at, last = before.split(b"\n"), list[bytes](), 0, b""
    lines = [line + b"\n" for line in old[:-1]] + ([old[-1]] if old[-1] else [])
    for line in diff.split(b"\n")[2:-1]:
        if (hunk := _HUNK.fullmatch(line)) is not None:
            start = int(hunk[1]) - (hunk[2] != b"0")
            out += lines[at:start]
            at = start
        elif line.startswith(b"\\"):
            out[-1:] = [out[-1].removesuffix(b"\n")] if last != b"-" else out[-1:]
        else:
            if line[:1] in (b" ", b"+"):
                out.append(line[1:] + b"\n")
            if line[:1] in (b" ", b"-"):
                at += 1
            last = line[:1]
    return b"".join((*out, *lines[at:]))


# --- the cache --------------------------------------------------------------------------------


class CacheEntries:
    """Entries of a cache. What lies in the folder was changed by somebody without the secret: it is a miss. What was
    written by another version is signed and is text, and has another shape: it is a miss, or it is used."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / "native.cc"
        path.write_bytes(_COMPANION)
        reader = Reader(worker.Handshake(vocabulary()))
        self._encoded = reader.answer(worker.Request("structure", "native.cc", str(path)))[1]
        file = records.decode_file(self._encoded)
        found = ask_rules([file])
        report = compose(found, [file], Sources(folder), config.Config(), known=RuleNames(()), ran=[])
        self._kinds: list[tuple[Any, bytes]] = [
            (records.FileRecord, self._encoded),
            (list[Finding], msgspec.json.encode(found)),
            (pipeline._Result, msgspec.json.encode(pipeline._Result((), report))),
            (Vocabulary, encode_vocabulary(vocabulary())),
        ]
        self._words = [b"[", b"]", b"{", b"}", b",", b"0", b"-1", b"1e999", b"99999999999999999999", b"null", b'""', b'"x"', b"true", b'"/etc/passwd"', *given.STRANGE]  # fmt: skip
        self._cache = cache.Cache(folder / "cache")
        self._key = cache.Cache.key(b"an entry")
        self._cache.put(self._key, self._kinds[1][1])
        self._place = next(path for path in (folder / "cache").glob("??/*") if path.is_file())
        self._whole = self._place.read_bytes()

    def make(self, random: Random) -> bytes:
        """The first byte says which kind it is; 4 is a file of the folder as it lies there."""
        which = random.choice((0, 0, 1, 1, 2, 2, 4, 4, 4)) if random.random() < 0.97 else 3
        if which == 4:
            return b"4" + given.mutated(random, [self._whole], self._words)
        data = given.mutated(random, [self._kinds[which][1]], self._words)
        return b"%d" % which + data.decode("utf-8", "replace").encode()

    def run(self, data: bytes, random: Random) -> None:
        which, data = int(data[:1]), data[1:]
        if which == 4:
            self._place.write_bytes(data)
            if self._cache.get(self._key) not in (None, self._kinds[1][1]):
                raise WrongError("a changed entry is believed")
            return
        try:
            match which:
                case 0:
                    decoded: Any = records.decode_file(data)
                case 3:
                    decoded = decode_vocabulary(data)
                case _:
                    decoded = msgspec.json.decode(data, type=self._kinds[which][0])
        except msgspec.DecodeError:
            return
        if which in (1, 2):
            self._shown(decoded, random)

    def _shown(self, decoded: Any, random: Random) -> None:
        """What decodes is believed: it may be wrong, but it must not bring down the run, nor show another's file."""
        if isinstance(decoded, list):
            file = records.decode_file(self._encoded)
            report = compose(decoded, [file], Sources(self._folder), config.Config(), known=RuleNames(()), ran=[])
        else:
            report = decoded.report
        show_everywhere(report, self._folder, random, texts=False)


# --- renderers --------------------------------------------------------------------------------

_TEXTS = ("x", "`x` is released twice", "", "\x1b[31m", "a\nb", "</script><img src=x>", "]]>", "${{ secrets }}", "::error::x", "%0A", "[x](javascript:1)", "`" * 9, "|", "\u202e", "\ud800", "\U0001f4a5" * 5, "x" * 3_000, "&amp;", "\0", "e\u0301" * 9, "\ufffe", "{{ x }}", "../" * 9, "<!--")  # fmt: skip
_PATHS = ("a.cc", "b.py", "no.cc", "a\nb.cc", "/etc/passwd", "../../etc/passwd", "x" * 300, "\x1b]0;x\x07.py", "", ".", "a b%20.cc", "é.cc", "C:\\x.cc", "a:1:2.cc", "-o.py")  # fmt: skip
_WORDS = tuple(text for text in _TEXTS if text.isascii() or text.encode("utf-8", "replace").decode() == text)
"""What a fix may write, like paths and symbols, comes from facts, which are UTF-8."""


def show_everywhere(report: Report, root: Path, random: Random, *, texts: bool = True) -> None:
    """In one format that chance names, or in all for one report of eight. Names of rules come from packs and from nowhere
    else: where they may be anything (not `texts`), they are not looked at."""
    settings = config.Settings(config=config.Config())
    options = pipeline.Options(root=root, paths=(root,), settings=settings)
    for name in FORMATS if random.randrange(8) == 0 else (random.choice(FORMATS),):
        said = rendered(report, options, name, colour=random.random() < 0.3 and name == "full")
        _check_form(name, said, texts=texts)


_COLOUR = re.compile(r"\x1b\[[0-9;]*m|[\n\t]")


def _check_form(name: str, text: str, *, texts: bool) -> None:
    text.encode()
    if "root:x:0:0" in text:
        raise WrongError(f"{name}: what stands in another's file")
    match name:
        case "json" | "sarif" | "gitlab" | "rdjson":
            json.loads(text)
        case "json-lines":
            for line in text.splitlines():
                json.loads(line)
        case "junit":
            ET.fromstring(text)
        case "full" | "concise" | "github" | "markdown" if texts:
            if (bad := HARMFUL.search(_COLOUR.sub("", text))) is not None:
                raise WrongError(f"{name}: the control character {bad[0]!r}")


class Renderers:
    """Every format, with reports that no rule would make."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "shown"
        self._folder.mkdir(exist_ok=True)
        self._lines = given.blocks("cpp")[:40]
        (self._folder / "a.cc").write_bytes(
            b"\xff\x00\x1b[31m\t\xe2\x80\xae\r\n" + b"".join(self._lines[:3]) + b"no end"
        )
        (self._folder / "b.py").write_bytes(b"\xef\xbb\xbf" + "é\U0001f4a5 = 1\t\t# \u2028\n".encode() * 30)
        self._names = RuleNames(rule_infos())
        self._ids = self._names.ids[:5]

    def make(self, random: Random) -> bytes:
        """The number that the report is made of: there is nothing smaller to cut it to."""
        return b"%d" % random.getrandbits(60)

    def run(self, data: bytes, random: Random) -> None:
        random = Random(data)
        files = [records.FileRecord(path, "cpp", 1) for path in _PATHS[:4]]
        said: list[Finding | Crash] = [self._finding(random) for _ in range(random.randrange(5))]
        if random.random() < 0.2:
            said.append(Crash("x", random.choice(_PATHS), random.choice(_TEXTS)))
        unread = [Incomplete(random.choice(_PATHS), random.choice(_TEXTS)) for _ in range(random.randrange(3))]
        report = compose(
            said, files, Sources(self._folder), config.Config(certainty="possible"), known=self._names, ran=self._ids,
            unread=unread, hint=random.choice(_TEXTS),
        )  # fmt: skip
        show_everywhere(report, self._folder, random)
        baseline.text(baseline.entries(report)).encode()
        mending.exported(self._folder, report)[0].encode()

    def _finding(self, random: Random) -> Finding:
        text = functools.partial(random.choice, _TEXTS)
        path = functools.partial(random.choice, _PATHS[:4] if random.random() < 0.7 else _PATHS)
        steps = tuple(Step(path(), self._span(random), text()) for _ in range(random.choice((0, 1, 2, 9))))
        edits = tuple(Edit(path(), self._span(random), random.choice(_WORDS)) for _ in range(random.randrange(3)))
        fix = Fix(text(), edits, random.random() < 0.5) if random.random() < 0.4 else None
        certainty = random.choice(CERTAINTIES)
        rule = random.choice(self._ids)
        symbol = random.choice(_WORDS)
        return Finding(path(), self._span(random), text(), certainty, text(), steps, symbol, fix, rule, "warning")

    @staticmethod
    def _span(random: Random) -> records.Span:
        start = random.choice((0, 1, 5, 60, 400, 10**9, -1, random.randrange(900)))
        return records.Span(start, start + random.choice((0, 1, 7, 300, -3, 10**9)))


TARGETS: MappingProxyType[str, Callable[[Path], Target]] = MappingProxyType({
    "cpp-structure": lambda folder: Code(folder, "structure", given.CPP, "cpp"),
    "cpp-typed": lambda folder: Code(folder, "meaning", given.CPP, "cpp"),
    "python": lambda folder: Code(folder, "python", given.PYTHON, "python"),
    "models": ModelFiles,
    "settings": SettingsFiles,
    "contracts": ContractFiles,
    "baselines": Baselines,
    "diffs": Diffs,
    "cache-entries": CacheEntries,
    "renderers": Renderers,
})  # fmt: skip
