"""Contract files: extracted from a project, shown, and compared with its code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ownlint import door, inputs, pipeline, toml
from ownlint.facts.cache import Cache
from ownlint.models.contract_compare import differences
from ownlint.models.contract_reader import ContractError, read
from ownlint.models.contract_records import ALL, ClassContract, ContractFile, Lent, MemberContract
from ownlint.outline import Libraries
from ownlint.reading import Facts, Reader
from ownlint.sources import requirements, sidecars, stubs
from ownlint.sources.digests import Digests
from ownlint.sources.discover import Discovered, discover, modules

if TYPE_CHECKING:
    from ownlint.models.libraries import Models
    from ownlint.project.program import Program
    from ownlint.report.model import Incomplete

_MOST_BYTES = 1 << 20
_NO_PACKAGES = ("test", "tests", "docs", "doc", "examples", "example", "benchmarks", "scripts", "tools", "setup")


class ExtractedContract(NamedTuple):
    """A contract, and what stood in the way: names that are computed, files that were not read."""

    contract: ContractFile
    unnamed: int
    unread: tuple[Incomplete, ...]


class _Told(msgspec.Struct, frozen=True):
    contract: ContractFile
    unnamed: int
    changed: frozenset[str]


def extract(options: pipeline.Options, package: str = "") -> ExtractedContract:
    """The contract of what the files that are asked for bind; the rest of the project is read for what it says of
    them. Raises a `RefusalError`, also when that takes too many steps."""
    from ownlint import analysis
    from ownlint.report.model import Incomplete, Sources

    config = options.settings.config
    found = discover(options.root, options.paths, config)
    facts, models = read_all(options, found, inputs.model_paths(options.root, options.settings))
    required = requirements.stated(found.root)
    said = stubs.read(pipeline.stubs_of(found), found.root)
    asked = frozenset(source.relative for source in found.sources if source.asked)

    def build() -> Program:
        from ownlint.project.program import Program

        return Program(facts.files(), models, None, config.parity, required, config.versions, (), said)

    def question(program: Program) -> _Told:
        from ownlint.crossing import exports

        sources = Sources(found.root, digests=facts.held())
        contract = exports.contract_file(
            program, asked, required, lambda path, offset: f"{path}:{sources.line(path, offset)}"
        )
        return _Told(contract, exports.of(program).unnamed(asked), frozenset(sources.changed))

    size = sum(head.size for head in facts.heads)
    told = msgspec.json.decode(analysis.asked(build, question, size, pipeline.limits()), type=_Told)
    if told.changed:
        raise ContractError(Path(min(told.changed)), 0, "changed while it was being read; run this again")
    contract = told.contract
    named = package or _package(found, contract.modules)
    if not contract.classes and not contract.members and not contract.plain:
        raise ContractError(options.paths[0], 0, "no Python bindings found")
    if not named:
        raise ContractError(options.paths[0], 0, "the name of the Python package is not known; give it with --package")
    unread = (Incomplete(f.path, p.reason, p.kind) for f in facts.heads if f.path in asked for p in f.problems)
    return ExtractedContract(
        msgspec.structs.replace(contract, package=named), told.unnamed, (*unread, *pipeline.unsought(facts))
    )


def read_all(
    options: pipeline.Options, found: Discovered, models: Sequence[Path], words: Sequence[str] = ()
) -> tuple[Facts, Models]:
    """The facts of all files that were found, and the models; Python is read for these, and where one of `words` is
    found. Raises a `RefusalError`, for a mistake in one before a child is started."""
    pipeline.check_names(options.settings)
    cache = Cache(options.cache, options.root)
    digests = Digests(cache, options.root)
    held = digests.of_sources(found.sources)
    how = pipeline.compiling(found, options.settings.config)
    libraries = Libraries(models, cache)
    reader = Reader(found.root, found.sources, held, how.commands, cache, digests, options.jobs, options.told)
    facts = reader.all(libraries, list(words))
    facts.take_up()
    digests.save()
    return facts, libraries.models


def _package(found: Discovered, extensions: tuple[str, ...]) -> str:
    """The first part of the names by which Python imports the module."""
    named = modules(found.sources)
    inside = {d for path, d in named.items() if "." in d or path.rpartition("/")[2].startswith("__init__.")}
    tops = {dotted.partition(".")[0] for dotted in inside if dotted} - set(_NO_PACKAGES)
    bare = [name.partition(".")[0] if "." in name else name.strip("_") for name in extensions]
    for name in (*bare, _project_name(found.root)):
        if name in tops:
            return name
    if len(tops) == 1:
        return tops.pop()
    dotted = [name.partition(".")[0] for name in extensions if "." in name]
    return next(iter((*dotted, *extensions)), "")


def _project_name(root: Path) -> str:
    try:
        data = toml.parse(door.read(root / "pyproject.toml", _MOST_BYTES, within=root).decode("utf-8", "replace"))
    except (door.UnreadableError, toml.TomlError):
        return ""
    project = data.get("project")
    name = project.get("name") if isinstance(project, dict) else None
    return name.replace("-", "_").lower() if isinstance(name, str) else ""


def compared(path: Path, options: pipeline.Options) -> list[str]:
    """How the file differs from what the code says now, a line each."""
    said = read(path)
    return list(differences(said, extract(options, said.package).contract))


def located(name: str, environment: Path | None) -> tuple[Path, ...]:
    """The contract files that are meant: a file, or those of an installed package."""
    path = Path(name)
    if path.exists() or name.endswith(sidecars.SUFFIX) or "/" in name:
        return (path,)
    folders = sidecars.places(environment)
    found = sidecars.of_package(name, folders)
    if not found:
        where = ", ".join(map(str, folders)) or "no environment"
        raise ContractError(name, 0, f"no such file, and no contract of an installed package in {where}")
    return found


# --- shown -----------------------------------------------------------------------------------------


def shown(contract: ContractFile) -> Iterator[str]:
    """A contract as a table for people, line by line."""
    versions = [f"{name} {version}".strip() for name, version in contract.frameworks.items()]
    yield (
        f"{contract.package}: {_counted(len(contract.classes), 'class', 'classes')}, "
        + _counted(
            len(contract.members) + len(contract.plain) + sum(len(cls.plain) for cls in contract.classes), "member"
        )
        + (f"; {', '.join(versions)}" if versions else "")
    )
    functions = [member for member in contract.members if not member.on]
    if functions or contract.plain:
        yield ""
        yield "functions"
        yield from _members(functions, contract.plain)
    for cls in contract.classes:
        yield ""
        yield _class(cls)
        yield from _members([member for member in contract.members if member.on == cls.name], cls.plain)


def _class(cls: ClassContract) -> str:
    said = [cls.cxx, f"of {', '.join(cls.bases)}" if cls.bases else "", f"held by {cls.holder}" if cls.holder else ""]
    said += [f"trampoline {cls.trampoline}" if cls.trampoline else "", cls.at]
    return f"class {cls.name}  ({', '.join(part for part in said if part)})"


def _members(members: list[MemberContract], plain: tuple[str, ...]) -> Iterator[str]:
    rows = [(_called(member), said, member.at) for member in members for said in _said(member)]
    width = max((len(name) for name, _, _ in rows), default=0)
    last = ""
    for name, said, at in rows:
        yield f"  {name if name + at != last else '':<{width}}  {said}" + (f"  {at}" if name + at != last else "")
        last = name + at
    if plain:
        yield f"  no contract: {', '.join(plain)}"


def _called(member: MemberContract) -> str:
    called = member.kind in ("method", "static", "function", "init")
    return f"{member.name}({', '.join(member.names)})" if called else member.name


def _said(member: MemberContract) -> Iterator[str]:
    gives = f"returns {member.returns}" if member.returns else ""
    rest = [gives and f"{gives} ({member.category})", f"policy {member.policy}" if member.policy else ""]
    rest += ["releases the GIL" if member.releases_gil else ""]
    said = [_lent(one) for one in member.borrows]
    for kept in member.stores:
        sure = "protected" if kept.protected else "NOT protected"
        doubt = "" if kept.certainty == "certain" else f", {kept.certainty}"
        said.append(
            f"keeps argument {kept.argument} in {kept.into}: {sure}{doubt}" + (f" ({kept.via})" * bool(kept.via))
        )
    if member.invalidates:
        names = "everything" if ALL in member.invalidates else ", ".join(member.invalidates)
        said.append(f"invalidates what {names} returned")
    if any(rest):
        yield ", ".join(part for part in rest if part)
    yield from said


def _lent(one: Lent) -> str:
    sure = "protected" if one.protected else "NOT protected"
    doubt = "" if one.certainty == "certain" else f", {one.certainty}"
    why = "; ".join(part for part in (one.via, one.reason) if part)
    return f"borrows from {one.source}: {sure}{doubt}" + (f" ({why})" if why else "")


def _counted(number: int, word: str, words: str = "") -> str:
    return f"{number} {word if number == 1 else words or word + 's'}"
