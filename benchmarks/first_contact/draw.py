"""Draws the releases of a round of first contact, at random within kinds, and prints the round's file.

    python benchmarks/first_contact/draw.py --round N [--seed S] [--suite sid] [--names KIND=LIST]... [--mentioned DIR]

A kind is known by what a package list says of a package (what it is built with, what its description names), never
by its code. The list is that of Debian's sources in one suite, as this machine's apt has it. `--names` gives a further
list for a kind, of names one a line: those drawn come through the package index. Whatever this project, an earlier
round or a folder given with `--mentioned` mentions by name is left out, and so is what is large. The seed is printed
into the file: the same seed, suite and day draw the same.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import random
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCHMARKS))

from corpora import FetchError, Release, debian_options, from_index, run_in, upstream_tarball  # noqa: E402

SMALLEST, LARGEST = 30_000, 12_000_000
"""Bytes of a packed archive: below there is little to read, above it is not one reader's afternoon."""
COUNTS = {"pybind11": 4, "nanobind": 4, "c-api": 5, "boost-python": 3, "runtime": 5, "python-users": 4}
NAMED = 3
"""Releases that are drawn from a list of names."""
_BINDERS = ("pybind11", "nanobind", "libboost-python", "libboost-all-dev", "cython", "swig", "python3-sip", "sip-tools")
_WINDOWS = ("qt6", "qtbase5", "libgtk", "wx3", "libwxgtk", "kf6", "extra-cmake-modules")


@dataclass(frozen=True)
class Package:
    """A source package as Debian's lists describe it. `described` is what its binary packages say of themselves,
    `needs` what they depend on, `compiled` whether any is made for a machine, `develops` whether one holds headers."""

    name: str
    version: str
    sha256: str
    size: int
    section: str
    built_with: str
    described: str = ""
    needs: str = ""
    compiled: bool = True
    develops: bool = False

    def uses(self, *names: str) -> bool:
        return any(re.search(rf"(?<![\w-]){re.escape(name)}", self.built_with) for name in names)


def kind_of(package: Package) -> str:
    """The one kind that a package counts as; empty for none."""
    if package.uses("nanobind", "python3-nanobind"):
        return "nanobind"
    if package.uses("pybind11", "python3-pybind11"):
        return "pybind11"
    if package.uses("libboost-python"):
        return "boost-python"
    if package.uses("python3-cffi") or re.search(r"\b(ctypes|cffi)\b", package.described):
        return "python-users"
    extension = package.section == "python" or package.name.startswith("python-")
    if package.uses("python3-dev", "python3-all-dev", "libpython3-dev", "libpython3-all-dev"):
        return "c-api" if extension and package.compiled and not package.uses(*_BINDERS) else ""
    library = package.section == "libs" and package.develops and "libstdc++6" in package.needs
    return "runtime" if library and not package.uses(*_BINDERS, *_WINDOWS) else ""


def stanzas(text: str) -> Iterator[dict[str, str]]:
    """The paragraphs of a Debian control file; a continued field keeps its lines."""
    for paragraph in text.split("\n\n"):
        fields: dict[str, str] = {}
        key = ""
        for line in paragraph.splitlines():
            if line[:1] in " \t":
                fields[key] = fields.get(key, "") + "\n" + line.strip()
            else:
                key, _, value = line.partition(":")
                fields[key] = value.strip()
        if fields:
            yield fields


def packages(sources: str, binaries: str) -> list[Package]:
    """All source packages that have one upstream archive, the newest version of each, in order of their names."""
    described: dict[str, list[dict[str, str]]] = {}
    for fields in stanzas(binaries):
        described.setdefault(fields.get("Source", fields.get("Package", "")).split(" ")[0], []).append(fields)
    found: dict[str, Package] = {}
    for fields in stanzas(sources):
        archives = re.findall(
            r"^([0-9a-f]{64}) (\d+) \S+\.orig\.tar\.\w+$", fields.get("Checksums-Sha256", ""), re.MULTILINE
        )
        if len(archives) != 1 or "Extra-Source-Only" in fields:
            continue
        name, own = fields["Package"], described.get(fields["Package"], [])
        found[name] = Package(
            name,
            fields["Version"].split(":", 1)[-1].rsplit("-", 1)[0],
            archives[0][0],
            int(archives[0][1]),
            fields.get("Section", "").rpartition("/")[2],
            " ".join(fields.get(key, "") for key in ("Build-Depends", "Build-Depends-Arch")),
            " ".join(one.get("Description", "") for one in own).lower(),
            " ".join(one.get("Depends", "") for one in own),
            fields.get("Architecture", "") != "all",
            any(one.get("Package", "").endswith("-dev") for one in own),
        )
    return [found[name] for name in sorted(found)]


def core(name: str) -> str:
    """What a package's name is about: `python-mapbox-earcut`, `libfoo` and `py-foo` are known by fewer letters, too."""
    bare = re.sub(r"^(python3?-|lib|py-?)|(-python|-cpp)$", "", name.lower())
    return bare if len(bare) > 2 else name.lower()


