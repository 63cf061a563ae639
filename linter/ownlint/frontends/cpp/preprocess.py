"""Makes a C++ file fit for a parser that sees no macros, without moving a byte.

What would break the parse is overwritten by spaces; newlines stay. What was overwritten is remembered:
comments, directives, attribute-like macros (`OverwrittenMacro`), macros that stand where a statement would
(`Loose`), macros that take a declaration apart (`RewrittenDeclaration`).

`#if`: the lines of a conditional without `#else` vanish and what they enclose stays, unless the file also
asks the contrary; so does the conditional around a whole file. With `#else`, both sides stay (and the
parser sees the directives) when each side is a run of whole statements; otherwise one side is kept: the
first whose brackets balance, never `#if 0` nor what no CPython of today builds (`#ifndef WITH_THREAD`,
`#if PY_MAJOR_VERSION < 3`), and none that the usual build leaves out (`NDEBUG`, no `__cplusplus`) where there is
another.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from ownlint.facts.records import Import, Macro
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.cpp.conditions import (
    ConditionalGroup,
    Directive,
    asked,
    constants,
    contrary,
    debug_sides,
    defined_sides,
    is_never_built,
    unlikely,
)
from ownlint.frontends.cpp.spelling import spelled
from ownlint.frontends.cpp.type_values import types_as_values
from ownlint.patterns import PatternSet

Role = str
"""What a word of capitals is known to be: `annotation`, `declaring`, `standing`, or empty."""


BEFORE_TYPE = "macro before a type"
"""The name of the mark of such a macro; its argument is the word, or the function that the word is given."""


class OverwrittenMacro(NamedTuple):
    """An attribute-like macro that was overwritten; `arguments` as written, without the parentheses."""

    start: int
    end: int
    name: str
    arguments: str


class Loose(NamedTuple):
    """A macro that stands where a statement would, without a semicolon; `arguments` is None without parentheses."""

    start: int
    end: int
    name: str
    arguments: str | None


class RewrittenDeclaration(NamedTuple):
    """`MACRO(auto x, f())` that was rewritten to `auto x = f()`."""

    start: int
    end: int
    name: str
    name_start: int


class Prepared(NamedTuple):
    source: bytes
    comments: list[tuple[int, int]]
    marks: list[OverwrittenMacro]
    loose: list[Loose]
    taken: dict[int, RewrittenDeclaration]
    """By the offset at which the declaration or the place inside starts."""
    thrown: frozenset[int]
    """Where `throw` inside an expression, which the grammar lacks, was rewritten to `!`."""
    empties: frozenset[int]
    """Where `{}`, a default argument that the grammar misreads, was rewritten to `0`."""
    launched: frozenset[int]
    """Where the `<<<` of a kernel's launch was rewritten to `(`."""
    names: dict[int, str]
    """Functions whose name was cut to make room for `()`, and types that stand as a name."""
    macros: tuple[Macro, ...]
    imports: tuple[Import, ...]
    debug: tuple[int, ...] = ()
    """Flat pairs: start and end of what stands in a debug build alone."""
    conditional: tuple[int, ...] = ()
    """Flat pairs: from each `#if` to its `#endif`."""
    defined: tuple[tuple[int, int, str], ...] = ()
    """What is compiled where a macro is defined: from, to, and the macro."""
    opened: Mapping[str, str] = MappingProxyType({})
    """The full names of what declarations like `using std::move;` bring in."""
    asked: Mapping[int, str] = MappingProxyType({})
    """By the offset of each `#if` or `#elif`: what it asks (`#if A > 1`, `#ifdef A`), behind a `!` when it asks for the
    contrary."""


