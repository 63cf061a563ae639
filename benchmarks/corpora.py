"""Fetches the public releases that figures are measured on, each pinned by version and hash.

    python benchmarks/corpora.py [--to DIR] [--clones DIR] [NAME ...]

Nothing of them is kept in this repository. Source distributions come through the package index that pip is
configured with, and are only downloaded and unpacked: nothing of them is built. MLIR (out of LLVM's
sources), RocksDB and LevelDB are Debian's source packages, through the mirror that this machine's apt uses. What is
published as a repository alone is a commit of it, out of a bare clone `DIR/OWNER+NAME` (or `DIR/OWNER+NAME/repo`).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class Release:
    """One pinned archive. `suite` is the Debian suite it is a source of, `source` the package's name there and
    `only` the one folder that is unpacked; empty for a package of the index. What has a `repository` (`owner/name`) is
    a commit, which is its own hash, and has its first twelve digits for a version."""

    name: str
    version: str
    digest: str
    suite: str = ""
    source: str = ""
    only: str = ""
    repository: str = ""

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
        "14.0.6",
        "d9bce5f42381d781e273c724db1ab0acd66259bf2782b79891664dbf1953d22c",
        "bookworm",
        "llvm-toolchain-14",
        "mlir",
    ),
    Release(
        "mlir",
        "15.0.6",
        "076ac9fe372b3141b4fcbee80abfae34f9574fdb959cd8d14a7fd3f39ff89399",
        "bookworm",
        "llvm-toolchain-15",
        "mlir",
    ),
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
        "17.0.6",
        "04c12edc1995d9bb15da30d69f0207dda43b7833eaa989176c099e465cd38aee",
        "trixie",
        "llvm-toolchain-17",
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
        "21.1.8",
        "d983d6b6ffce1d413a1910a9fd00f794bb99a5ae4c4e7d23d18a99254640f4eb",
        "sid",
        "llvm-toolchain-21",
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
    Release(
        "mlir",
        "23.1.1",
        "0a5838b993f406534db7e6dc7df66e295354a1e9a23bb21e5739cf5df5bc7689",
        "sid",
        "llvm-toolchain-23",
        "mlir",
    ),
    Release("rocksdb", "9.11.2", "4005068f5099c54c39968f3466da216e0a7b97fc78e1c51c722e643763058a5c", "sid", "rocksdb"),
    Release("leveldb", "1.23", "9a37f8a6174f09bd622bc723b55881dc541cd50747cbd08831c2a82d620f6d76", "trixie", "leveldb"),
)

PYTHON = (
    Release("accelerate", "1.15.0", "5654f8c5eaa0d4fa68b33e287a97765da6849bf6d51dcac874e73fbbddfb6134"),
    Release("cffi", "2.1.1", "dd31f52ea1086513bb9df30f8fcee9b8918323ae067a3d5b78bc826a000712be"),
    Release("chex", "0.1.92", "fa8beff1124204ae466a6eb13cb91ae3c24322a1c7216946aee93d031e2f1996"),
    Release("cupy", "14.2.0", "cfed725e612178cfbdbf62f4a3a598b60edecbbca718c0d4580c21a16ae4a62c"),
    Release("deepspeed", "0.19.8", "9e491abd0827ea5c389dd702e15e11e13d83d904bac4a20d6c2a4cb37207a9af"),
    Release("diffrax", "0.7.2", "9adc70fe90dba83f7dd839845839b2531a3dd736a3944fe1aa26598507cfb48e"),
    Release("diffusers", "0.42.1", "ce855ab670c8cd1c7a61be8f12fbc68c081bca8ec5e747273946d8d6c2aff23b"),
    Release("equinox", "0.13.8", "dd075050018e2dd02e252e9d29d3060f7e67f085622d8d27a8e89e24bb8523db"),
    Release("flax", "0.12.12", "103cc503c94219513b73027aa0e93aac408adfd3fcdfb1df85e9d147219e4896"),
    Release("h5py", "3.16.0", "a0dbaad796840ccaa67a4c144a0d0c8080073c34c76d5a6941d6818678ef2738"),
    Release("llvmlite", "0.50.0", "f2a2cd6ec9ffcc1b7147dea0d7a49efebf17a2b434e0c2844fe175999d571eb4"),
    Release("lmdb", "3.0.0", "06dda0723545e14d56ac7dcd6f582d9922c2ed5e16f1c3f8d0e670a96ec2ee65"),
    Release("netcdf4", "1.7.5.1.post1", "9823076013fd54e7984d3ae8f431671fd199b15eeb267f91b8c4b057fd8324ab"),
    Release("numba", "0.68.1", "9de461812470173a14eeb7e0bbd27c897dffe835402a33861166842fc5f6ea57"),
    Release("numpy", "2.5.5", "5cddc243c75114ba845f01b1f87aca1572dbf7b6c2d88636ed3e1d2bccd7f1bf"),
    Release("optax", "0.2.8", "5b225b35066fc3eebaa4d798f1b4173b4d57d1a480610908981f8343b50af0b0"),
    Release("orbax_checkpoint", "0.12.8", "fd9594cfc6dbd7881a8ce37ee9379b2a14c0e11ed49c774df1578c5ef4c6259a"),
    Release("pandas", "3.1.1", "05fed3e3b7c99b226f160e29d7d6cb7ef39638c758cbfe42b3f24ba34f04b859"),
    Release("pycuda", "2026.1", "759516160628ba06f32ce7e563e3f5b9214691dc9528a03ea99ea1073f4e14ba"),
    Release("scipy", "1.18.1", "52c4b7422442aba924d03ad4019852b08a92e64ea187b933135687bfe2747307"),
    Release("transformers", "5.23.0", "19d647a4d5d903a7c644ca5cde2d86efc3dde7d8c687ae7988806ff2205efa71"),
    Release("xformers", "0.0.35", "f7fc183a58e4bf0e2ae339a18fb1b1d4a37854c0f2545b4f360fef001646ab76"),
)
"""Their Python, with that of the above and the standard library, is what rules must stay silent on (silence.py)."""

ROUNDS = Path(__file__).parent / "first_contact/rounds"
"""The rounds of first contact: what the rules met without having been shown it. What no hash is known of is named in
the round's verdicts alone."""


