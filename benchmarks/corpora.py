"""Fetches the public releases that figures are measured on, each pinned by version and hash.

    python benchmarks/corpora.py [--to DIR] [NAME ...]

Nothing of them is kept in this repository. Source distributions come through the package index that pip is
configured with, and are only downloaded and unpacked: `pip download` would run their build. MLIR (out of LLVM's
sources), RocksDB and LevelDB are Debian's source packages, through the mirror that this machine's apt uses.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class Release:
    """One pinned archive. `suite` is the Debian suite it is a source of, `source` the package's name there and
    `only` the one folder that is unpacked; empty for a package of the index."""

    name: str
    version: str
    sha256: str
    suite: str = ""
    source: str = ""
    only: str = ""

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.version}"


RELEASES = (
    Release("tensorstore", "0.1.86", "1056ab91bc9e4250f01faa1350930bb3a1a16efebba18795cdf405d3c4a1b8a4"),
    Release("grpcio", "1.85.1", "5f530287d5de5f7f66089ead81de44f6787162944dab3922efa65dfdff108a1d"),
    Release("onnx", "1.23.2", "008cb0467b2bbee41448acc7da8b6f4e704624cb0d327a2d5adafc7ce19bc5b8"),
    Release("contourpy", "1.3.3", "083e12155b210502d0bca491432bb04d56dc3432f95a979b429f2848c3dbe880"),
    Release("pyopencl", "2026.1.4", "6cb9544a004609061e86873fe36500da6c2101042e9c7b9c3b804a29a12b98bf"),
    Release("jax", "0.10.2", "bf77428a8c2e6904c4f46d5ab12aa5cfc6cad2179f07f7e4c0fc75ac86ef0639"),
    Release("pyarrow", "26.0.1", "93affcbd8a343e98dc19e9ec8fe17271ebf8fe98102d8b7454175074409f8b72"),
    Release("duckdb", "2.0.0", "09de511ef0dc76a5213e8d3d87a8b89bb4d3e8a6fe73a9f60dc001269946b44f"),
    Release(
        "mlir",
        "16.0.6",
        "5ab98480d3bc9f1896de1a1afafb46c318a9baa02bf21a4f6830c644d06c1cc0",
        "bookworm",
        "llvm-toolchain-16",
        "mlir",
    ),
    Release(
        "mlir",
        "18.1.8",
        "260836e9aefe43fa0f3065c5cc5d502a52e1c4cf03396c1982ddc886f912cbc7",
        "trixie",
        "llvm-toolchain-18",
        "mlir",
    ),
    Release(
        "mlir",
        "19.1.7",
        "ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce",
        "trixie",
        "llvm-toolchain-19",
        "mlir",
    ),
    Release(
        "mlir",
        "22.1.8",
        "b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe",
        "sid",
        "llvm-toolchain-22",
        "mlir",
    ),
    Release("rocksdb", "9.11.2", "4005068f5099c54c39968f3466da216e0a7b97fc78e1c51c722e643763058a5c", "sid", "rocksdb"),
    Release("leveldb", "1.23", "9a37f8a6174f09bd622bc723b55881dc541cd50747cbd08831c2a82d620f6d76", "trixie", "leveldb"),
)


class FetchError(Exception):
    """An archive cannot be had, or is not the one that was pinned."""


def default_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ownlint-corpora"


def fetch(release: Release, to: Path) -> Path:
    """The unpacked release below `to`; fetched unless it is there already."""
    place = to / release.folder
    if place.is_dir():
        return place
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=to) as name:
        work = Path(name)
        archive = _from_debian(release, work) if release.suite else _from_index(release, work)
        _verify(archive, release)
        unpacked = work / "unpacked"
        unpack(archive, unpacked, release.only)
        unpacked.rename(place)
    return place


def _verify(archive: Path, release: Release) -> None:
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != release.sha256:
        raise FetchError(f"{archive.name} has the sha256 {digest}; {release.folder} is pinned to {release.sha256}")


def unpack(archive: Path, to: Path, only: str = "") -> None:
    """Unpacks below `to` without the archive's top folder; with `only`, just that folder of it."""
    to.mkdir()
    with tarfile.open(archive, "r|*") as members:
        for member in members:
            parts = PurePosixPath(member.name).parts[1:]
            if not parts or (only and parts[0] != only):
                continue
            name = str(PurePosixPath(*parts))
            if member.islnk():
                target = str(PurePosixPath(*PurePosixPath(member.linkname).parts[1:]))
                member = member.replace(linkname=target, deep=False)
            try:
                members.extract(member.replace(name=name, deep=False), to, filter="data")
            except tarfile.FilterError as error:
                print(f"left out: {error}", file=sys.stderr)


