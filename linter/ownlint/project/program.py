"""All files together, joined: the subjects, and who answers what about them.

Questions are answered on demand and remembered: rules ask about a few of the many thousand functions of a project.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

import msgspec

from ownlint import patterns
from ownlint.facts import records as r
from ownlint.models.contract_records import ContractFile, Stubs
from ownlint.models.libraries import Models
from ownlint.patterns import AnyName, Quoted
from ownlint.project.callees import Calls
from ownlint.project.deduced import Types
from ownlint.project.files import File, Files
from ownlint.project.framework_headers import with_headers
from ownlint.project.index import ProjectIndex
from ownlint.project.instantiating import instantiated
from ownlint.project.lowering import Lowering
from ownlint.project.macros import Macros
from ownlint.project.names import ProjectNames
from ownlint.project.questions import AnswersOfAll, Contributions, Key, StillBrought, noting, program_property, read
from ownlint.project.statuses import Statuses
from ownlint.project.subjects import Binding, Class, Function

FunctionPlace = tuple[str, int]
"""A function by its file and its index in it."""

_MOST_UNREAD = 2
"""Functions of one file that are left unread, before all of them are."""


class Earlier(msgspec.Struct, frozen=True):
    """What the changed files said before the change. `renamed` maps each changed path to what it was called then, which
    is empty for a file that is new; `touched` are the functions, by the keys of their bodies, that say something else
    than before."""

    files: tuple[r.FileRecord, ...]
    renamed: dict[str, str]
    touched: frozenset[Key]


class Program:
    """All files that were read: subjects in order, and the parts that answer for names, types, calls and macros."""

    def __init__(
        self,
        files: Iterable[r.FileRecord],
        models: Models,
        earlier: Earlier | None = None,
        parity: tuple[tuple[str, ...], ...] = (),
        requirements: Mapping[str, str] | None = None,
        packages: Mapping[str, str] = MappingProxyType({}),
        contracts: tuple[ContractFile, ...] = (),
        stubs: Stubs = MappingProxyType({}),
        unread: Set[FunctionPlace] = frozenset(),
    ) -> None:
        """Of functions that are left `unread`, since an answer about the whole program would take too many steps over
        them, nothing is known but what declares them."""
        self.models = models
        self.contracts = contracts
        """What other packages' bindings promise."""
        self.stubs = stubs
        """By class and name of what the project binds: the class of the result, and names of arguments."""
        self.earlier = earlier
        self.parity = (*models.parity, *parity)
        self.requirements: Mapping[str, str] = requirements or {}
        """Package -> what the project's build asks of its version, `>=2.11,<3`."""
        self.packages = packages
        """Versions of the Python packages that the code is for, as far as they are known."""
        known = sorted(files, key=lambda file: file.path)
        said, self.repeats = instantiated(with_headers(known, models.vocabulary()))
        said = [_without_bodies(file, {index for path, index in unread if path == file.path}) for file in said]
        self.copied = frozenset(file.path for file, as_read in zip(said, known, strict=True) if file is not as_read)
        """The files that say more than was read in them: templates with the types of others."""
        self.said = {file.path: file for file in said}
        """What each file says, for who takes it as a whole; what is read here is not noted."""
        seen = {file.path: File(file) for file in said}
        self.files = Files(seen)
        self.known: dict[Any, Any] = {}  # see `questions.program_question`
        self.answers = AnswersOfAll()
        """What was asked about all files, by the name of the question."""
        self.contributions: dict[str, Contributions] = {}
        """Of questions that are put together from what each function says, by name and function."""
        self.brought: dict[str, Callable[[], StillBrought]] = {}
        """What gives what some functions are known to bring to such a question, from the run before."""
        self.prints: dict[str, dict[Key, bytes]] = {}
        """Fingerprints of these answers, see `incremental`."""
        self.size = sum(file.size for file in said)
        self.unread = frozenset(unread)
        self._files = known
        self.too_large: dict[Function, None] = {}
        """The functions that were left alone, wholly or from some place on, in the order in which that was noticed."""
        self.macros = Macros(said, models)
        self.index = ProjectIndex(self, seen)
        self.names = ProjectNames(self.index, models, self.macros)
        self.types = Types(self.index, self.names, models)
        self.calls = Calls(self.index, self.names, self.types, models)
        self.types.calls = self.calls
        self.statuses = Statuses(self)
        self.lowering = Lowering(self.index, self.macros, models)

    def without(self, unread: Set[FunctionPlace]) -> Program:
        """The same, with these functions left unread, too, and where they are many in one file, all of it; nothing was
        asked of it."""
        unread = self.unread | unread
        many = Counter(path for path, _ in unread)
        whole = (path for path, number in many.items() if number > _MOST_UNREAD)
        unread |= {(path, index) for path in whole for index in range(len(self.said[path].functions))}
        parity = self.parity[len(self.models.parity) :]
        about = (self.requirements, self.packages, self.contracts, self.stubs)
        return Program(self._files, self.models, self.earlier, parity, *about, unread=unread)

    @property
    def classes(self) -> Sequence[Class]:
        """All of them, in the order of files."""
        read(("all", "classes"))
        return self.index.classes

    @property
    def functions(self) -> Sequence[Function]:
        """Those that are defined, in the order of files."""
        read(("all", "functions"))
        return self.index.functions

    def functions_of(self, language: r.Language) -> Iterator[Function]:
        """Those of one language."""
        read(("all", "functions", language))
        return (one for one in self.index.functions if one.language == language)

    def calling(self, names: Set[str]) -> Iterator[Function]:
        """Of `functions`, those that mention one of these names, see `Function.mentions`. Whoever asks rests on which
        they are, and not on what all others are."""
        read(("calling", *sorted(names)))
        return (one for one in self.index.functions if not names.isdisjoint(one.record.mentions))

    def functions_in(self, path: str) -> Sequence[Function]:
        """Those of one file."""
        read(("file", path, "functions"))
        return self.index.functions_in(path)

    def saying(self, pattern: AnyName | Quoted | re.Pattern[bytes]) -> Iterator[Function]:
        """Of `functions`, those whose body matches, see `Function.says`; noted as for `calling`."""
        read(("saying", *patterns.spelled(pattern)))
        for function in self.index.functions:
            with noting():
                if isinstance(pattern, Quoted):
                    matches = pattern.search(function.record.body)
                else:
                    matches = function.says(pattern)
            if matches:
                yield function

    @property
    def bindings(self) -> Sequence[Binding]:
        """All of them, in the order of files."""
        read(("all", "bindings"))
        return self.index.bindings

    @program_property
    def before(self) -> Program | None:
        """The project as it was before the change under review; None when no change is looked at."""
        if self.earlier is None:
            return None
        same = (file for path, file in self.said.items() if path not in self.earlier.renamed)
        files, parity = (*same, *self.earlier.files), self.parity[len(self.models.parity) :]
        return Program(files, self.models, None, parity, self.requirements, self.packages, self.contracts, self.stubs)

    @property
    def earlier_paths(self) -> Mapping[str, str]:
        """Each file that the change under review touches, and what it was called before."""
        return _EarlierPaths(self.earlier.renamed if self.earlier is not None else {})

    def is_touched(self, function: Function) -> bool:
        """Whether the change under review gives the function another body or signature, or brings it."""
        read(("earlier", *function.key[1:]))
        return self.earlier is not None and function.key in self.earlier.touched

    def was_called(self, path: str) -> str:
        """The path of a file before the change; empty when it is new."""
        read(("earlier", path))
        return path if self.earlier is None else self.earlier.renamed.get(path, path)


def _without_bodies(file: r.FileRecord, unread: Set[int]) -> r.FileRecord:
    """The file with functions, and what stands inside of them, as if they were only declared."""
    if not unread:
        return file
    gone = set(unread)
    made = []
    for index, record in enumerate(file.functions):
        if record.parent in gone:
            gone.add(index)
        bare = msgspec.structs.replace(record, defined=False, body=_NO_BODY, mentions=(), initializers=())
        made.append(bare if index in gone else record)
    return msgspec.structs.replace(file, functions=tuple(made))


_NO_BODY = msgspec.Raw(b"[]")


class _EarlierPaths(Mapping[str, str]):
    """Notes which file is looked up."""

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = renamed

    def __getitem__(self, path: str) -> str:
        read(("earlier", path))
        return self._renamed[path]

    def __iter__(self) -> Iterator[str]:
        read(("earlier",))
        return iter(self._renamed)

    def __len__(self) -> int:
        read(("earlier",))
        return len(self._renamed)