def read_round(path: Path) -> tuple[int, list[tuple[Release, str]]]:
    """The round's seed, and each release with its kind."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    releases = []
    for one in told["release"]:
        kind, digest = one.pop("kind"), one.pop("sha256")
        releases.append((Release(**one, digest=digest), kind))
    return told["seed"], releases


def first_contact() -> tuple[Release, ...]:
    """The releases of every round, the earliest round first."""
    rounds = sorted(ROUNDS.glob("*.toml"), key=lambda path: int(path.stem))
    return tuple(release for path in rounds for release, _ in read_round(path)[1])


def every_release() -> tuple[Release, ...]:
    return RELEASES + PYTHON + first_contact()


class FetchError(Exception):
    """An archive cannot be had, or is not the one that was pinned."""


def default_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ownlint-corpora"


def fetch(release: Release, to: Path, clones: Path | None = None) -> Path:
    """The unpacked release below `to`; fetched unless it is there already."""
    place = to / release.folder
    if place.is_dir():
        return place
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=to) as name:
        work = Path(name)
        if release.repository:
            archive = _from_clone(release, work, clones)
        else:
            archive = _from_debian(release, work) if release.suite else from_index(release.name, release.version, work)
            _verify(archive, release)
        unpacked = work / "unpacked"
        unpack(archive, unpacked, release.only)
        unpacked.rename(place)
    return place


def _verify(archive: Path, release: Release) -> None:
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != release.digest:
        raise FetchError(f"{archive.name} has the sha256 {digest}; {release.folder} is pinned to {release.digest}")


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


def bare_clone(clones: Path | None, repository: str) -> Path:
    """The git directory of `owner/name` wherever it is below `clones`: `owner+name`, `owner/name` or `name.git`, or
    `repo` in it. Raises `FetchError` where there is none."""
    owner, _, own = repository.partition("/")
    for place in (f"{owner}+{own}", f"{owner}/{own}", f"{own}.git") if clones else ():
        for folder in ((clones or Path()) / place, (clones or Path()) / place / "repo"):
            if (folder / "HEAD").is_file():
                return folder
    raise FetchError(f"{repository} is read out of a bare clone, and there is none below {clones} (--clones)")


def _from_clone(release: Release, work: Path, clones: Path | None) -> Path:
    """Its pinned commit as an archive; git's own hash says that it is that. What the clone lacks is left out."""
    archive = work / "commit.tar"
    clone = bare_clone(clones, release.repository)
    lacking = _lacking(clone, release.digest, work)
    for path in lacking:
        print(f"left out: {path!r} is not in the clone", file=sys.stderr)
    git = ["git", "-C", str(clone), "archive", "--format", "tar", "--prefix", "commit/", "--output", str(archive)]
    run_in([*git, release.digest, "--", ".", *(f":(exclude,literal){path}" for path in lacking)], work)
    return archive


def _lacking(clone: Path, commit: str, work: Path) -> list[str]:
    """The files of a commit that a partial clone has not brought: large data, as a rule."""
    listing = ["git", "-C", str(clone), "ls-tree", "-r", "-z", "--format=%(objecttype) %(objectname) %(path)", commit]
    entries = [line.split(" ", 2) for line in run_in(listing, work).split("\0") if line]
    blobs = {path: name for kind, name, path in entries if kind == "blob"}  # a submodule is a commit
    git = ["git", "-C", str(clone), "cat-file", "--batch-check=%(objectname)"]
    told = subprocess.run(git, input="\n".join(blobs.values()), capture_output=True, text=True, check=False).stdout
    missing = {line.split(" ", 1)[0] for line in told.splitlines() if line.endswith(" missing")}
    return sorted(path for path, blob in blobs.items() if blob in missing)


