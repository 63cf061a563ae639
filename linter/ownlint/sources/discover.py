"""Which files the project has, and which of them were asked for.

The files asked for limit what is *reported*, not what is *known*: every source of the root is known.
Only regular files count; a link is followed when it stays under the root. The order is by path.
"""

# os.path is several times as fast, and this is done for every file of the project.
# ruff: noqa: PTH116, PTH119, PTH120, PTH122

from __future__ import annotations

import codecs
import errno
import fnmatch
import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ownlint import door
from ownlint.config import NAMES, Config
from ownlint.facts.base import Language
from ownlint.facts.errors import RefusalError
from ownlint.sources.git import Git, GitError, top

_CPP = (
    "h hh hpp hxx h++ inc ipp tpp tcc txx inl c cc cpp cxx c++ cu cuh hip m mm cppm ixx".split()  # noqa: SIM905
)
SUFFIXES: dict[str, Language] = {**{f".{each}": "cpp" for each in _CPP}, ".py": "python", ".pyi": "python"}

DEFAULT_EXCLUDE = frozenset(
    "__pycache__ node_modules venv env build dist out builddir _build target site-packages".split()  # noqa: SIM905
)
"""Names of folders that hold no source of the project, where git does not track what is in them.
So are those that start with a dot, and `cmake-build-*`, `bazel-*`, `*.egg-info`."""
_DEFAULT_EXCLUDE_LIKE = ("cmake-build-*", "bazel-*", "*.egg-info", "*.dist-info")

_RACY_NS = 2_000_000_000
_GIT_SECONDS = 30
_MOST_FILES = 400_000
_MOST_IGNORE_BYTES = 1 << 18


class DiscoverError(RefusalError):
    """The run cannot start; the text is one line."""


Decides = Callable[[str, bool], bool | None]
"""Whether a .gitignore leaves out a path, which may be a folder; None where it does not say."""

Closed = dict[str, str]
"""Folders that cannot be listed, each with the reason; filled while the others are."""


class Stamp(NamedTuple):
    """What tells that a file is the one that was read before, without reading it again."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int

    @staticmethod
    def of(status: os.stat_result) -> Stamp:
        return Stamp(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)

    def is_settled(self) -> bool:
        """A file changed this shortly before it was read may change again without a new time."""
        return max(self.mtime_ns, self.ctime_ns) < time.time_ns() - _RACY_NS


class Source(msgspec.Struct, frozen=True, gc=False):
    """`relative` is the path below the root, with `/`; `asked` files are reported on, others only known."""

    path: Path
    relative: str
    language: Language
    asked: bool
    stamp: Stamp = Stamp(0, 0, 0, 0)


class Discovered(msgspec.Struct, frozen=True):
    root: Path
    sources: tuple[Source, ...]
    unread: tuple[tuple[str, str], ...] = ()
    """Relative paths that look like sources and cannot be read as such, and folders, each with the reason."""
    foreign: tuple[str, ...] = ()
    """Relative paths of files that are asked for by name and that neither their suffix nor `include` calls sources."""


class ProjectScope(msgspec.Struct, frozen=True):
    """What of a project is reported, where other projects lie below or above it. All of it is known."""

    nested: tuple[str, ...] = ()
    """Folders, relative to the root, with settings of their own: others report on them."""
    outer: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For each project above whose patterns count here, too: where the root is in it, and what it excludes."""

    def matcher(self) -> Callable[[str], bool]:
        """Whether a file of the project, by its relative path, is left to others or left out by them."""
        nested = tuple(f"{folder}/" for folder in self.nested)
        outer = [(prefix, _matcher(patterns)) for prefix, patterns in self.outer if patterns]
        if not nested and not outer:
            return lambda relative: False
        return lambda relative: (
            relative.startswith(nested) or any(excluded(f"{prefix}/{relative}") for prefix, excluded in outer)
        )


ALONE = ProjectScope()


_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "PKG-INFO", "MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel")
"""What stands at the top of a project, and seldom in the folders below."""
_TOPS = frozenset((*_MARKERS, ".git"))