# Every alternative opens with one plain character: that keeps the search for the next one in C.
TOKENS = re.compile(
    rb"""//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*(?:\*/|\Z)"""
    rb"""|"(?<=R")([^()\\\s"]{0,16}+)\((?s:.)*?(?:\)\1"|\Z)|"[^"\\\n]*+(?:\\(?s:.)[^"\\\n]*+)*"?"""
    rb"""|'(?<![0-9a-fA-F]')(?:[^'\\\n]|\\.){1,12}'"""
    rb"""|\#[ \t]*+([a-z]++)([^\n\\/"]*+(?:(?:\\\r?\n|\\.|\\|/(?![/*])|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/"""
    rb"""|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"?)[^\n\\/"]*+)*)"""
)
_WORDS = re.compile(rb"(?:[A-Z](?<![A-Za-z0-9_].)[A-Z0-9_]{2,}+|P(?<![A-Za-z0-9_].)y_[A-Z_]++)(?![A-Za-z0-9_])")
_AT_SIGNS = re.compile(rb'@autoreleasepool\b|@(?=try\b|catch\b|throw\b|")')
_ASSEMBLY = re.compile(rb"\b_{1,2}asm\b(?:\s*+\{[^{}]*+\}|(?!\s*+(?:[({]|_*+(?:volatile|goto|inline)\b))[^\n}]*+)")
BLANK = bytes(c if c in b"\r\n" else 0x20 for c in range(256))
_EXTENSIONS = re.compile(rb"\b__(?:extension__|restrict(?:__)?)\b")
_QUALIFIED = re.compile(rb"[*&][ \t]*+([A-Za-z_]\w*+)\s++([A-Za-z_]\w*+)(?=\s*[,);=\[])")
_ENDS_TYPE = re.compile(rb"[\w>*&]")
"""A word between the star of a type and what is declared: `Span* absl_nonnull span`, `int* __restrict out`."""
_NO_QUALIFIERS = frozenset({b"const", b"volatile", b"restrict", b"operator", b"sizeof", b"new", b"delete", b"throw"})
_OPERATORS = frozenset(
    {b"and", b"or", b"xor", b"bitand", b"bitor", b"and_eq", b"or_eq", b"xor_eq", b"not_eq", b"const", b"override"}
)
"""Words between two operands, and what follows a declaration."""
_BRACKETS = re.compile(rb"[()]")
_TOP = re.compile(rb"[()\[\]{},]")
_NEXT = re.compile(rb"\s*+(.)?", re.DOTALL)
_WRITES_THROUGH = re.compile(rb"\*++\s*+(\w++)(?:\s*+(?:->|\.|\[\w*+\])\s*+\w*+)*\s*+[-+|&^]?=(?!=)")
"""A line that would be a declaration, if the word on the line before were a type: `*handle = open();`."""
_TYPES_OF_C = frozenset({b"FILE", b"DIR"})
"""Types in capitals of the C library and of POSIX."""
_FAR = 4000
"""So many bytes before a write what it writes through is looked for."""
_ANY_NAME = re.compile(rb"[A-Za-z_]\w*+")
_CALL_ALONE = re.compile(rb"\s*+(?:[A-Z][A-Z0-9_]++(?:\(.*\))?|.*[;{}]|)\s*+")
"""A line that is whole: one that calls a macro, one that ends a statement or a block."""
_DEFINE = re.compile(rb"\s*(\w+)(\(([^)]*)\))?(.*)", re.DOTALL)
_INCLUDE = re.compile(rb'\s*(?:"([^"\n]*)"|<([^>\n]*)>)')
_FIRST_IN_CLASS = re.compile(
    rb"[csu](?<!\w.)(?:(?<=s)truct|(?<=c)lass|(?<=u)nion)\b[^(){};=]{0,200}\{\s*+([A-Za-z_]\w++)"
    rb"(?=[ \t]*+\r?\n\s*+(?:[A-Za-z_~]|(\}))|\s*+(\})"
    rb"|\s++(?:(?:const|volatile)\s++){0,2}[A-Za-z_][\w:]*+[\s*&]++[A-Za-z_])"
)
"""The word that is alone on the first line in a class, or in the class, or stands before a type and a name there, and
whether nothing follows it."""
_ENDS_IN_CAPITALS = re.compile(rb"\w*?_[A-Z]{2,}+(?:_[A-Z]++)*")
_WORD_ALONE = re.compile(rb"^[ \t]++((?=\w*[a-z])[A-Za-z_]\w*+)[ \t]*+\r?$", re.MULTILINE)
"""A word that is all that stands on its line, and is indented: at file scope it would be what a function returns."""
_NAME_DECLARED = re.compile(rb"\s*+[*&\s]*+[A-Za-z_]\w*+\s*+(?:[;,=\[{](?!=)|:(?!:))")
"""What stands after a type in a declaration: `state = take();`."""
_SLASH, _HASH = b"/#"
_CLASS_WORDS = (b"class", b"struct", b"union", b"enum")
_ENUM_ATTRIBUTES = re.compile(
    rb"\benum\b(?:\s+(?:class|struct)\b)?\s*+((?:(?:\[\[[^\[\]{};]*+\]\]|__attribute__\s*+\(\([^{};]*?\)\))\s*+)+)(?=\w)"
)
_ATTRIBUTE = re.compile(rb"(?!__attribute__\b)\b([A-Za-z_][\w:]*+)(?:\s*+\(([^()]*+)\))?")
_NAME_BYTE = re.compile(rb"[A-Za-z0-9_\]]")
_LAST_NAME = re.compile(rb"(?:[\w>*&]\s+[*&]*|[*&])([A-Za-z_~][\w:]*+)\s*\Z")
_CONDITIONAL = (b"if", b"constexpr", b"while", b"for", b"switch", b"catch", b"return")
_BEHIND_PARAMETERS = re.compile(rb"\)(?: ?const)? ?(?:const|noexcept|override|final)\Z")
_BLOCKS = re.compile(rb"[t{}](?:(?<=[{}])|(?<!\wt)ry\s*+\{)")
_MACRO_BEHIND = re.compile(rb"\s*+([A-Z][A-Z0-9_]{2,}+)\s*+\(")
_HANDLER = b"catch(...){}"
_OPENS_BODY = re.compile(rb"(?:\)(?: ?(?:const|noexcept|override|final|&{1,2}))*|\b(?:else|do|try)) ?\{\Z")
_CLASS_IN_CAPITALS = re.compile(
    rb"\b(?:class|struct|union)\s++(?:[A-Z][A-Z0-9_]*+\s++)?([A-Z][A-Z0-9_]{2,}+)\s*+(?:final\s*+)?(?::(?!:)|\{)"
)
_ANY_WORD = re.compile(rb"\w++")
_ELSE_MACRO = re.compile(rb"\s*([A-Za-z_]\w{3,})\s+else\s*")
_SPLICE = re.compile(rb"\\(?=[ \t]*+\r?\n)")
_SPACED_OPERATOR = re.compile(
    rb"\boperator((?:\s++\(\s*+\)|\s*+\(\s++\)|\s++\[\s*+\]|\s*+\[\s++\]|\s++[-+*/%^&|~!=<>,]++))"
)
_ONE_WORD = rb"([A-Z](?<![\w.>:#].)[A-Z0-9_]*+)\(([A-Za-z_]\w*+)\)"
_OF_ONE_WORD = re.compile(_ONE_WORD)
_NAMED_BY_MACRO = re.compile(_ONE_WORD + rb"(?=[ \t]*+\()")
_BUILT_IN = frozenset(
    (b"void", b"bool", b"char", b"int", b"long", b"short", b"float", b"double", b"unsigned", b"signed")
)
_NAMESPACE_ALIAS = re.compile(rb"\bnamespace\s++(\w++)\s*+=\s*+(?:::\s*+)?(\w++(?:\s*+::\s*+\w++)*)\s*+;")
_NAMESPACE_MACRO = re.compile(
    rb"\b(?=\w{0,40}NAMESPACE)\w{0,60}_(?:(?P<begins>BEGIN|OPEN)|END|CLOSE)\(\s*+(?P<name>[A-Za-z_]\w*+)\s*+\)(?!\s*+;)"
)
_NAMESPACE_USED = re.compile(rb"(?<![\w.])\w++(?=\s*+(?:::|=|;))")
_USING_STD = re.compile(rb"\busing\s++(?:::\s*+)?(std(?:\s*+::\s*+\w++)*?\s*+::\s*+(\w++))\s*+;")
_ATTRIBUTE_ALONE = re.compile(rb"\s*+(?:__attribute__|__declspec|\[\[|alignas\b)")
_STATEMENTS = re.compile(rb"[;{}]\s*+\Z")
_ACCESS = re.compile(rb"\b(?:public|private|protected)\s*+:\s*+\Z")
_WIDEST = 1 << 12
"""Comments and blanks that are longer than this end what is looked at before a word."""
_KEYWORD = (
    rb"(?:const|return|case|goto|new|delete|throw|else|static|inline|virtual|extern|constexpr|explicit|friend|typename|using"
    rb"|namespace|struct|class|union|enum|typedef|operator|template|mutable|volatile|co_return|co_yield|co_await)\b"
)
_BUILTIN = rb"(?:void|bool|char|short|int|long|float|double|signed|unsigned|auto)\b"
_TEMPLATE = re.compile(rb"\btemplate\s*<(?:[^<>;{}]|<[^<>;{}]*>)*\Z")
# `type name` and nothing else: a type in capitals would be a macro itself.
_DECLARES_BEFORE = re.compile(
    rb"(?:[>*&]\s*|\b(?!%(word)s)(?=\w*[a-z])[A-Za-z_]\w*\s+)(?!%(word)s|%(type)s)[A-Za-z_]\w*[a-z_]\w*+"
    rb"(?:\s*\[[^\]\n]*\])?\s*\Z" % {b"word": _KEYWORD, b"type": _BUILTIN}
)
_SPECIFIERS = (b"static", b"inline", b"extern", b"virtual", b"constexpr", b"friend")
_TYPE = rb"(?!(?:const|volatile|operator)\b)[A-Za-z_][\w:]*+(?:<[^;{}()]{0,200}>)?(?:\s+const\b)?"
_BEFORE_TYPE = rb"(?:const|static|virtual|inline|constexpr|explicit|extern|struct|class|unsigned|friend)"
# A word in capitals before a type *and* a name cannot be the type.
_DECLARATION_AFTER = re.compile(
    rb"[ \t]+(?:%(before)s\s++)*(?!%(before)s\s)"
    rb"(?:%(type)s[\s*&]++)+?(?:~?[A-Za-z_][\w:]*+\s*+[(;={\[]|operator\b|\(\s*\*)"
    % {b"before": _BEFORE_TYPE, b"type": _TYPE}
)
# `g_autofree char *copy;`, `_cleanup_(closep) int fd = -1;`: a word before a whole declaration is a macro.
_WORD_BEFORE = re.compile(
    rb"[;{}]\s*+((?!%(word)s|%(type)s|%(other)s)(?=[A-Z0-9_]*+[a-z])[A-Za-z_]\w*+)"
    rb"(?:\s*+\(\s*+(?P<given>[A-Za-z_]\w*+)\s*+\))?(?=\s++"
    rb"(?:(?:const|volatile)\s++)*(?:(?:struct|union|enum|unsigned|signed)\s++)?(?!%(word)s)[A-Za-z_]\w*+(?:::\w++)*"
    rb"(?:\s*+\*[\s*]*+|\s++)[A-Za-z_]\w*+\s*+[=;,\[])"
    % {
        b"word": _KEYWORD,
        b"type": _BUILTIN,
        b"other": rb"(?:if|while|for|switch|catch|do|register|export|(?:__|_T|t)hread(?:_local)?|constinit|alignas"
        rb"|_Alignas|decltype|__?typeof\w*|_Atomic|__(?:extension|restrict|volatile|const|inline|attribute|declspec)\w*)\b",
    }
)
# `g_autoptr(GDir) dir = NULL;`: a macro that is given a type declares a pointer to it, or one of it by `auto`.
_AUTO_OF_TYPE = re.compile(
    rb"(?<=[;{}])\s*+((?=\w*auto)[A-Za-z_]\w*+)\(\s*+([A-Za-z_]\w*+)\s*+(\))(?=\s++[A-Za-z_]\w*+\s*+[=;,])"
)
# What `ASSIGN_OR_RETURN(` is followed by when its first argument declares something.
_DECLARES = re.compile(
    rb"\s*(?:\(\s*)?(?:(?:const|static|constexpr|volatile)\s+)*"
    rb"(?:auto\b(?:\s*const)?\s*[*&]*\s*(?:[A-Za-z_]\w*|\[[^\]\n]*\])"
    rb"|(?:unsigned\s+|struct\s+|class\s+)?[A-Za-z_][\w:]*(?:<[^;{}()]{0,200}>[\w:]*)?(?:\s+const)?"
    rb"(?:[*&]+\s+|\s+[*&]+(?=[A-Za-z_])|\s+)[A-Za-z_]\w*)\s*\)?\s*,"
)
# Long tables of numbers: nobody reads past the 64th item.
_NUMBERS = re.compile(rb"(\{\s*+(?:[-+]?[0-9][\w.]*+\s*+,\s*+){66})(?:[-+]?[0-9][\w.]*+\s*+(?:,\s*+)?){32,}")