# --- packages of the index ------------------------------------------------------------------------

_DOWNLOAD = """
import email, shutil, sys
from pathlib import Path
from pip._internal.cli.main import main
from pip._internal.distributions.sdist import SourceDistribution

def as_shipped(self, *arguments, **options):
    source = Path(self.req.unpacked_source_directory)
    told = email.message_from_bytes((source / "PKG-INFO").read_bytes())
    place = source / f"{told['Name'].replace('-', '_')}-{told['Version']}.dist-info"
    place.mkdir()
    shutil.copy(source / "PKG-INFO", place / "METADATA")
    self.req.metadata_directory = str(place)

SourceDistribution.prepare_distribution_metadata = as_shipped
sys.exit(main())
"""
"""pip, but what an archive says of itself is read from its PKG-INFO: `pip download` would run its build to ask."""


def from_index(name: str, version: str, work: Path) -> Path:
    """The source distribution, not unpacked; the newest for an empty version."""
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--ignore-requires-python", "--dest", str(work)]
    command = [sys.executable, "-c", _DOWNLOAD, "download", *options, f"{name}=={version}" if version else name]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    archives = sorted(work.glob("*.tar.gz"))
    if ran.returncode or not archives:
        raise FetchError(f"pip download failed: {ran.stderr.strip().splitlines()[-1:]}")
    return archives[0]


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


def debian_options(work: Path, suite: str, binaries: bool = False) -> list[str]:
    """Options with which apt knows that suite's sources alone (and its binary packages), and keeps all in `work`."""
    uri, ring = mirror()
    (work / "lists/partial").mkdir(parents=True)
    (work / "cache/archives/partial").mkdir(parents=True)
    sources = work / "sources.list"
    where = f"{f'[signed-by={ring}] ' if ring else ''}{uri} {suite} main\n"
    sources.write_text(f"deb-src {where}" + (f"deb {where}" if binaries else ""))
    settings = (f"Dir::Etc::sourcelist={sources}", "Dir::Etc::sourceparts=-", f"Dir::State::lists={work / 'lists'}")
    settings += (f"Dir::Cache={work / 'cache'}", "APT::Sandbox::User=")
    return [part for setting in settings for part in ("-o", setting)]


def _from_debian(release: Release, work: Path) -> Path:
    apt = debian_options(work, release.suite)
    run_in(["apt-get", "-q", *apt, "update"], work)
    return upstream_tarball(release, apt, work)


def upstream_tarball(release: Release, apt: list[str], work: Path) -> Path:
    """The upstream tarball of Debian's source package, whatever its Debian revision is today.

    A suite can list several upstream versions, the newest not yet on every mirror: the pinned one is asked for by name.
    """
    told = run_in(["apt-cache", *apt, "showsrc", release.source], work)
    wanted = debian_version(told, release.version)
    if not wanted:
        raise FetchError(f"{release.suite} has no {release.source} of the version {release.version}")
    run_in(["apt-get", "-q", *apt, "source", "--download-only", "--tar-only", f"{release.source}={wanted}"], work)
    tarballs = sorted(work.glob("*.orig.tar.*")) or sorted(work.glob("*.tar.*"))  # a native package has no `orig`
    if not tarballs:
        raise FetchError(f"apt-get brought no tarball of {release.source}")
    return tarballs[0]


def debian_version(showsrc: str, upstream: str) -> str:
    """The first full version (`1:17.0.6-22`) in what `apt-cache showsrc` printed whose upstream part is `upstream`."""
    for line in showsrc.splitlines():
        key, _, full = line.partition(": ")
        if key == "Version" and full.split(":", 1)[-1].rsplit("-", 1)[0] == upstream:
            return full
    return ""


def run_in(command: list[str], work: Path) -> str:
    ran = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise FetchError(f"{command[0]} failed: {ran.stderr.strip().splitlines()[-1:]}")
    return ran.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetch the pinned releases that figures are measured on.")
    parser.add_argument("names", nargs="*", help="names or name-versions; all without any")
    parser.add_argument("--to", type=Path, default=default_folder(), help="the folder to unpack in")
    parser.add_argument("--clones", type=Path, help="a folder of bare clones, for what is a commit")
    arguments = parser.parse_args()
    clones = arguments.clones and arguments.clones.resolve()
    chosen = [r for r in every_release() if not arguments.names or {r.name, r.folder} & set(arguments.names)]
    failed = 0
    for release in chosen:
        try:
            print(fetch(release, arguments.to, clones), flush=True)
        except (FetchError, OSError) as error:
            print(f"{release.folder}: {error}", file=sys.stderr)
            failed = 1
    return failed if chosen else 2


if __name__ == "__main__":
    sys.exit(main())