def root_of(paths: Sequence[Path], config_file: Path | None) -> Path:
    """The folder of the configuration, else the top of the git tree, else a folder that `_MARKERS` say is the top of
    a project, else the working directory where it holds the paths, else what the paths have in common."""
    if config_file is not None:
        return config_file.parent.resolve()  # a link to settings holds for where it stands
    common = _common(paths)
    return top(common) or _without_git(common, Path.cwd().resolve())


def is_marked(root: Path) -> bool:
    """Whether something that stands there says that it is the top of a project."""
    return top(root) is not None or _has_marker(root)


def _has_marker(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _MARKERS)


def _without_git(common: Path, here: Path) -> Path:
    """The top of the project that `common` is in, as in an unpacked archive, or a copy in a container."""
    around = [common, *common.parents]
    marked = [folder for folder in around if _has_marker(folder)]
    if here not in around or here in (Path(here.anchor), _home()):
        return marked[0] if marked else common
    inside = [folder for folder in marked if here in folder.parents or folder == here]
    return (inside[-1:] or marked[:1] or [here])[0]


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None


def _common(paths: Sequence[Path]) -> Path:
    # A link to a file stands where it stands: it does not make a project of where it leads.
    folders = [_nearest_folder(path if path.is_dir() else path.parent) for path in paths]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def _nearest_folder(path: Path) -> Path:
    """The path itself, or what is above it where it does not exist yet."""
    resolved = path.resolve()
    return next(folder for folder in (resolved, *resolved.parents) if folder.is_dir())


def discover(
    root: Path, paths: Sequence[Path], config: Config, scope: ProjectScope = ALONE, unsaved: Collection[Path] = ()
) -> Discovered:
    """Raises `DiscoverError` when a path that is asked for does not exist, unless it is `unsaved`, without links: a
    file that is about to stand there."""
    root = root.resolve()
    found = _found(root, paths, config, scope, unsaved)
    sources, unread = _checked(root, found.files, found.new)
    closed = ((folder, reason) for folder, reason in found.closed.items() if _under(folder, found.asked))
    unread += [(_as_text(folder) or ".", reason) for folder, reason in closed]
    return Discovered(root, tuple(sources), tuple(sorted(unread)), tuple(map(_as_text, sorted(found.foreign))))


def folders(root: Path, paths: Sequence[Path], config: Config) -> list[str]:
    """The folders, relative to the root and sorted, that hold a file that is asked for; empty for the root itself.
    Raises `DiscoverError` like `discover`."""
    found = _found(root.resolve(), paths, config, ALONE)
    return sorted({os.path.dirname(relative) for relative, asked in found.files.items() if asked})


class _Found(NamedTuple):
    """By relative path, whether a file is asked for; folders that cannot be listed; the paths below the root; of them
    those that are no sources, and those that are not there yet."""

    files: dict[str, bool]
    closed: Closed
    asked: list[str]
    foreign: set[str]
    new: set[str]


def _found(
    root: Path, paths: Sequence[Path], config: Config, scope: ProjectScope, unsaved: Collection[Path] = ()
) -> _Found:
    if not _is_text(str(root)):
        raise DiscoverError(f"{_as_text(str(root))}: the name of the project's folder is not valid UTF-8")
    asked = [_asked(path, root, unsaved) for path in paths]
    new = {_asked(path, root, unsaved) for path in unsaved if not os.path.lexists(path)}
    excluded = _matcher((*config.exclude, *config.extend_exclude))
    included = _matcher(config.include)
    others = scope.matcher()
    found: dict[str, bool] = {}
    closed: Closed = {}
    for relative in _listed(root, closed, asked):
        if len(found) < _MOST_FILES and (is_source(relative) or included(relative)) and not excluded(relative):
            found[relative] = _under(relative, asked) and not others(relative)
    foreign: set[str] = set()
    for place in asked:
        if config.force_exclude and place and (excluded(place) or others(place)):
            continue
        is_file = bool(place) and (place in new or (root / place).is_file())
        if is_file and not is_source(place) and not included(place):
            foreign.add(place)
            continue
        for relative in _asked_files(root, place, found, excluded, closed):
            found[relative] = relative == place or not others(relative)
    return _Found(found, closed, asked, foreign, new)