@lru_cache(maxsize=8)
def _roles(
    annotations: tuple[str, ...], declaring: tuple[str, ...], standing: tuple[str, ...]
) -> Callable[[bytes], Role]:
    known: dict[bytes, Role] = {}
    patterns = [
        (role, PatternSet(words))
        for role, words in (("annotation", annotations), ("declaring", declaring), ("standing", standing))
        if words
    ]

    def role(word: bytes) -> Role:
        found = known.get(word)
        if found is None:
            text = word.decode()
            found = next((name for name, pattern in patterns if pattern.first(text) is not None), "")
            known[word] = found
        return found

    return role


def prepare(data: bytes, vocabulary: Vocabulary) -> Prepared:
    spaces = tuple(framework.namespaces for framework in vocabulary.frameworks)
    return _Preparation(data, _roles(vocabulary.annotations, vocabulary.declaring, vocabulary.standing), spaces).run()


class _Preparation:
    def __init__(self, data: bytes, role: Callable[[bytes], Role], spaces: tuple[tuple[str, ...], ...]) -> None:
        self.data = data
        self.spaces = spaces
        self.role = role
        self.buffer = bytearray(data)
        self.comments: list[tuple[int, int]] = []
        self.directives: list[Directive] = []
        self.marks: list[OverwrittenMacro] = []
        self.loose: list[Loose] = []
        self.taken: dict[int, RewrittenDeclaration] = {}
        self.masked = b""
        """The file without comments, directives and the contents of strings."""
        self.names: dict[int, str] = {}
        self.launched: set[int] = set()
        self.lines: list[int] = []
        self.defined: dict[bytes, Role] | None = None
        self.done = 0
        """Words before this offset were dealt with as part of something larger."""

    def run(self) -> Prepared:
        data = self.data
        if data.startswith(b"\xef\xbb\xbf"):
            self.blank(0, 3)
        strings = self.scan()
        masked = bytearray(self.buffer)
        for start, end in strings:
            masked[start + 1 : end - 1] = data[start + 1 : end - 1].translate(BLANK)
        self.masked = bytes(masked)
        self.unsplice()
        self.objective_c()
        self.assembly()
        self.join_operators()
        self.names_by_macro()
        self.usual_namespaces()
        self.namespaces_by_macro()
        self.else_by_macro()
        self.attributes_of_enums()
        self.members_in_one_word()
        self.handlers_by_macro()
        for match in _WORDS.finditer(self.masked):
            start, end = match.span()
            if start >= self.done:
                self.word(match[0], start, end)
        self.words_alone()
        self.words_before_types()
        self.rewrite_rest()
        conditionals = _Conditionals(self)
        conditionals.settle()
        debug = tuple(offset for side in conditionals.debug for offset in side)
        macros, imports = self.declarations(debug)
        thrown, empties = self.thrown(), self.empties()
        source = bytes(self.buffer)
        if b"\0" in source:
            source = source.replace(b"\0", b" ")
        return Prepared(
            source,
            self.comments,
            sorted(self.marks),
            sorted(self.loose, key=lambda macro: macro.start),
            self.taken,
            thrown,
            empties,
            frozenset(self.launched),
            self.names,
            macros,
            imports,
            debug,
            tuple(conditionals.whole_groups),
            tuple(conditionals.defined),
            self.brought_in(),
            conditionals.asked,
        )

    def scan(self) -> list[tuple[int, int]]:
        """Blanks comments and directives; returns where the strings are."""
        data, buffer = self.data, self.buffer
        strings = []
        continued = 0
        for match in TOKENS.finditer(data):
            start, end = match.span()
            first = data[start]
            if start < continued:
                continue
            if first == _SLASH:
                while (
                    data[start + 1] == _SLASH
                    and data[end - 1 : end] in (b"\\", b"\r")
                    and (data[start:end].rstrip(b"\r").endswith(b"\\") and end < len(data))
                ):
                    following = data.find(b"\n", end + 1)
                    end = continued = following if following >= 0 else len(data)
                self.comments.append((start, end))
                buffer[start:end] = data[start:end].translate(BLANK)
            elif first == _HASH:
                self.directive(match)
            else:
                strings.append((start, end))
        return strings

    def unsplice(self) -> None:
        """A line that goes on behind a backslash: outside of strings and macros that means nothing."""
        if b"\\" in self.masked:
            masked = bytearray(self.masked)
            for match in _SPLICE.finditer(self.masked):
                masked[match.start()] = self.buffer[match.start()] = 0x20
            self.masked = bytes(masked)

    def objective_c(self) -> None:
        """`@autoreleasepool {` begins a block, `@try` and `@"text"` are what they are without the sign."""
        for match in _AT_SIGNS.finditer(self.masked) if b"@" in self.masked else ():
            self.blank(*match.span())

    def assembly(self) -> None:
        """`__asm { mov eax, ebx }` and `__asm int 3` of Microsoft's compilers become empty statements: the grammar
        knows no instructions, and would take the rest of the file for the body around them."""
        if b"_asm" not in self.masked:
            return
        masked = bytearray(self.masked)
        for match in _ASSEMBLY.finditer(self.masked):
            start, end = match.span()
            self.blank(start, end)
            masked[start:end] = self.masked[start:end].translate(BLANK)
            self.buffer[start] = masked[start] = 0x3B
        self.masked = bytes(masked)

    def join_operators(self) -> None:
        """`operator ( )` becomes `operator()  `: the grammar wants the sign in one piece, right behind the word."""
        if b"operator" not in self.masked:
            return
        masked = bytearray(self.masked)
        for match in _SPACED_OPERATOR.finditer(self.masked):
            joined = b"".join(match[1].split())
            joined += b"".join(re.findall(rb"\s", match[1]))
            self.buffer[slice(*match.span(1))] = masked[slice(*match.span(1))] = joined
        self.masked = bytes(masked)

    def names_by_macro(self) -> None:
        """`int X(solve)(int n) {`, `X(solve)(3)`: a macro of one word makes the name of a function. Each becomes
        `X_solve `, so that they are not all called `X`; so do others of that macro, which stand for the function."""
        naming = {
            match[1]
            for match in _NAMED_BY_MACRO.finditer(self.masked)
            if match[2] not in _BUILT_IN and not self.role(match[1])
        }
        if not naming:
            return
        masked = bytearray(self.masked)
        for match in _OF_ONE_WORD.finditer(self.masked):
            if match[1] in naming and match[2] not in _BUILT_IN:
                self.buffer[slice(*match.span())] = masked[slice(*match.span())] = match[1] + b"_" + match[2] + b" "
        self.masked = bytes(masked)

    def usual_namespaces(self) -> None:
        """`namespace binding = pybind11;` makes `py     ::list` of `binding::list`: the shortest usual name of a
        framework's namespace, where it finds room. The alias keeps its name, for those who include it."""
        usual = self.usual_names() if b"namespace" in self.masked else {}
        for use in _NAMESPACE_USED.finditer(self.masked) if usual else ():
            short = usual.get(use[0])
            if short is None:
                continue
            before = self.masked[max(0, use.start() - 64) : use.start()].rstrip()
            behind = self.masked[use.end() : use.end() + 64].lstrip()
            if not before.endswith(b"::") and behind[:2] == b"::":
                self.buffer[slice(*use.span())] = short.ljust(len(use[0]))

    def else_by_macro(self) -> None:
        """A macro that this file defines as `else`: without the word the grammar ends the function at the brace behind
        it."""
        found = (_ELSE_MACRO.fullmatch(one.rest) for one in self.directives if one.word == b"define")
        names = {match[1] for match in found if match is not None}
        if not names:
            return
        masked = bytearray(self.masked)
        for use in _ANY_WORD.finditer(self.masked):
            if use[0] in names:
                masked[slice(*use.span())] = self.buffer[slice(*use.span())] = b"else".ljust(len(use[0]))
        self.masked = bytes(masked)

    def handlers_by_macro(self) -> None:
        """`try { ... } REPORT_ERRORS("f")` becomes `try { ... } catch(...){}`: nothing but handlers can stand there."""
        if b"try" not in self.masked:
            return
        masked = bytearray(self.masked)
        tries: list[bool] = []
        for brace in _BLOCKS.finditer(self.masked):
            if brace[0] != b"}":
                tries.append(brace[0] != b"{")
            elif tries and tries.pop() and (macro := _MACRO_BEHIND.match(self.masked, brace.end())) is not None:
                start, end = macro.start(1), _closing(self.masked, macro.end() - 1) + 1
                if end - start >= len(_HANDLER):
                    inside = start + len(_HANDLER) - 1
                    self.loose.append(Loose(inside, end, _text(macro[1]), self.written(macro.end(), end - 1)))
                    self.blank(start, end)
                    self.buffer[start : start + len(_HANDLER)] = _HANDLER
                    masked[start:end] = self.buffer[start:end]
        self.masked = bytes(masked)

    def namespaces_by_macro(self) -> None:
        """`NAMESPACE_BEGIN(detail)` ... `NAMESPACE_END(detail)`, where each that begins is followed by one that ends,
        becomes `namespace detail {` ... `}`."""
        if b"NAMESPACE" not in self.masked:
            return
        open_, pairs = list[re.Match[bytes]](), list[tuple[re.Match[bytes], re.Match[bytes]]]()
        for match in _NAMESPACE_MACRO.finditer(self.masked):
            if match["begins"]:
                open_.append(match)
            elif not open_ or open_[-1]["name"] != match["name"]:
                return  # one of another file's
            else:
                pairs.append((open_.pop(), match))
        masked = bytearray(self.masked)
        for begin, end in pairs if not open_ else ():
            for match, said in ((begin, b"namespace %s {" % begin["name"]), (end, b"}")):
                at = slice(*match.span())
                self.buffer[at] = masked[at] = said.ljust(match.end() - match.start())
        self.masked = bytes(masked)

    def usual_names(self) -> dict[bytes, bytes]:
        """Of each alias of a framework's namespace that has room for it: the shortest usual one. The last says it."""
        names = {name: group for group in reversed(self.spaces) for name in group}
        found = {}
        for alias in _NAMESPACE_ALIAS.finditer(self.masked):
            usual = names.get("".join(_text(alias[2]).split()), ())
            short = min((one for one in usual if "::" not in one), key=len, default="").encode()
            if short and _text(alias[1]) not in usual and len(short) <= len(alias[1]):
                found[alias[1]] = short
        return found

    def brought_in(self) -> dict[str, str]:
        """`move` to `std::move`, for each `using std::move;` that is not a class's."""
        if b"using" not in self.masked:
            return {}
        found = {match[2].decode(): "".join(_text(match[1]).split()) for match in _USING_STD.finditer(self.masked)}
        return dict(sorted(found.items()))

    def text_before(self, at: int, most: int) -> bytes:
        """The last `most` bytes before `at`, each run of blanks (and of blanked comments) as one, none at the end."""
        window = 2 * most
        while True:
            low = max(0, at - window)
            text = b" ".join(bytes(self.buffer[low:at]).split())
            if len(text) >= most or not low or window > _WIDEST:
                return text[-most:]
            window *= 4

    def line_of(self, at: int) -> int:
        """Where the line of `at` starts."""
        if not self.lines:
            self.lines = [0, *(match.end() for match in re.finditer(rb"\n", self.data))]
        return self.lines[bisect_right(self.lines, at) - 1]

    def line_before(self, line: int) -> bytes:
        """What stands on the last line with something on it before the one that starts at `line`."""
        start = end = line
        while start and not self.masked[start:end].strip():
            end = start - 1
            start = self.line_of(end)
        return self.masked[start:end]

    def blank(self, start: int, end: int) -> None:
        self.buffer[start:end] = self.data[start:end].translate(BLANK)

    def directive(self, match: re.Match[bytes]) -> None:
        start, end = match.span()
        line = self.buffer.rfind(b"\n", 0, start) + 1
        if self.buffer[line:start].strip():
            return  # `#` inside an expression: an argument of some macro
        rest = match[3]
        if b"/*" in rest:
            offset = match.start(3)
            for comment in re.finditer(rb"/\*.*?\*/", rest, re.DOTALL):
                self.comments.append((offset + comment.start(), offset + comment.end()))
            rest = re.sub(rb"/\*.*?\*/", b" ", rest, flags=re.DOTALL)
        self.directives.append(Directive(start, end, match[2], rest))
        self.blank(start, end)

    # --- words of capitals ---

    def word(self, word: bytes, start: int, end: int) -> None:
        role = self.role(word)
        if role == "annotation":
            self.mark(word, start, end)
            return
        before = self.text_before(start, 48)
        last = before[-1:]
        opens = last == b"" or last in b";{}:)>" or before.endswith((b"else", b"do", b"]]"))
        follower = _NEXT.match(self.masked, end)
        assert follower is not None  # the pattern matches nothing, too
        after = follower[1] or b""
        if after == b"(":
            if word in self.classes_in_capitals:
                return  # a constructor, or the destructor
            if self.is_attribute(before, start, follower.start(1), role):
                self.mark(word, start, end)
            elif opens:
                self.called(word, role, start, end, follower.start(1), last)
            elif before.endswith(_CLASS_WORDS):
                self.attribute_of_class(word, start, end)
            return
        if opens:
            self.bare(word, role or self.defined_role(word), start, end, follower.start(1), after, last)
        elif before.endswith(_CLASS_WORDS):
            self.attribute_of_class(word, start, end)
        elif (
            after == b"{"
            and (
                before.endswith((b"const", b"noexcept", b"override", b"final"))
                or re.search(rb"\bnamespace\s+[\w:]+$", before)
            )
        ) or (before.endswith(_SPECIFIERS) and _DECLARATION_AFTER.match(self.masked, end)):
            self.mark(word, start, end)

    @cached_property
    def classes_in_capitals(self) -> frozenset[bytes]:
        """The classes of the file whose names look like those of macros."""
        defined = {match[1] for one in self.directives if one.word == b"define" and (match := _DEFINE.match(one.rest))}
        return frozenset(_CLASS_IN_CAPITALS.findall(self.masked)) - defined

    def is_attribute(self, before: bytes, start: int, opening: int, role: Role) -> bool:
        """Whether `WORD(...)`, which nobody has told us about, stands where only an attribute can: behind the name that
        a statement declares (`int n_ HELD_BY(mu_) = 0;`), or behind the parameters of a function."""
        last = before[-1:]
        if role or not (last == b")" or _NAME_BYTE.match(last)):
            return False
        close = self.closing(opening)
        after = _NEXT.match(self.masked, close + 1) if close >= 0 else None
        ends = (after[1] if after else None) or b""
        if ends not in (b";", b"=", b"{", b",") and not ends.isupper():
            return False
        if last == b")":
            return ends == b";" and self.closes_parameters(start)
        if _BEHIND_PARAMETERS.search(before):
            return True
        line = self.text_before(start, 200)
        declared = _DECLARES_BEFORE.search(line) if ends != b"," else None
        return declared is not None and _TEMPLATE.search(line, 0, declared.start()) is None

    def closes_parameters(self, start: int) -> bool:
        """Whether the parenthesis before `start` ends the parameters of a function, not the condition of an `if`."""
        depth = 0
        for match in reversed(list(_BRACKETS.finditer(self.masked, max(0, start - 2000), start))):
            depth += 1 if match[0] == b")" else -1
            if not depth:
                name = _LAST_NAME.search(self.text_before(match.start(), 80))
                return name is not None and name[1] not in _CONDITIONAL and not name[1].isupper()
        return False

    def mark(self, word: bytes, start: int, end: int) -> None:
        arguments = ""
        follower = _NEXT.match(self.masked, end)
        if follower is not None and follower[1] == b"(":
            close = self.closing(follower.start(1))
            if close >= 0:
                arguments = self.written(follower.start(1) + 1, close)
                end = close + 1
                if word == b"__attribute__":
                    self.spelled_out(start, end)
        self.marks.append(OverwrittenMacro(start, end, word.decode(), arguments))
        self.blank(start, end)
        self.done = end

    def written(self, start: int, end: int) -> str:
        """The text without comments, spaced in the usual way; empty for the range of what did not match."""
        return spelled(_text(bytes(self.buffer[max(start, 0) : max(end, 0)])))

    def spelled_out(self, start: int, end: int) -> None:
        """`__attribute__((guarded_by(mu_)))` is also a mark named `guarded_by`."""
        for found in _ATTRIBUTE.finditer(self.masked, start, end):
            self.marks.append(OverwrittenMacro(start, end, found[1].decode(), self.written(*found.span(2))))

    def attributes_of_enums(self) -> None:
        """`enum class [[nodiscard]] Code {`: the grammar knows attributes of classes, not of enums."""
        for match in _ENUM_ATTRIBUTES.finditer(self.masked):
            for found in _ATTRIBUTE.finditer(self.masked, *match.span(1)):
                start, end = found.span()
                self.marks.append(OverwrittenMacro(start, end, found[1].decode(), self.written(*found.span(2))))
            self.blank(*match.span(1))

    def attribute_of_class(self, word: bytes, start: int, end: int) -> None:
        """`class FOO_API Bar {`, `struct FOO_ALIGNED(8) Bar`: not the name of the class."""
        after = end
        follower = _NEXT.match(self.masked, end)
        if follower is not None and follower[1] == b"(":
            after = self.closing(follower.start(1)) + 1
            if not after:
                return
        if re.compile(rb"\s+(?!final\b)[A-Za-z_][\w:]*+(?:\s*+<[^;{}()]{0,200}>)?\s*+(?:final\s*+)?[:{;]").match(
            self.masked, after
        ):
            self.mark(word, start, end)

    def words_alone(self) -> None:
        """`lib_RELEASE` alone on its line between statements, by its name or by what the file says of it a macro: the
        grammar would take it for the type of what the next line calls."""
        for match in _WORD_ALONE.finditer(self.masked):
            word, (start, end) = match[1], match.span(1)
            if self.defined_role(word) != "standing" and (
                _ENDS_IN_CAPITALS.fullmatch(word) is None or _NAME_DECLARED.match(self.masked, end) is not None
            ):
                continue
            follower = _NEXT.match(self.masked, end)
            after = (follower[1] if follower is not None else b"") or b""
            last = self.text_before(start, 1)
            between = last in (b";", b"}") or (last == b"{" and after != b"}")
            if between and (after.isalnum() or after in (b"_", b"*", b"}")):
                self.loose.append(Loose(start, end, word.decode(), None))
                self.blank(start, end)

    def words_before_types(self) -> None:
        """Marks macros in small letters before a declaration; what they are handed is taken for a function."""
        for match in _WORD_BEFORE.finditer(self.masked):
            start, end = match.start(1), match.end()
            if self.buffer[start : start + 1].strip():
                self.marks.append(OverwrittenMacro(start, end, BEFORE_TYPE, _text(match["given"] or match[1])))
                self.blank(start, end)
        for match in _AUTO_OF_TYPE.finditer(self.masked) if b"auto" in self.masked else ():
            start, end = match.start(1), match.start(2)
            if self.buffer[start : start + 1].strip():
                self.marks.append(OverwrittenMacro(start, end, BEFORE_TYPE, _text(match[1])))
                self.blank(start, end)
                self.buffer[match.start(3) : match.end(3)] = b" " if match[1].endswith(b"auto") else b"*"

    def members_in_one_word(self) -> None:
        """`struct X { Foo_HEAD int n; };`: a word that is first in a class, alone there or on its line, or before a
        whole declaration, and a macro by its name or by what the file says of it, stands for members. One in capitals
        that more members follow is dealt with among the words of capitals."""
        for match in _FIRST_IN_CLASS.finditer(self.masked):
            word, ends = match[1], match[2] or match[3]
            capitals = _WORDS.fullmatch(word) is not None
            enum = self.masked[max(0, match.start() - 64) : match.start()].rstrip().endswith(b"enum")
            if enum or (capitals and not ends):
                continue
            if capitals or _ENDS_IN_CAPITALS.fullmatch(word) or self.defined_role(word) == "standing":
                start, end = match.span(1)
                self.loose.append(Loose(start, end, word.decode(), None))
                self.blank(start, end)

    def defined_role(self, word: bytes) -> Role:
        """`standing` for what the file itself defines as statements: `#define BEGIN { int saved = lock();`, and
        `attribute` for `#define UNUSED __attribute__((unused))`."""
        if self.defined is None:
            self.defined = {}
            for directive in self.directives:
                body = _DEFINE.match(directive.rest) if directive.word == b"define" else None
                if body is not None and body[2] is None:
                    if _STATEMENTS.search(body[4]):
                        self.defined[body[1]] = "standing"
                    elif _ATTRIBUTE_ALONE.match(body[4]):
                        self.defined.setdefault(body[1], "attribute")
        return self.defined.get(word, "")

    def is_line_before_write(self, line: int, start: int, end: int, next_at: int) -> bool:
        """Whether a word is all that stands on its line, neither what is before nor what follows goes on there, and
        what is written through has been named before in the function: a type would declare it."""
        if (
            self.masked[start:end] in _TYPES_OF_C
            or self.buffer[line:start].strip()
            or b"\n" not in self.masked[end:next_at]
        ):
            return False
        written = _WRITES_THROUGH.match(self.masked, next_at)
        if written is None or _CALL_ALONE.fullmatch(self.line_before(line)) is None:
            return False
        begin = max(self.masked.rfind(b"\n}", 0, start), start - _FAR)
        return written[1] in _ANY_NAME.findall(self.masked, begin, start)

    def bare(self, word: bytes, role: Role, start: int, end: int, next_at: int, after: bytes, last: bytes) -> None:
        """A word without parentheses that stands where a statement or a declaration starts."""
        line = self.line_of(start)
        if self.is_line_before_write(line, start, end, next_at):
            self.loose.append(Loose(start, end, word.decode(), None))
            self.blank(start, end)
            self.buffer[end - 1 : end] = b";"  # another such macro may stand on the line before
            return
        if last == b")" and after == b"{":
            self.mark(word, start, end)  # void f() FOO_NOEXCEPT {
            return
        if after == b"{" and last in b";{}":
            if start > line:  # MACRO_TRY {: a block in a body
                self.loose.append(Loose(start, end, word.decode(), None))
                self.blank(start, end)
            elif len(word) > 4:  # GLOBAL_INITIALIZER {: a function under an assumed name
                self.names[start] = word.decode()
                self.buffer[end - 2 : end] = b"()"
            return
        if not (after.isalnum() or after in (b"_", b"~", b"[", b"}", b"")):
            return
        buffer = self.buffer
        alone = role == "standing" or (b"\n" in self.masked[end:next_at] and not buffer[line:start].strip())
        if not alone and self.data[end:next_at].lstrip(b" \t").startswith((b"//", b"/*")):
            alone = True
        if alone and last != b")" and not (last == b":" and self.text_before(start, 2) == b"::"):
            if self.defined_role(word) == "attribute":
                self.mark(word, start, end)
                return
            if after == b"}" and last not in b";}" and not _ACCESS.search(self.text_before(start, 16)):
                return
            self.loose.append(Loose(start, end, word.decode(), None))
            self.blank(start, end)
        elif (last == b"]" and after == b"~") or (last != b")" and _DECLARATION_AFTER.match(self.masked, end)):
            self.mark(word, start, end)

    def called(self, word: bytes, role: Role, start: int, end: int, opening: int, last: bytes) -> None:
        """`WORD(...)` where a statement or a declaration starts."""
        if last == b"{" and self.is_whole_body(start, opening):
            close = self.closing(opening) + 1
            self.loose.append(Loose(start, close, word.decode(), self.written(opening + 1, close - 1)))
            self.blank(start, close)
            self.done = close
            return
        declares = last != b">" and _DECLARES.match(self.masked, opening + 1) is not None
        if not declares and role != "declaring" and last != b")":
            return
        close = self.closing(opening)
        if close < 0:
            return
        follower = _NEXT.match(self.masked, close + 1)
        after = (follower[1] if follower else b"") or b""
        if after == b"{" and last == b")":
            self.mark(word, start, end)
        elif (declares or role == "declaring") and after in (b";", b"}", b""):
            self.take(word, start, opening, close, after)

    def is_whole_body(self, start: int, opening: int) -> bool:
        """Whether `WORD(...)` is all that stands in braces of statements. To the grammar `T f(int n) { WORD(n) }` is
        a variable `f` with a value."""
        close = self.closing(opening)
        follower = _NEXT.match(self.masked, close + 1) if close >= 0 else None
        return (
            follower is not None and follower[1] == b"}" and _OPENS_BODY.search(self.text_before(start, 48)) is not None
        )

    def take(self, word: bytes, start: int, opening: int, close: int, after: bytes) -> None:
        """Rewrites `MACRO(first, second, rest)` to `first= second`."""
        commas = self.commas(opening, close)
        if not commas:
            return
        comma = commas[0]
        first_end, first_start = comma, opening + 1
        while self.masked[first_start : first_start + 1].isspace():
            first_start += 1
        if self.masked[first_start : first_start + 1] == b"(":
            inner = self.closing(first_start)
            if inner >= 0 and not self.masked[inner + 1 : comma].strip():
                self.blank(first_start, first_start + 1)
                self.blank(inner, inner + 1)
                first_start += 1
                while self.masked[first_start : first_start + 1].isspace():
                    first_start += 1
        if first_start >= first_end:
            return
        self.blank(start, opening + 1)
        self.buffer[comma : comma + 1] = b"="
        if len(commas) > 1:
            self.blank(commas[1], close)
        self.buffer[close : close + 1] = b" " if after == b";" else b";"
        self.taken[first_start] = RewrittenDeclaration(start, close + 1, word.decode(), start)

    def closing(self, opening: int) -> int:
        return _closing(self.masked, opening)

    def commas(self, opening: int, close: int) -> list[int]:
        """The commas between the arguments of a macro; `<` does not bracket there."""
        depth, found = 0, []
        for match in _TOP.finditer(self.masked, opening + 1, close):
            bracket = match[0]
            if bracket in b"([{":
                depth += 1
            elif bracket in b")]}":
                depth -= 1
            elif bracket == b"," and not depth:
                found.append(match.start())
                if len(found) == 2:
                    break
        return found

    # --- the rest ---

    def rewrite_rest(self) -> None:
        data, buffer = self.data, self.buffer
        for word in (b"__attribute__", b"__declspec"):
            at = data.find(word)
            while at >= 0:
                if self.masked[at : at + 1] == b"_":
                    self.mark(word, at, at + len(word))
                at = data.find(word, at + 1)
        if b"__extension__" in data or b"__restrict" in data:
            for match in _EXTENSIONS.finditer(buffer):
                self.blank(*match.span())
        for match in _QUALIFIED.finditer(buffer):
            type_ = buffer[max(0, match.start() - 64) : match.start()].rstrip(b" \t")
            follows = _ENDS_TYPE.match(type_[-1:]) is not None
            if follows and match[1] not in _NO_QUALIFIERS and match[2] not in _OPERATORS:
                self.blank(*match.span(1))
        self.launches()
        for match in _NUMBERS.finditer(buffer):
            self.blank(match.end(1), match.end())
        self.types_as_names()

    def launches(self) -> None:
        """`kernel<<<grid, block>>>(x)` becomes `kernel(  grid, block)  (x)`."""
        buffer = self.buffer
        if b"<<<" in buffer and b">>>" in buffer:
            for match in re.finditer(rb"(?<=[\w>])\s*+<<<(?!<)([^;{}]{0,1000}?)>>>(?=\s*\()", bytes(buffer)):
                start, end = match.start(1) - 3, match.end()
                buffer[start : start + 3], buffer[end - 3 : end] = b"(  ", b")  "
                self.launched.add(start)

    def types_as_names(self) -> None:
        """A type that stands where the grammar takes a value becomes one name, whose text is the type."""
        defined = (_DEFINE.match(one.rest) for one in self.directives if one.word == b"define")
        macros = {match[1] for match in defined if match is not None and match[2] is not None}
        for start, end in types_as_values(self.masked, macros):
            self.blank(start, end)
            self.buffer[start : start + 2] = b"_T"
            self.names[start] = spelled(_text(self.masked[start:end]))

    def thrown(self) -> frozenset[int]:
        """`a ? b : throw c` becomes `a ? b : !     c`."""
        if b"throw" not in self.buffer:
            return frozenset()
        found = set()
        for match in re.finditer(rb"[?:]\s*+(throw)\b(?=\s*[^\s;])", bytes(self.buffer)):
            at = match.start(1)
            self.buffer[at : at + 5] = b"!    "
            found.add(at)
        return frozenset(found)

    def empties(self) -> frozenset[int]:
        """`int x = {})` becomes `int x = 0 )`."""
        found = set()
        for match in re.finditer(rb"=\s*+(\{\})(?=\s*+[,)])", bytes(self.buffer)):
            at = match.start(1)
            self.buffer[at : at + 2] = b"0 "
            found.add(at)
        return frozenset(found)

    def declarations(self, debug: tuple[int, ...]) -> tuple[tuple[Macro, ...], tuple[Import, ...]]:
        macros, imports = [], []
        for directive in self.directives:
            if directive.word == b"define":
                match = _DEFINE.match(directive.rest)
                if match is None:
                    continue
                parameters = None
                if match[2] is not None:
                    parameters = tuple(p.strip() for p in _text(match[3]).split(",") if p.strip())
                body = _text(re.sub(rb"\\\r?\n", b" ", match[4])[:8000])
                body = " ".join(body.split())[:2000]
                is_debug = bisect_right(debug, directive.start) % 2 == 1
                macros.append(Macro(directive.start, directive.end, _text(match[1]), parameters, body, is_debug))
            elif directive.word in (b"include", b"import", b"include_next"):
                match = _INCLUDE.match(directive.rest)
                if match is not None:
                    quoted = match[1] is not None
                    target = _text(match[1] if quoted else match[2])
                    imports.append(Import(directive.start, directive.end, '"' if quoted else "<", target))
        return tuple(macros), tuple(imports)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip()


