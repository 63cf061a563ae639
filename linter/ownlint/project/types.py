"""C++ types as text: just enough to tell a pointer from a reference and a container's element.

Types come as written (`auto&`, `std::map<K, std::unique_ptr<V>>`) or canonical from a parser that
knows them; both are text here. Nothing in this module knows a library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from ownlint.steps import spend

_QUALIFIERS = re.compile(
    r"\b(?:volatile|mutable|static|inline|constexpr|constinit|extern|register|thread_local|typename|struct|class|enum|union|restrict|__restrict|explicit|virtual|friend)\b"
)
_CONST = re.compile(r"\bconst\b")
_TEXT_A_STEP = 256
"""Letters of a type that are looked at in a step; what people write is shorter, and costs none."""
_STARS = re.compile(r"\*(?:\s*(const)\b(?=[^*]*\*))?")
_CONST_POINTER = re.compile(r"\*\s*const\b")
_SPACE = re.compile(r"\s+")
SCALARS = frozenset(
    {
        *("bool", "char", "wchar_t", "char8_t", "char16_t", "char32_t", "short", "int", "long", "signed", "unsigned"),
        *("float", "double", "size_t", "ssize_t", "ptrdiff_t", "byte", "intptr_t", "uintptr_t", "Py_ssize_t"),
        *("int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("signed char", "unsigned char", "unsigned short", "unsigned int", "unsigned long", "long int"),
        *("long long", "unsigned long long", "long double", "short int", "long unsigned int"),
    }
)
"""Last names of the types that are numbers, characters or truth, whatever stands for them."""


class Type(msgspec.Struct, frozen=True):
    """`name` is the qualified name without template arguments; `arguments` the top-level template
    arguments as text; `pointers` how many `*` stand behind it, and `stars` those with each `const` between two of them;
    `const` is of what they point to: `T* const` is not."""

    name: str
    arguments: tuple[str, ...] = ()
    pointers: int = 0
    reference: bool = False
    const: bool = False
    stars: str = ""

    @property
    def last(self) -> str:
        return self.name.rsplit("::", 1)[-1]

    @property
    def is_value(self) -> bool:
        return not self.pointers and not self.reference

    @property
    def is_scalar(self) -> bool:
        """A number, a character or truth, or a pointer to such."""
        return not self.arguments and self.last in SCALARS

    @property
    def is_placeholder(self) -> bool:
        return self.name in ("auto", "decltype(auto)")


@lru_cache(maxsize=65536)
def parse(written: str) -> Type:
    """`const std::map<K, V>& ` -> name `std::map`, arguments `("K", "V")`, reference. Never raises:
    what it cannot read keeps its text as name."""
    source = written.strip()
    bare = _QUALIFIERS.sub(" ", source)
    head, arguments, tail = _split_template(bare)
    stars = "".join("* const" if said else "*" for said in _STARS.findall(tail if arguments else bare))
    head, tail = _CONST.sub(" ", head), _CONST.sub(" ", tail)
    pointers = tail.count("*")
    reference = "&" in tail
    if not arguments:
        bare = _CONST.sub(" ", bare)
        pointers, reference = bare.count("*"), "&" in bare
        head = re.sub(r"[*&]", " ", bare)
    elif tail.strip(" *&"):  # `Foo<T>::Bar`: what follows the arguments belongs to the name
        head = head + re.sub(r"[*&\s]", "", tail)
        arguments = ()
    name = _SPACE.sub(" ", head).strip().removeprefix("::")
    pointee = _CONST_POINTER.sub("*", source if not arguments else source.split("<", 1)[0])
    const = bool(_CONST.search(pointee))
    return Type(name, arguments, pointers, reference, const, stars)


def _split_template(source: str) -> tuple[str, tuple[str, ...], str]:
    opening = source.find("<")
    if opening < 0:
        return source, (), ""
    spend(len(source) // _TEXT_A_STEP)
    opened: list[str] = []
    start = opening + 1
    parts: list[str] = []
    for at in range(opening, len(source)):
        char = source[at]
        if char in "<>" and source[at + 1 : at + 2] == "=":
            continue  # `enable_if<sizeof(T) <= 8, T>`
        if char in "<([{":
            opened.append(char)
        elif opened and (char in ")]}" or (char == ">" and source[at - 1] != "-" and opened[-1] == "<")):
            opened.pop()
            if not opened:
                parts.append(source[start:at].strip())
                return source[:opening], tuple(parts), source[at + 1 :]
        elif char == "," and len(opened) == 1:
            parts.append(source[start:at].strip())
            start = at + 1
    return source, (), ""


def arguments_of(template: str) -> tuple[str, ...]:
    """Template arguments, as a call keeps them without their brackets, each by itself: `("int", "P<A, B>")` of
    `int, P<A, B>`. None of no text; a text whose brackets do not match is one argument."""
    text = template.strip()
    return (parse(f"t<{text}>").arguments or (text,)) if text else ()


_MOST_INSIDE = 3


def within(written: str, depth: int = 0) -> Iterator[str]:
    """The type, and the types inside it where it is a wrapper: `std::vector<std::pair<int, std::unique_ptr<Row>>>`.
    What a function takes and answers is not inside."""
    yield written
    if depth < _MOST_INSIDE:
        for argument in parse(written).arguments:
            if "(" not in argument:
                yield from within(argument, depth + 1)


_AFTER_STAR = frozenset({"const", "volatile", "restrict", "__restrict", "__restrict__"})
_FIRST_BOUND = re.compile(r"([\w:\s*]*\w[\s*]*)\[\w*\]((?:\[\w*\])*)")
"""`Box[4][2]`, an array of the language: an element is a `Box[2]`."""


def element(written: str) -> str:
    """What a pointer, smart pointer, optional or sequence of this type leads to; of a map the value's type."""
    if written.endswith("]") and "[" in written:  # of `T*[8]`, and of `T[4][5]` the rows
        name, _, bounds = written.partition("[")
        return name.rstrip() + bounds.partition("]")[2]
    kind = parse(written)
    if not kind.arguments and written.endswith("]") and (match := _FIRST_BOUND.fullmatch(written)):
        return match[1] + match[2]
    if kind.pointers:
        pointee, _, qualifiers = written.rpartition("*")
        return pointee.strip() if _AFTER_STAR.issuperset(qualifiers.replace("&", " ").split()) else kind.name
    if not kind.arguments:
        return ""
    return kind.arguments[1] if len(kind.arguments) > 1 and _looks_associative(kind.last) else kind.arguments[0]