def is_source(relative: str) -> bool:
    return os.path.splitext(relative)[1].lower() in SUFFIXES


def language_of(path: str) -> Language:
    return SUFFIXES.get(os.path.splitext(path)[1].lower(), "cpp")


def _asked(path: Path, root: Path, unsaved: Collection[Path]) -> str:
    """The path below the root, empty for the root itself."""
    try:
        resolved = path.resolve()
        if resolved not in unsaved:
            resolved.stat()
    except FileNotFoundError:
        raise DiscoverError(f"{path}: no such file or folder") from None
    except (OSError, RuntimeError) as error:
        raise DiscoverError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if resolved == root:
        return ""
    if root in resolved.parents:
        return resolved.relative_to(root).as_posix()
    if resolved in root.parents:
        return ""
    raise DiscoverError(f"{path}: is outside the project {root}; run ownlint there, or give --config")


def _under(relative: str, asked: Sequence[str]) -> bool:
    return any(not place or relative == place or relative.startswith(f"{place}/") for place in asked)


def _asked_files(
    root: Path, place: str, found: dict[str, bool], excluded: Callable[[str], bool], closed: Closed
) -> Iterator[str]:
    """What was asked for by name is read even where git or a pattern leaves it out."""
    path = root / place
    if not path.is_dir():
        yield place
        return
    if any(_under(relative, (place,)) for relative in found):
        return
    inside_excluded = bool(place) and (excluded(place) or excluded(f"{place}/x.py"))
    inside: Closed = {}
    for below in _walk(path, inside):
        relative = f"{place}/{below}" if place else below
        if is_source(below) and not excluded(below if inside_excluded else relative):
            yield relative
    closed.update((f"{place}/{below}".strip("/"), reason) for below, reason in inside.items())


def _matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    patterns = tuple(patterns)
    if not patterns:
        return lambda relative: False
    from ownlint.gitignore import Ignored

    return Ignored(patterns).leaves_out


# --- listing ----------------------------------------------------------------------------------


def _listed(root: Path, closed: Closed, asked: Sequence[str]) -> Iterable[str]:
    listed = None if top(root) is None else _git_files(root)
    if listed is not None and any(map(is_source, listed)):
        return listed
    has_settings = any((root / name).is_file() for name in NAMES)
    return _walk(root, closed, alone=() if has_settings or is_marked(root) else asked)


def _git_files(root: Path) -> list[str] | None:
    """Tracked files, and untracked ones that no pattern leaves out; None when git cannot tell."""
    try:
        done = Git(root).ask("ls-files", "-co", "--exclude-standard", "-z", "-t", seconds=_GIT_SECONDS)
    except GitError:
        return None
    if done.code:
        return None
    listed = []
    for entry in os.fsdecode(done.out).split("\0"):
        relative = entry[2:]
        if relative and not (entry[0] == "?" and _left_out(relative)):
            listed.append(relative)
    return listed


def _left_out(relative: str) -> bool:
    return any(_default_excluded(part) for part in relative.split("/")[:-1])


def _default_excluded(folder: str) -> bool:
    if folder in DEFAULT_EXCLUDE or folder.startswith("."):
        return True
    return any(fnmatch.fnmatchcase(folder, pattern) for pattern in _DEFAULT_EXCLUDE_LIKE)


def _walk(
    root: Path, closed: Closed, below: str = "", ignores: tuple[Decides, ...] = (), alone: Sequence[str] = ()
) -> Iterator[str]:
    """Files under `root` that neither our defaults nor a .gitignore leave out; links to folders are not followed.
    Where nothing says that `root` is one project, other projects in it, which hold no path of `alone`, are left out."""
    try:
        with os.scandir(root / below if below else root) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:  # gone since its parent was listed
        return
    except OSError as error:
        closed[below] = error.strerror or str(error)
        return
    apart = alone and below and not (_under(below, alone) or any(_under(one, (below,)) for one in alone))
    if apart and any(entry.name in _TOPS for entry in entries):
        return
    if any(entry.name == ".gitignore" for entry in entries):
        ignores = (_gitignore(root, below), *ignores)
    for entry in entries:
        relative = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False):
            if not _default_excluded(entry.name) and not _is_ignored(relative, True, ignores):
                yield from _walk(root, closed, relative, ignores, alone)
        elif is_source(entry.name) and not _is_ignored(relative, False, ignores):
            yield relative