# --- packages of the index ------------------------------------------------------------------------


def index_url() -> str:
    """The index that pip would ask."""
    if url := os.environ.get("PIP_INDEX_URL"):
        return url
    for key in ("global.index-url", "install.index-url", "download.index-url"):
        if url := _pip(["-m", "pip", "config", "get", key]):
            return url
    return _pip(["-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"])


def _pip(arguments: list[str]) -> str:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False).stdout.strip()


class _Links(HTMLParser):
    """The links of an index page that does not speak JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (link := dict(attrs).get("href")):
            self.found.append(link)


def _links(name: str) -> Iterator[str]:
    request = urllib.request.Request(
        f"{index_url().rstrip('/')}/{name}/",
        headers={"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        body = response.read()
        if "json" in response.headers.get("content-type", ""):
            links = [file["url"] for file in json.loads(body)["files"]]
        else:
            parser = _Links()
            parser.feed(body.decode())
            links = parser.found
        yield from (urllib.parse.urljoin(response.url, link) for link in links)


def _from_index(release: Release, work: Path) -> Path:
    wanted = f"{release.name}-{release.version}.tar.gz"
    for link in _links(release.name):
        url = urllib.parse.urldefrag(link).url
        if urllib.parse.unquote(PurePosixPath(urllib.parse.urlsplit(url).path).name) == wanted:
            with urllib.request.urlopen(url, timeout=300) as response, (work / wanted).open("wb") as out:
                shutil.copyfileobj(response, out)
            return work / wanted
    raise FetchError(f"the index has no {wanted}")


# --- Debian's sources -----------------------------------------------------------------------------


def mirror() -> tuple[str, str]:
    """The URI of the mirror that this machine's apt uses, and its key ring where one is named."""
    for path in sorted(Path("/etc/apt").glob("sources.list.d/*.sources")):
        for stanza in path.read_text().split("\n\n"):
            fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and line[0].isalpha())
            if "main" in fields.get("Components", "") and "security" not in fields.get("Suites", ""):
                return fields["URIs"].split()[0], fields.get("Signed-By", "")
    for path in (Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt").glob("sources.list.d/*.list"))):
        for line in path.read_text().splitlines() if path.is_file() else ():
            words = [
                word for word in line.split() if not word.startswith(("[", "signed-by")) and not word.endswith("]")
            ]
            if words[:1] == ["deb"] and "main" in words and "security" not in words[2]:
                return words[1], ""
    raise FetchError("apt on this machine names no mirror with Debian's main component")


def _from_debian(release: Release, work: Path) -> Path:
    """The upstream tarball of Debian's source package, whatever its Debian revision is today."""
    uri, ring = mirror()
    (work / "lists/partial").mkdir(parents=True)
    (work / "cache/archives/partial").mkdir(parents=True)
    sources = work / "sources.list"
    sources.write_text(f"deb-src {f'[signed-by={ring}] ' if ring else ''}{uri} {release.suite} main\n")
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=-"]
    apt += [
        "-o",
        f"Dir::State::lists={work / 'lists'}",
        "-o",
        f"Dir::Cache={work / 'cache'}",
        "-o",
        "APT::Sandbox::User=",
    ]
    for command in (["update"], ["source", "--download-only", "--tar-only", f"{release.source}/{release.suite}"]):
        ran = subprocess.run([*apt, *command], cwd=work, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise FetchError(f"apt-get {command[0]} failed: {ran.stderr.strip().splitlines()[-1:]}")
    tarballs = sorted(work.glob("*.orig.tar.*"))
    if not tarballs:
        raise FetchError(f"apt-get brought no tarball of {release.source}")
    return tarballs[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch the pinned releases that figures are measured on.")
    parser.add_argument("names", nargs="*", help="names or name-versions; all without any")
    parser.add_argument("--to", type=Path, default=default_folder(), help="the folder to unpack in")
    arguments = parser.parse_args()
    chosen = [r for r in RELEASES if not arguments.names or {r.name, r.folder} & set(arguments.names)]
    failed = 0
    for release in chosen:
        try:
            print(fetch(release, arguments.to), flush=True)
        except (FetchError, OSError) as error:
            print(f"{release.folder}: {error}", file=sys.stderr)
            failed = 1
    return failed if chosen else 2


if __name__ == "__main__":
    sys.exit(main())