# --- the second attempt ---------------------------------------------------------------------------

_SCOPES = re.compile(rb"[{}]|[A-Z](?<![A-Za-z0-9_].)[A-Z0-9_]{2,}+\s*\(")
_NAMES = re.compile(rb"\s*+[A-Za-z_]\w*+(?:\s*+,\s*+[A-Za-z_]\w*+)*\s*+")
_OPENS_SCOPE = re.compile(
    rb"(?:^|[\s>])(?:namespace|class|struct|union)\b(?:[^()=]|\([^()]*\)|=)*$|extern\s*\"[^\"]*\"\s*$"
)


def without_macro_calls(prepared: Prepared, *, with_bodies: bool) -> Prepared:
    """For files that did not parse: takes apart what calls of macros can do to a grammar.

    Among the declarations of a namespace or a class they are blanked: their arguments can be anything
    (`OPERATOR(+)`), and none of them is a declaration we could read; those that hold braces, and so perhaps lambdas,
    only `with_bodies`. In a body, a call without a semicolon is
    blanked and remembered as `Loose`; one whose argument is a run of statements (`RETRY(return f();)`) becomes a block.
    In one with a semicolon, an empty last argument or a pointer's type (`OVERRIDE(T *, Base, f, );`) loses what is odd,
    and a built-in type (`OVERRIDE(int, Base, f);`) becomes a name.
    """
    masked = without_strings(prepared.source)
    buffer = bytearray(prepared.source)
    loose = list(prepared.loose)
    names = dict(prepared.names)
    stack: list[bool] = []  # of each open brace: whether it is a namespace or a class
    opened = done = 0
    for match in _SCOPES.finditer(masked):
        start = match.start()
        token = match[0]
        if start < done:
            continue
        if token == b"}":
            opened = start
            if stack:
                stack.pop()
            continue
        if token == b"{":
            head = masked[max(opened, done, start - 400) : start]
            head = head[head.rfind(b";") + 1 :]
            opened = start + 1
            stack.append(all(stack[-1:]) and _OPENS_SCOPE.search(head.strip()) is not None)
            continue
        if masked[max(0, start - 64) : start].rstrip()[-1:] not in (b";", b"{", b"}", b":", b")", b""):
            continue
        opening = match.end() - 1
        close = _closing(masked, opening)
        if close < 0:
            continue
        following = _NEXT.match(masked, close + 1)
        after = (following[1] if following else b"") or b""
        if all(stack[-1:]):
            if after == b";" and _NAMES.fullmatch(masked, opening + 1, close):
                continue  # reads as a declaration, and says of a class that it cannot be copied
            if after not in (b"{", b":") and (with_bodies or b"{" not in masked[start:close]):
                done = close + 1
                buffer[start:done] = buffer[start:done].translate(BLANK)
            continue
        inside = masked[opening + 1 : close].strip()
        for odd in _ODD_ARGUMENTS.finditer(masked, opening + 1, close + 1) if after == b";" else ():
            buffer[slice(*odd.span())] = odd[0].translate(BLANK)
        for type_ in _TYPE_ARGUMENTS.finditer(masked, opening + 1, close + 1) if after == b";" else ():
            buffer[type_.start(1) : type_.start(1) + 1] = b"_"
            names[type_.start(1)] = type_[1].decode()
        if inside[-1:] == b";":
            name = masked[start:opening].strip()
            loose.append(Loose(start, start + len(name), name.decode(), None))
            buffer[start:opening] = buffer[start:opening].translate(BLANK)
            buffer[opening : opening + 1], buffer[close : close + 1] = b"{", b"}"
        elif (
            following is not None and b"\n" in masked[close : following.end()] and (after.isalnum() or after in b"_}~")
        ):
            done = close + 1
            name = masked[start:opening].strip()
            loose.append(Loose(start, done, name.decode(), spelled(_text(prepared.source[opening + 1 : close]))))
            buffer[start:done] = buffer[start:done].translate(BLANK)
    return prepared._replace(source=bytes(buffer), names=names, loose=sorted(loose, key=lambda macro: macro.start))