def mentioner(texts: Iterable[str]) -> Callable[[str], bool]:
    """Whether a name, or a part of five letters or more, stands in any of the texts as a word, however it is joined."""
    words = re.sub(r"[-_. ]+", "-", "\n".join(texts).lower())

    def stands(name: str) -> bool:
        return name in words and bool(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", words))

    def mentioned(name: str) -> bool:
        parts = {name.lower(), core(name), *re.findall(r"[a-z0-9]{5,}", core(name).lower())}
        return any(stands(re.sub(r"[-_.]+", "-", one)) for one in parts)

    return mentioned


def read_all(folders: Iterable[Path]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and ".git" not in path.parts and path.stat().st_size < 5_000_000:
                yield path.read_text(encoding="utf-8", errors="ignore")


def draw(
    known: Sequence[Package],
    counts: Mapping[str, int],
    mentioned: Callable[[str], bool],
    to_be_had: Callable[[Package], bool],
    chance: random.Random,
) -> Iterator[tuple[str, Package]]:
    """So many of each kind; fewer where the list has no more, or the mirror does not hold what its list says."""
    for kind, count in counts.items():
        fit = [one for one in known if SMALLEST <= one.size <= LARGEST and kind_of(one) == kind]
        print(f"{kind}: {len(fit)} to draw from", file=sys.stderr)
        chance.shuffle(fit)
        drawn = (one for one in fit if not mentioned(one.name) and to_be_had(one))
        yield from ((kind, one) for one in itertools.islice(drawn, count))


def draw_named(names: Sequence[str], mentioned: Callable[[str], bool], chance: random.Random) -> Iterator[Release]:
    """Packages of the index; a drawn name that has no source distribution there is passed over, six at most."""
    fit = [name for name in names if not mentioned(name)]
    chance.shuffle(fit)
    found = 0
    for name in fit[: NAMED + 6]:
        if found == NAMED:
            return
        with tempfile.TemporaryDirectory() as work:
            try:
                archive = from_index(name, "", Path(work))
            except FetchError as error:
                print(f"passed over: {name}: {error}", file=sys.stderr)
                continue
            if archive.stat().st_size <= LARGEST:
                found += 1
                version = archive.name.removesuffix(".tar.gz").rpartition("-")[2]
                yield Release(name, version, hashlib.sha256(archive.read_bytes()).hexdigest())


class Suite:
    """What apt knows of one suite, in a folder of its own."""

    def __init__(self, name: str, work: Path) -> None:
        self.name = name
        self._work = work
        self._options = debian_options(work, name, binaries=True)
        run_in(["apt-get", "-q", *self._options, "update"], work)

    def packages(self) -> list[Package]:
        lists = (sorted((self._work / "lists").glob(f"*_{kind}*")) for kind in ("Sources", "Packages"))
        sources, binaries = (
            run_in(["/usr/lib/apt/apt-helper", "cat-file", *map(str, paths)], self._work) for paths in lists
        )
        return packages(sources, binaries)

    def release(self, package: Package) -> Release:
        return Release(package.name, package.version, package.sha256, self.name, package.name)

    def holds(self, package: Package) -> bool:
        """Whether the archive can be had: a mirror's list can name what the mirror has not."""
        try:
            upstream_tarball(self.release(package), self._options, self._work).unlink()
        except FetchError as error:
            print(f"passed over: {package.name}: {error}", file=sys.stderr)
            return False
        return True


def entry(release: Release, kind: str) -> str:
    fields = {"name": release.name, "version": release.version, "sha256": release.digest, "kind": kind}
    fields |= {"suite": release.suite, "source": release.source} if release.suite else {}
    return "\n[[release]]\n" + "".join(f'{key} = "{value}"\n' for key, value in fields.items())


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw the releases of a round of first contact.")
    parser.add_argument("--round", type=int, required=True)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--suite", default="sid")
    parser.add_argument("--names", action="append", default=[], metavar="KIND=LIST", help="a list of names for a kind")
    parser.add_argument("--only-names", action="store_true", help="draw from those lists alone")
    parser.add_argument("--mentioned", type=Path, action="append", default=[], help="what names must not stand in")
    given = parser.parse_args()
    mentioned = mentioner(read_all([BENCHMARKS.parent, *given.mentioned]))
    chance = random.Random(given.seed)
    print(f'round = {given.round}\nseed = {given.seed}\nsuite = "{given.suite}"')
    with tempfile.TemporaryDirectory() as name:
        suite = Suite(given.suite, Path(name))
        counts = {} if given.only_names else COUNTS
        for kind, one in draw(suite.packages(), counts, mentioned, suite.holds, chance):
            print(entry(suite.release(one), kind), end="", flush=True)
    for kind, _, path in (one.partition("=") for one in given.names):
        for release in draw_named(Path(path).read_text(encoding="utf-8").split(), mentioned, chance):
            print(entry(release, kind), end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