def _is_ignored(relative: str, is_folder: bool, ignores: tuple[Decides, ...]) -> bool:
    """The nearest .gitignore that has anything to say decides."""
    return next((said for decides in ignores if (said := decides(relative, is_folder)) is not None), False)


def _gitignore(root: Path, below: str) -> Decides:
    """The patterns of one folder, for paths relative to the root."""
    from ownlint.gitignore import Ignored

    path = root / below / ".gitignore"
    try:
        if path.is_symlink():  # git does not follow it either
            return lambda relative, is_folder: None
        data = door.read(path, _MOST_IGNORE_BYTES, cut=True).removeprefix(codecs.BOM_UTF8)
    except (OSError, door.UnreadableError):
        return lambda relative, is_folder: None
    ignored = Ignored(line.removesuffix("\r") for line in os.fsdecode(data).split("\n"))
    cut = len(below) + 1 if below else 0
    return lambda relative, is_folder: ignored.decides(relative[cut:], is_folder=is_folder)


# --- checking ---------------------------------------------------------------------------------


def _checked(root: Path, found: dict[str, bool], new: Collection[str]) -> tuple[list[Source], list[tuple[str, str]]]:
    """The sources, and those that were asked for and cannot be read, each with the reason. `new` are not there yet."""
    sources: list[Source] = []
    unread: list[tuple[str, str]] = []
    prefix = f"{root}/" if str(root) != "/" else "/"
    for relative in sorted(found):
        path = prefix + relative
        if relative in new:
            sources.append(Source(Path(path), relative, language_of(relative), found[relative]))
            continue
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                if (target := _inside(root, path)) in found and target != relative:
                    continue  # a file that is read by its own name
                if target is None:
                    raise OSError(0, "symlink points outside the project")
                status = _followed(path)
        except FileNotFoundError:  # tracked by git and deleted: gone
            continue
        except OSError as error:
            if found[relative]:
                unread.append((_as_text(relative), error.strerror or str(error)))
            continue
        if not _is_text(relative):
            if found[relative]:
                unread.append((_as_text(relative), "its name is not valid UTF-8"))
            continue
        if not stat.S_ISREG(status.st_mode):
            if found[relative] and not stat.S_ISDIR(status.st_mode):
                unread.append((relative, "not a regular file"))
            continue
        stamp = Stamp.of(status)
        sources.append(Source(Path(path), relative, language_of(relative), found[relative], stamp))
    return sources, unread


def _followed(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except FileNotFoundError:
        raise OSError(0, "broken symlink") from None


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _as_text(name: str) -> str:
    """A name of bytes that are no UTF-8, such that it can be written: those bytes as `\\xff`."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _inside(root: Path, path: str) -> str | None:
    """Where a link ends, below the root. Raises `OSError` for a chain of links that the system does not follow."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise
    target = os.path.realpath(path)
    return target[len(str(root)) + 1 :] if target.startswith(f"{root}/") else None


def modules(sources: Sequence[Source]) -> dict[str, str]:
    """The dotted module of each Python source, as far up as folders hold an `__init__`."""
    packages = {os.path.dirname(s.relative) for s in sources if os.path.basename(s.relative).startswith("__init__.py")}
    named: dict[str, str] = {}
    for source in sources:
        if source.language == "python":
            folder, stem = os.path.split(os.path.splitext(source.relative)[0])
            parts = [] if stem == "__init__" else [stem]
            while folder and folder in packages:
                folder, name = os.path.split(folder)
                parts.insert(0, name)
            named[source.relative] = ".".join(parts)
    return named