_TEMPLATE_PARAMETER = re.compile(r"(\w+)\s*(?:=|$)")
_WORD = re.compile(r"(?<![\w:])[A-Za-z_]\w*(?!\w)")


def substituted(written: str, parameters: str, arguments: Sequence[str]) -> str:
    """A type that a template says, `T*`, for the arguments that it is given; parameters without one stay."""
    given = {
        match[1]: argument
        for one, argument in zip(arguments_of(parameters), arguments, strict=False)
        if (match := _TEMPLATE_PARAMETER.match(one.strip()))
    }
    return _WORD.sub(lambda match: given.get(match[0], match[0]), written) if given else written


def walked(written: str) -> str:
    """What a loop over something of this type is given: of a map a key and its value."""
    kind = parse(written)
    if not kind.pointers and len(kind.arguments) > 1 and _looks_associative(kind.last):
        return f"std::pair<const {kind.arguments[0]}, {kind.arguments[1]}>"
    return element(written)


def _looks_associative(last: str) -> bool:
    return "map" in last.lower() or last.lower().endswith(("dict", "table", "hash"))


_ITERATOR = re.compile(r"(.*\S)\s*::\s*(?:const_|reverse_|const_reverse_)?iterator\s*&?", re.DOTALL)
"""The member type that each container has, by the language's own names."""


def iterated(written: str) -> str:
    """What an iterator of this type goes over: `C` of `iterator<C>` and of `C::const_iterator`; empty for others."""
    kind = parse(written)
    if kind.last == "iterator" and len(kind.arguments) == 1:
        return kind.arguments[0]
    found = _ITERATOR.fullmatch(written.strip()) if kind.last.endswith("iterator") and not kind.pointers else None
    return _CONST_OR_TYPENAME.sub("", found[1]) if found is not None else ""


_CONST_OR_TYPENAME = re.compile(r"^(?:const\s+|typename\s+)+")
_OPERATORS = frozenset({"sizeof", "alignof", "decltype", "noexcept", "typeof", "__typeof__"})
"""They look like the result of a function's type."""


def called(written: str) -> str:
    """What a call of something of this type answers: `R` of `std::function<R(A)>`, of `R (*)(A)` and of `R (A)`; empty
    when the type is not one of a function."""
    kind = parse(written)
    signature = kind.arguments[0] if kind.arguments else written
    opening = signature.find("(")
    if (
        opening <= 0
        or signature[:opening].strip() in _OPERATORS
        or not signature.rstrip(" &*").endswith((")", "const", "noexcept"))
    ):
        return ""
    return signature[:opening].strip()
