"""A run of several projects: for each file the nearest settings count, and there is one report.

A project is the folder of its settings with all that lies below it. What is known of it does not depend on where a run
was started: another project below it is known, too, and reported by its own settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from ownlint import config
from ownlint.config import Config, ConfigError, Settings
from ownlint.pipeline import Options
from ownlint.report.joined import joined, moved
from ownlint.report.model import Report, below
from ownlint.report.progress import Told
from ownlint.sources import discover, git
from ownlint.sources.discover import ProjectScope

_MOST = 200
"""Projects of one run: each costs a start, and anybody may write settings into a tree."""

Make = Callable[[tuple[Path, ...], Settings], Options]
"""What a project is to be checked with, of the paths that are asked for in it and the settings that its file has."""


class Run(msgspec.Struct, frozen=True):
    """One project or more, sorted by their roots."""

    projects: tuple[Options, ...]

    @property
    def whole(self) -> Options:
        """What a report of all is shown with: its root is what the paths of the report are relative
        to, of several projects the top of the git work tree that holds them, else the folder that does."""
        if len(self.projects) == 1:
            return self.projects[0]
        common = Path(os.path.commonpath([project.root for project in self.projects]))
        paths = tuple(path for project in self.projects for path in project.paths)
        return msgspec.structs.replace(
            self.projects[0], root=git.top(common) or common, paths=paths, scope=discover.ALONE
        )

    def telling(self, told: Told) -> Run:
        """The same, which says how far it has come."""
        return Run(tuple(msgspec.structs.replace(project, told=told) for project in self.projects))

    def joined(self, reports: Iterable[Report]) -> Report:
        """One report of those of the projects, in order; its paths are relative to the root of the whole."""
        told = tuple(reports)
        if len(self.projects) == 1:
            return told[0]
        top = self.whole.root
        folders = [_relative(project.root, top) for project in self.projects]
        return joined(list(zip(folders, told, strict=True)))


def _relative(path: Path, root: Path) -> str:
    """Empty for the root itself."""
    return "" if path == root else path.relative_to(root).as_posix()


# --- which projects ---------------------------------------------------------------------------


def named(paths: Sequence[Path], make: Make) -> list[Options]:
    """The projects that the paths themselves are in, sorted by their roots; those below them are not looked for."""
    groups: dict[Path | None, tuple[Settings, list[Path]]] = {}
    known: dict[Path, Settings] = {}
    for path in paths:
        folder = path.resolve() if path.is_dir() else path.parent.resolve()
        settings = known.get(folder) or known.setdefault(folder, config.find(folder))
        groups.setdefault(settings.file, (settings, []))[1].append(path)
    made = [make(tuple(own), settings) for settings, own in groups.values()]
    return sorted((_enclosed(project) for project in made), key=lambda project: project.root)


def _enclosed(project: Options) -> Options:
    """Where even what is named is left out, it is by what projects above exclude, too."""
    if not project.settings.config.force_exclude:
        return project
    top = git.top(project.root)
    above = [folder for folder in project.root.parents if top is not None and folder.is_relative_to(top)]
    outer = [(folder, settings.config) for folder in above if (settings := config.standing_in(folder)) is not None]
    return msgspec.structs.replace(project, scope=ProjectScope(outer=_excluding(project.root, outer)))


def _excluding(root: Path, outer: Iterable[tuple[Path, Config]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        (root.relative_to(folder).as_posix(), patterns)
        for folder, above in outer
        if (patterns := (*above.exclude, *above.extend_exclude))
    )


def split(paths: Sequence[Path], make: Make) -> Run:
    """The projects that the paths are in, and those below them. A project in which nothing is left to report on is
    none, unless it is the only one. Raises a `RefusalError` for settings that are none."""
    found: dict[tuple[Path, Path | None], Options] = {}
    for project in named(paths, make):
        for part in _parted(project, make):
            key = (part.root, part.settings.file)
            found[key] = _together(found[key], part) if key in found else part
            _check_number(found)
    return Run(tuple(sorted(found.values(), key=lambda part: (part.root, str(part.settings.file)))))


def _together(one: Options, other: Options) -> Options:
    """What is asked for in one project in two ways."""
    scope = ProjectScope(
        tuple(sorted({*one.scope.nested, *other.scope.nested})), tuple(sorted({*one.scope.outer, *other.scope.outer}))
    )
    paths = tuple(dict.fromkeys((*one.paths, *other.paths)))
    return msgspec.structs.replace(one, paths=paths, scope=scope)


def _parted(project: Options, make: Make) -> list[Options]:
    """The project without those below it in which something is asked for, and these."""
    walked = tuple(path for path in project.paths if path.is_dir())
    if not walked:
        return [project]
    folders = discover.folders(project.root, walked, project.settings.config)
    standing = _standing(project.root, folders)
    if not standing:
        return [project]
    own = any(_nearest(folder, standing) is None for folder in folders) or len(walked) < len(project.paths)
    scope = msgspec.structs.replace(project.scope, nested=tuple(sorted(standing)))
    parts = [msgspec.structs.replace(project, scope=scope)] if own else []
    for folder, settings in standing.items():
        root = project.root / folder
        part = make((root,), settings)
        nested = tuple(sorted(other.removeprefix(f"{folder}/") for other in standing if other.startswith(f"{folder}/")))
        between = [(project.root / other, each) for other, each in standing.items() if folder.startswith(f"{other}/")]
        outer = [(project.root, project.settings), *between]
        excluding = _excluding(root, [(place, above.config) for place, above in outer])
        above = tuple((f"{prefix}/{folder}", patterns) for prefix, patterns in project.scope.outer)
        parts.append(msgspec.structs.replace(part, scope=ProjectScope(nested, tuple(sorted({*excluding, *above})))))
    return parts


def _standing(root: Path, folders: Iterable[str]) -> dict[str, Settings]:
    """By folder below the root, the settings that stand there, of those that hold for one of these folders."""
    looked: set[str] = {""}
    found: dict[str, Settings] = {}
    for folder in folders:
        while folder not in looked:
            looked.add(folder)
            if (settings := config.standing_in(root / folder)) is not None:
                found[folder] = settings
                _check_number(found)
            folder = folder.rpartition("/")[0]
    return dict(sorted(found.items()))


def _check_number(projects: Collection[object]) -> None:
    if len(projects) > _MOST:
        raise ConfigError(f"more than {_MOST} projects with settings of their own; check a part, or give --config")


def _nearest(folder: str, standing: dict[str, Settings]) -> str | None:
    while folder and folder not in standing:
        folder = folder.rpartition("/")[0]
    return folder or None


# --- what paths are relative to ---------------------------------------------------------------


def base_of(root: Path) -> Path:
    """What the paths of a report that is read elsewhere are relative to: the top of the git work tree that holds the
    root or, for a root above it, the working directory; in none, the workspace of a workflow that holds the root, else
    the working directory."""
    here = Path.cwd()
    if (top := git.top(root)) is not None:
        return top
    if root in here.parents and (top := git.top(here)) is not None:
        return top
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if workspace and root.is_relative_to(Path(workspace).resolve()):
        return Path(workspace).resolve()
    return here


def seen_from(report: Report, root: Path, base: Path) -> Report:
    """The report of `root` with paths relative to `base`: absolute for what does not lie below it, empty for the
    project as a whole."""
    if root == base:
        return report
    return moved(report, lambda path: below(f"{root}/{path}", base) if path else "")