_TYPE_ARGUMENTS = re.compile(
    rb"(?<=[(,\s])(void|bool|char|int|long|short|float|double|unsigned|signed|auto)(?=\s*+[*&]*+\s*+[,)])"
)
_ODD_ARGUMENTS = re.compile(rb"(?<=[\w>])\s*+[*&]++(?=\s*+,)|,(?=\s*+\))")
_STRINGS = re.compile(rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*(?:"|(?=[\\\n])|\Z)')


def without_strings(source: bytes) -> bytes:
    """The source with blanks for what stands in string literals."""
    return _STRINGS.sub(_hollow, source)


def _hollow(match: re.Match[bytes]) -> bytes:
    size = match.end() - match.start() - 2
    return b'"' + b" " * size + b'"' if size >= 0 and match[0].endswith(b'"') else match[0]


def _closing(masked: bytes, opening: int) -> int:
    """The parenthesis that closes the one at `opening`, -1 if none does within 100 kB."""
    depth = 0
    for match in _BRACKETS.finditer(masked, opening, opening + 100_000):
        depth += 1 if match[0] == b"(" else -1
        if not depth:
            return match.start()
    return -1


# --- conditionals ---------------------------------------------------------------------------------


_DEEP = 50
"""Conditionals nested deeper than this keep all their sides: choosing looks at every byte once a level."""


class _Conditionals:
    def __init__(self, preparation: _Preparation) -> None:
        self.preparation = preparation
        self.buffer = preparation.buffer
        self.directives = [
            d
            for d in preparation.directives
            if d.word in (b"if", b"ifdef", b"ifndef", b"elif", b"elifdef", b"elifndef", b"else", b"endif")
        ]

        self.debug: list[tuple[int, int]] = []
        """What only a debug build compiles, in order."""
        self.dropped: list[tuple[int, int]] = []
        self.whole_groups: list[int] = []
        self.defined: list[tuple[int, int, str]] = []
        self.asked: dict[int, str] = {}
        self.questions = {asked(d) for d in self.directives if d.word not in (b"else", b"endif")}
        self.constants = constants(preparation.directives)

    def settle(self) -> None:
        """Innermost first, so that a conditional around others finds them settled."""
        stack: list[ConditionalGroup] = []
        for directive in self.directives:
            if directive.word.startswith(b"if"):
                stack.append(ConditionalGroup([directive], []))
            elif not stack:
                continue
            elif directive.word == b"endif":
                group = stack.pop()
                group.end.append(directive)
                self.whole_groups += (group.parts[0].start, directive.end)
                self.asked.update((part.start, asked(part)) for part in group.parts if part.word != b"else")
                self.defined += defined_sides(group)
                for start, stop in debug_sides(group):
                    first, last = (bisect_left(self.debug, (at,)) for at in (start, stop))
                    self.debug[first:last] = [(start, stop)]
                if len(stack) < _DEEP:
                    self.choose(group)
            else:
                stack[-1].parts.append(directive)
        self.forget()

    def choose(self, group: ConditionalGroup) -> None:
        parts = group.parts
        end = group.end[0]
        bounds = [part.end for part in parts]
        stops = [part.start for part in parts[1:]] + [end.start]
        dead = [is_never_built(part, parts[:number], self.constants) for number, part in enumerate(parts)]
        if len(parts) == 1:
            if dead[0]:
                self.drop(bounds[0], stops[0])
            elif contrary(asked(parts[0])) in self.questions:
                text = bytes(self.buffer[bounds[0] : stops[0]])
                if _balance(text) == (0, 0) and self.whole(parts[0].start, [text]):
                    self.restore(parts[0])
                    self.restore(end)
            return
        alive = [i for i, left_out in enumerate(dead) if not left_out]
        for i in range(len(parts)):
            if dead[i]:
                self.drop(bounds[i], stops[i])
        if len(alive) < 2:
            return
        texts = [bytes(self.buffer[bounds[i] : stops[i]]) for i in alive]
        balances = [_balance(text) for text in texts]
        if all(b == (0, 0) for b in balances) and self.whole(parts[0].start, texts):
            for directive in [*parts, end]:
                self.restore(directive)
            return
        if not any(text.strip() for text in texts):
            return  # macros alone, which are all known: the parser has nothing to choose between
        order = sorted(range(len(alive)), key=lambda n: (balances[n] != (0, 0), unlikely(parts[alive[n]]), n))
        for n in order[1:]:
            self.drop(bounds[alive[n]], stops[alive[n]])

    def whole(self, start: int, texts: list[bytes]) -> bool:
        """Whether the conditional stands between statements and each side holds whole ones."""
        around = self.buffer[max(0, start - 4000) : start].rstrip()
        while around.endswith(b"#endif"):  # of a conditional whose sides are whole, too
            around = around.removesuffix(b"#endif").rstrip()
        before = around[-1:]
        if before and before not in b";{}" and _EMPTY_CALL.search(around) is None:
            return False
        return all(not text.strip() or _WHOLE.match(text) is not None for text in texts)

    def restore(self, directive: Directive) -> None:
        """The parser sees a plain directive, whatever its condition was: conditions can be of any shape."""
        word = directive.word.replace(b"def", b"").replace(b"ifn", b"if")
        text = b"#" + word + (b" 1" if word in (b"if", b"elif") else b"")
        if directive.start + len(text) <= directive.end:
            self.buffer[directive.start : directive.start + len(text)] = text

    def drop(self, start: int, end: int) -> None:
        self.preparation.blank(start, end)
        self.dropped.append((start, end))

    def forget(self) -> None:
        """What stood in the sides that were dropped."""
        outermost: list[tuple[int, int]] = []
        for start, end in sorted(self.dropped, key=lambda side: (side[0], -side[1])):
            if not outermost or start >= outermost[-1][1]:
                outermost.append((start, end))

        def dropped(at: int) -> bool:
            index = bisect_right(outermost, (at, len(self.buffer) + 1)) - 1
            return index >= 0 and at < outermost[index][1]

        preparation = self.preparation
        if outermost:
            preparation.marks = [m for m in preparation.marks if not dropped(m.start)]
            preparation.loose = [m for m in preparation.loose if not dropped(m.start)]
            preparation.directives = [d for d in preparation.directives if d.word != b"define" or not dropped(d.start)]


_WHOLE = re.compile(rb"\s*(?!else\b|catch\b)(?:[^)},.;?:+/|=\s]|\+\+|::)(?s:.)*[;}]\s*\Z")

_EMPTY_CALL = re.compile(rb"(?:\A|[;{}])\s*+[A-Z][A-Z\d_]*+\(\s*+\)\Z")
"""A macro that is given nothing and stands where a statement would: no statement goes on after it."""


def _balance(text: bytes) -> tuple[int, int]:
    """How many braces and parentheses stay open."""
    if b'"' in text or b"'" in text:
        text = re.sub(rb""""[^"\\\n]*+(?:\\.[^"\\\n]*+)*(?:"|\\?\Z|(?=\\?\n))|'(?:[^'\\\n]|\\.){1,12}'""", b"", text)
    return text.count(b"{") - text.count(b"}"), text.count(b"(") - text.count(b")")
