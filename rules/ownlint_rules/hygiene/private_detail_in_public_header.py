"""A class is in a public header only because a private field has its type.

Whoever includes the header reads it, and is compiled again when it changes, though nobody but the class that has the
field can do anything with it.

bad:

```cpp engine.h
struct Pending { int device = 0; };

class Engine {
 public:
  void Launch(int device);
 private:
  std::vector<Pending> pending_;
};
```

```cpp engine.cc
#include "engine.h"
void Engine::Launch(int device) { pending_.push_back(Pending{device}); }
```

```cpp main.cc
#include "engine.h"
void Run(Engine& engine) { engine.Launch(1); }
```

good:

```cpp engine.h
class Engine {
 public:
  void Launch(int device);
 private:
  struct Pending { int device = 0; };
  std::vector<Pending> pending_;
};
```

```cpp engine.cc
#include "engine.h"
void Engine::Launch(int device) { pending_.push_back(Pending{device}); }
```

```cpp main.cc
#include "engine.h"
void Run(Engine& engine) { engine.Launch(1); }
```

Reported where a class at namespace scope is the type of a private field of another class of the header, other files
include the header, and none but the header and its own source says the class's name.

Shown with `--certainty possible` where the header has no source beside it, since then the class can only be nested.

Quiet: templates and the parts of one, bases, what a public or protected member or a free function shows, headers
below a folder `include` or `public`, headers that no other file includes, names that several classes have.

Limits: it needs the whole project: uses in files that were not analysed are not seen. A name in a macro's body counts
as no use.

Source: a review of GPU command-buffer caching in XLA, where the entries of a cache stood before the executable's
class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Class, File, Finding, Program, Span, because, records, rule, types

_HEADER = re.compile(r"(.*)\.(?:h|hh|hpp|hxx)")
_INSTALLED = re.compile(r"(?:^|/)(?:include|public|api)/|(?:^|/)(?:test|tests|testing|third_party|external)/")
_WORD = re.compile(r"\w+")
_HIDDEN = ("private",)


@rule(severity="note")
def private_detail_in_public_header(program: Program) -> Iterator[Finding]:
    for file in program.files.values():
        match = _HEADER.fullmatch(file.path)
        if match is None or file.language != "cpp" or _INSTALLED.search(file.path):
            continue
        candidates = list(_candidates(program, file))
        if candidates and (others := _includers(program, file, match[1])):
            has_source = any(match[1] == other.rpartition(".")[0] for other in program.files if other != file.path)
            for cls, user, field in candidates:
                if not any(_says(other, cls.name) for other in others):
                    yield _found(cls, user, field, _sure(file, has_source))


def _sure(file: File, has_source: bool) -> Certainty:
    if not has_source:
        return because("possible", f"no source file belongs to `{file.path.rpartition('/')[2]}`")
    return because("likely", "code that was not read may include this header")


def _found(cls: Class, user: Class, field: records.Field, certainty: Certainty) -> Finding:
    record = cls.record
    return cls.finding(
        Span(record.start, record.start + 1) if record.end <= record.start else _head(record),
        f"`{cls.name}` is only the type of the private `{user.name}::{field.name}`, and all who include this read it",
        certainty=certainty,
        help=f"nest it in the private part of `{user.name}`, or declare it here and define it in the source",
        steps=(user.step(field, "this is what it is for"),),
    )


def _head(record: records.ClassRecord) -> Span:
    return Span(record.start, min(record.end, record.start + len(record.kind) + 1 + len(record.name)))


# --- what may be a detail -----------------------------------------------------------------------------


def _candidates(program: Program, file: File) -> Iterator[tuple[Class, Class, records.Field]]:
    """Classes of the header that are the type of a private field in it, and shown by nothing in it."""
    here = [cls for cls in program.classes if cls.file is file] if len(file.classes) > 1 else []
    words = {word for record in file.classes for f in record.fields for word in _WORD.findall(f.type)}
    for cls in here:
        record = cls.record
        if cls.name not in words or record.template or record.parent >= 0 or record.kind not in ("class", "struct"):
            continue
        if any(cls.symbol.rpartition("::")[0] == other.symbol for other in here):
            continue
        found = _private_field(cls, here)
        if found is not None and not _is_shown(cls, here, file) and _is_unique(program, cls):
            yield cls, *found


def _private_field(cls: Class, here: list[Class]) -> tuple[Class, records.Field] | None:
    """The first private field of another class whose type is the class; None when another may be seen."""
    found: tuple[Class, records.Field] | None = None
    for other in here:
        for field in other.record.fields if other is not cls else ():
            if cls.name in _WORD.findall(field.type):
                if field.access not in _HIDDEN or other.record.template:
                    return None
                found = found or (other, field)
    return found


def _is_shown(cls: Class, here: list[Class], file: File) -> bool:
    """Whether a base, a function, an alias or a variable of the header says the name."""
    name = cls.name
    if any(types.parse(base.name).last == name for other in here for base in other.record.bases):
        return True
    for function in file.functions:
        if function.owner and (function.owner == cls.symbol or function.access in _HIDDEN):
            continue
        if any(name in _WORD.findall(written) for written in (function.result, *(p.type for p in function.parameters))):
            return True
        if not function.owner and f'"{name}"'.encode() in bytes(function.body):
            return True
        is_user = function.owner.rpartition("::")[2] in _users(cls, here)
        if function.owner and not is_user and f'"{name}'.encode() in bytes(function.body):
            return True
    if any(name in _WORD.findall(alias.target) for alias in file.aliases):
        return True
    return any(name in _WORD.findall(variable.type) for variable in file.variables)


def _users(cls: Class, here: list[Class]) -> set[str]:
    return {other.name for other in here for field in other.record.fields if cls.name in _WORD.findall(field.type)}


def _is_unique(program: Program, cls: Class) -> bool:
    return sum(other.name == cls.name for other in program.classes) == 1


# --- who uses it --------------------------------------------------------------------------------------


def _includers(program: Program, file: File, stem: str) -> list[File]:
    """The files that may see the header, its own source left out: all but it, where anybody includes it."""
    own = stem.rsplit("/", 1)[-1]
    name = file.path.rsplit("/", 1)[-1]
    includes = False
    others: list[File] = []
    for other in program.files.values():
        if other is file or other.language != "cpp":
            continue
        if other.path.rsplit(".", 1)[0] == stem or _is_source_of(other.path, own, stem):
            continue
        others.append(other)
        includes = includes or any(i.target == name or i.target.endswith("/" + name) for i in other.imports)
    return others if includes else []


def _is_source_of(path: str, own: str, stem: str) -> bool:
    """`engine_posix.cc` and `engine.inl` beside `engine.h`, and a source of that name in another folder."""
    folder, _, base = path.rpartition("/")
    return base.split(".", 1)[0] == own or (folder == stem.rpartition("/")[0] and base.startswith(own + "_impl"))


_NAMES = re.compile(r"\w++")


def _says(file: File, name: str) -> bool:
    """Whether a file says the name, in a declaration, a type or a body."""

    def says(text: str) -> bool:
        return name in text and name in _NAMES.findall(text)

    for function in file.functions:
        written = (function.result, function.scope, *(p.type for p in function.parameters))
        if any(map(says, written)):
            return True
        if name.encode() in bytes(function.body) and says(bytes(function.body).decode(errors="replace")):
            return True
    texts = [f.type for record in file.classes for f in record.fields]
    texts += [base.name for record in file.classes for base in record.bases]
    texts += [alias.target for alias in file.aliases] + [variable.type for variable in file.variables]
    texts += [macro.body for macro in file.macros] + [record.name for record in file.classes]
    return any(map(says, texts))
