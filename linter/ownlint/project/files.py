"""Files as subjects see them: what is read of one is noted, part by part, see `questions`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping

from ownlint.facts import records as r
from ownlint.project.questions import read


class File:
    """What one source file says. `path` is relative to the project root, with `/`."""

    __slots__ = ("_keys", "_said", "language", "path", "size")

    def __init__(self, said: r.FileRecord) -> None:
        self._said = said
        self.path = said.path
        self.language: r.Language = said.language
        self.size = said.size
        """In bytes."""
        self._keys = {part: ("file", said.path, part) for part in r.FileRecord.__struct_fields__}

    def __repr__(self) -> str:
        return f"<File {self.path}>"

    @property
    def is_c(self) -> bool:
        """Whether it is of C by its name: no exceptions, no objects that end themselves."""
        return self.path.endswith(".c")

    @property
    def functions(self) -> tuple[r.FunctionRecord, ...]:
        read(self._keys["functions"])
        return self._said.functions

    @property
    def classes(self) -> tuple[r.ClassRecord, ...]:
        read(self._keys["classes"])
        return self._said.classes

    @property
    def variables(self) -> tuple[r.Variable, ...]:
        read(self._keys["variables"])
        return self._said.variables

    @property
    def aliases(self) -> tuple[r.Alias, ...]:
        read(self._keys["aliases"])
        return self._said.aliases

    @property
    def macros(self) -> tuple[r.Macro, ...]:
        read(self._keys["macros"])
        return self._said.macros

    @property
    def imports(self) -> tuple[r.Import, ...]:
        read(self._keys["imports"])
        return self._said.imports

    @property
    def bound_classes(self) -> tuple[r.BoundClass, ...]:
        read(self._keys["bound_classes"])
        return self._said.bound_classes

    @property
    def bindings(self) -> tuple[r.BindingRecord, ...]:
        read(self._keys["bindings"])
        return self._said.bindings

    @property
    def tables(self) -> tuple[r.Table, ...]:
        read(self._keys["tables"])
        return self._said.tables

    @property
    def comments(self) -> tuple[int, ...]:
        """Flat pairs of byte offsets: start and end of each comment."""
        read(self._keys["comments"])
        return self._said.comments

    @property
    def comment_lines(self) -> tuple[int, ...]:
        """C++: a pair for each comment: where its first line begins, and where the line after its last one ends."""
        read(self._keys["comment_lines"])
        return self._said.comment_lines

    @property
    def meanings(self) -> tuple[r.Meaning, ...]:
        """Sorted by `start`; empty when the file was read by structure only."""
        read(self._keys["meanings"])
        return self._said.meanings

    @property
    def module(self) -> str:
        """Python: the dotted module name, as far as the folders with an `__init__.py` tell."""
        read(self._keys["module"])
        return self._said.module

    @property
    def debug(self) -> tuple[int, ...]:
        """Flat pairs of byte offsets: what a release build does not compile (`#ifndef NDEBUG`)."""
        read(self._keys["debug"])
        return self._said.debug

    @property
    def defined(self) -> tuple[tuple[int, int, str], ...]:
        """What is compiled where a macro is defined (`#ifdef A`): from, to, and the macro's name."""
        read(self._keys["defined"])
        return self._said.defined

    @property
    def suppressions(self) -> tuple[r.Suppression, ...]:
        read(self._keys["suppressions"])
        return self._said.suppressions

    @property
    def is_generated(self) -> bool:
        """Whether a comment at its beginning says that a program has written it."""
        read(self._keys["generated"])
        return self._said.generated

    def is_debug(self, offset: int) -> bool:
        """Whether a release build does not compile what stands there."""
        return bisect_right(self.debug, offset) % 2 == 1

    @property
    def conditionals(self) -> list[r.Span]:
        """The conditionals of the preprocessor, each from its `#if` to its `#endif`, in the order of their ends."""
        read(self._keys["conditional"])
        offsets = self._said.conditional
        return [r.Span(start, end) for start, end in zip(offsets[::2], offsets[1::2], strict=True)]

    @property
    def is_compiled_alone(self) -> bool:
        """Whether it is a source file of C or C++ by its name, which others do not include."""
        return is_compiled_alone(self.path)

    @property
    def excuses(self) -> tuple[int, ...]:
        """C++: a pair for each comment that can say why a failure does not matter: where it starts and ends."""
        read(self._keys["excuses"])
        return self._said.excuses

    def has_comment_near(self, span: r.Span) -> bool:
        """Whether a comment stands before `span`, on its line or the one above, or behind it on its last line."""
        before = bisect_right(self.comments[1::2], span.start) - 1
        above = before >= 0 and bool(self.comment_lines) and span.start <= self.comment_lines[2 * before + 1]
        return above or self.has_comment_behind(span)

    def is_forgiven(self, span: r.Span) -> bool:
        """Whether a comment above says that what stands there may fail."""
        read(self._keys["forgiven"])
        return bisect_right(self._said.forgiven, span.start) % 2 == 1

    def has_excuse_near(self, span: r.Span) -> bool:
        """Whether a comment that stands there, as for `has_comment_near`, can say why a failure does not matter."""
        return any(start in self.excuses[::2] for start in self._comments_near(span))

    def is_said_to_replace(self, span: r.Span) -> bool:
        """Whether a comment that stands there, as for `has_comment_near`, speaks of overwriting or replacing."""
        read(self._keys["replacing"])
        return bool(self._said.replacing) and any(one in self._said.replacing for one in self._comments_near(span))

    def _comments_near(self, span: r.Span) -> list[int]:
        """Where they start that stand there, as for `has_comment_near`."""
        starts, ends = self.comments[::2], self.comments[1::2]
        near = []
        before = bisect_right(ends, span.start) - 1
        if before >= 0 and self.comment_lines and span.start <= self.comment_lines[2 * before + 1]:
            near.append(before)
        if self.has_comment_behind(span):
            near.append(bisect_left(starts, span.end))
        return [starts[number] for number in near]

    def has_comment_inside(self, span: r.Span) -> bool:
        """Whether a comment begins inside `span`."""
        starts = self.comments[::2]
        after = bisect_left(starts, span.start)
        return after < len(starts) and starts[after] < span.end

    def has_comment_behind(self, span: r.Span) -> bool:
        """Whether a comment stands behind `span`, on the line of its end."""
        after = bisect_left(self.comments[::2], span.end)
        return 2 * after < len(self.comment_lines) and self.comment_lines[2 * after] <= span.end


def is_compiled_alone(path: str) -> bool:
    """Whether it is a source file of C or C++ by its name, and no header."""
    return path.endswith((".c", ".cc", ".cpp", ".cxx", ".cu"))


class Files(Mapping[str, File]):
    """The files of a program by their paths, in the order of these."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files = files

    def __getitem__(self, path: str) -> File:
        read(("files", path))
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        read(("files",))
        return iter(self._files)

    def __len__(self) -> int:
        read(("files",))
        return len(self._files)
