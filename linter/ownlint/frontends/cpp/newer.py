"""Syntax that the grammar does not know: rewritten to what it knows, without moving a byte.

For files that did not parse: what was a whole function, or the rest of the file, is then one expression that says a
little less.

* captures with braces (`[x{f()}]`, `[...xs{f(xs)}]`) get an `=`;
* lambdas without parentheses lose `mutable`, `noexcept`, a result or attributes behind their captures;
* of literals side by side, macros between them are blanked (`"a" MACRO(x) "b"`), and all suffixes but the last;
* `\\N{...}` and its like in a literal lose their backslash;
* `class R = T &` in template parameters loses the `&`, an explicit instantiation its first words, and `unsigned{1}`
  constructs what has the name `unsigned`;
* `delete[] (x);`, which looks like a lambda, loses its parentheses;
* `new T*[n]` and `new T*` make a `T`;
* an operator that is called by its name is written as one: `operator=(x)` is `(*this) =(x)`;
* `if consteval` tests a name; `export` goes, with the braces around what is exported;
* of Objective-C what is not C++: interfaces, methods, `@` before a literal or a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.frontends.cpp.preprocess import BLANK, TOKENS, Prepared

_BRACKETS = re.compile(rb"[()\[\]{}]")
_CLOSES = {b")": b"(", b"]": b"[", b"}": b"{"}
_NEAR = 16
"""So many brackets may stay open inside of one that is closed."""
_FAR = 2000
"""The call of a macro beside a literal is no longer than this."""

_WORD = re.compile(rb"[A-Za-z_]\w*+")
_BLANKS = re.compile(rb"\s*+")
_PREFIX = re.compile(rb"(?<!\w)(?:(?:u8|[uUL])R?|R)\Z")
_QUOTED = re.compile(rb'(?:u8|[uUL])?R?"')
_KEYWORDS = frozenset(
    b"alignof and and_eq asm bitand bitor case catch co_await co_return co_yield compl const constexpr decltype default"
    b" defined delete do else extern for if import in inline new noexcept not not_eq operator or or_eq return sizeof"
    b" static switch throw typeid volatile while xor xor_eq".split()
)
_WORDS_BEFORE = re.compile(rb"(?:[(,=\[{?:]|<<|\breturn)\s*+((?:[A-Za-z_]\w*+\s++){2,})\Z")
_BRACED_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*(\\)[NuxoU]\{")
_CAPTURED = re.compile(rb"(?:[\[,]|[\[,]\s*&|\.\.\.)\s*+[A-Za-z_]\w*+\s*+\Z")
_LAMBDA_WORDS = re.compile(
    rb"(?:\s*+(?:mutable|noexcept|constexpr|consteval|static)\b)*(?:\s*+->[\w:<>,*&\s]{1,200}+)?(?=\s*\{)"
)
_BEHIND_PARAMETERS = re.compile(rb"\)\s*+(static)\b(?=\s*+(?:\{|->))")
_OPENS_BODY = re.compile(
    rb"\s*+(?:[({<]|->|mutable\b|noexcept\b|constexpr\b|consteval\b|static\b|\[\[|__attribute__\b)"
)
_CONSTEVAL = re.compile(rb"\bif\s++(!?\s*+consteval)\b(?=\s*\{)")
_EXPORT = re.compile(rb"^[ \t]*+(export)(?:\s*+(\{)|(?=\s++[A-Za-z_:\[]))", re.MULTILINE)
_DEFAULT_REFERENCE = re.compile(
    rb"\b(?:typename|class)\s++\w++\s*+=\s*+(?:const\b\s*+)?[\w:]++(?:<[\w:,\s*]{0,200}+>)?[\s*]*+(&&?)(?=\s*[,>])"
)
_SIZED = re.compile(rb"\b(?:unsigned|signed|short|long)(?=\{|\((?!\s*[*&^]))")
_DELETED = re.compile(rb"\bdelete\s*+\[\s*+\]\s*+(\()")
_MADE_POINTER = re.compile(
    rb"\bnew\b\s*+(?:\([^()]{0,80}+\)\s*+)?(?:(?:const|struct|class|unsigned|signed)\b\s*+)*"
    rb"(?!(?:const|struct|class|unsigned|signed)\b)[A-Za-z_][\w:]*+"
    rb"(?:<[\w:,\s*<>]{0,200}?>)?\s*+(?:const\b\s*+)?(\*[\s*]*+)(?:const\b\s*+)?(?=[\[;,)}]|\(\s*+\))"
)
_END = re.compile(rb"\s*+[;,)]")
_CALLED_OPERATOR = re.compile(
    rb"(?:(?<=[;{}(,=!?])|(?<=\breturn))\s*+(?:(?P<own>(?:this\s*+->\s*+)?operator\b)|\w+(?P<of>\s*+\.\s*+operator\b))\s*+"
    rb"(?:(?P<call>\(\s*+\))|[-+*/%&|^]?=|[=!<>]=|<<=?|>>=?|[<>])\s*+\((?!\s*+\))"
)
"""`operator=(x)`, `this->operator()(x)`, `a.operator=(x)`, where no type stands before it."""
_INSTANTIATION = re.compile(rb"^[ \t]*+((?:extern\s++)?template)\b(?!\s*<)", re.MULTILINE)
_DECLARES = re.compile(rb"^[ \t]*+@(?:interface|protocol\b(?!\s*+[\w\s,]{0,400}+;))", re.MULTILINE)
_ENDS = re.compile(rb"^[ \t]*+@end\b", re.MULTILINE)
_DIRECTIVE = re.compile(
    rb"^[ \t]*+@(?:(?:class|protocol|import|synthesize|dynamic)\b[^;@]{0,400}+;|end\b)", re.MULTILINE
)
_IMPLEMENTS = re.compile(rb"^[ \t]*+@implementation\b[^\n{]*+", re.MULTILINE)
_METHOD = re.compile(rb"^[-+][ \t]*+\([^;{}]{0,400}+(\{)", re.MULTILINE)
_AT = re.compile(rb"@(?=[\"\[{(]|(?:autoreleasepool|try|catch|finally|throw|synchronized)\b)")


def with_known_syntax(prepared: Prepared) -> Prepared:
    """The same file with what the grammar does not know rewritten; the same object when there is no such thing."""
    rewriter = _CppRewriter(prepared)
    rewriter.run()
    source = bytes(rewriter.buffer)
    return prepared if source == prepared.source else prepared._replace(source=source, names=rewriter.names)


class _CppRewriter:
    def __init__(self, prepared: Prepared) -> None:
        source = prepared.source
        self.source = source
        self.buffer = bytearray(source)
        self.names = dict(prepared.names)
        self.strings: dict[int, int] = {}
        """Where each literal starts and ends, quotes included."""
        masked = bytearray(source)
        for match in TOKENS.finditer(source):
            start, end = match.span()
            if source[start : start + 1] in (b'"', b"'"):
                self.strings[start] = end
                masked[start + 1 : end - 1] = source[start + 1 : end - 1].translate(BLANK)
        self.masked = bytes(masked)
        self.closing = dict(_pairs(self.masked))
        self.opening = {close: opening for opening, close in self.closing.items()}

    def run(self) -> None:
        self.captures()
        self.literals()
        self.escapes()
        self.templates()
        self.sized_types()
        self.deleted_arrays()
        self.made_pointers()
        if b"operator" in self.masked:
            self.called_operators()
        if b"consteval" in self.masked:
            self.consteval()
        if b"export" in self.masked:
            self.exports()
        if b"@" in self.masked:
            self.objective_c()

    def blank(self, start: int, end: int) -> None:
        self.buffer[start:end] = self.source[start:end].translate(BLANK)

    # --- lambdas ---

    def captures(self) -> None:
        masked = self.masked
        braced: dict[int, list[int]] = {}
        around: list[int] = []
        for match in _BRACKETS.finditer(masked):
            at = match.start()
            while around and self.closing[around[-1]] < at:
                around.pop()
            if at not in self.closing:
                continue
            if match[0] == b"{" and around and masked[around[-1]] == 0x5B:
                braced.setdefault(around[-1], []).append(at)
            elif match[0] == b"[" and self.is_lambda(at):
                self.behind_captures(self.closing[at] + 1)
            around.append(at)
        for opening, braces in braced.items():
            if self.is_lambda(opening):
                for at in braces:
                    self.capture(at)
        for match in _BEHIND_PARAMETERS.finditer(masked):
            self.blank(*match.span(1))

    def is_lambda(self, opening: int) -> bool:
        """Whether a bracket opens captures: it is no subscript, and what opens a body or parameters follows."""
        before = self.masked[max(0, opening - 32) : opening].rstrip()
        if before[-1:] in (b")", b"]", b"[", b'"') or self.masked[opening + 1 : opening + 2] == b"[":
            return False
        if before[-1:].isalnum() or before[-1:] == b"_":
            word = re.search(rb"[A-Za-z_]\w*\Z", before)
            if word is None or word[0] not in _KEYWORDS or word[0] in (b"delete", b"operator"):
                return False
        return _OPENS_BODY.match(self.masked, self.closing[opening] + 1) is not None

    def capture(self, opening: int) -> None:
        """`x{f()}` becomes `x=f() `."""
        close = self.closing[opening]
        following = _BLANKS.match(self.masked, close + 1)
        assert following is not None  # it matches nothing, too
        if self.masked[following.end() : following.end() + 1] not in (b",", b"]"):
            return
        if _CAPTURED.search(self.masked, max(0, opening - 80), opening) is None:
            return
        first = _BLANKS.match(self.masked, opening + 1)
        if first is not None and first.end() == close:
            self.blank(opening, close + 1)  # `x{}`: nothing is said of the value
            return
        self.buffer[opening : opening + 1], self.buffer[close : close + 1] = b"=", b" "

    def behind_captures(self, at: int) -> None:
        masked = self.masked
        attribute = _BLANKS.match(masked, at)
        assert attribute is not None
        while masked[attribute.end() : attribute.end() + 2] == b"[[" and attribute.end() in self.closing:
            self.blank(attribute.end(), at := self.closing[attribute.end()] + 1)
            attribute = _BLANKS.match(masked, at)
            assert attribute is not None
        words = _LAMBDA_WORDS.match(masked, at)
        if words is not None:
            self.blank(at, words.end())

    # --- literals ---

    def literals(self) -> None:
        for start, end in self.strings.items():
            if self.source[start : start + 1] != b'"':
                continue
            prefix = _PREFIX.search(self.masked, max(0, start - 3), start)
            first = start if prefix is None else prefix.start()
            before = self.masked[max(0, first - 128) : first]
            bare = before.rstrip()
            if bare.endswith((b"extern", b"operator")):
                continue
            self.before_literal(first - len(before) + len(bare), before)
            self.behind_literal(end)

    def before_literal(self, at: int, before: bytes) -> None:
        """`MACRO(x) "a"`, `FIRST SECOND "a"`."""
        opening = self.opening.get(at - 1, -1)
        if self.masked[at - 1 : at] == b")" and opening >= 0 and at - opening < _FAR:
            name = re.search(rb"(?<!\w)[A-Za-z_]\w*\s*\Z", self.masked[max(0, opening - 80) : opening])
            if name is not None and name[0].rstrip() not in _KEYWORDS:
                self.blank(opening - len(name[0]), at)
            return
        words = _WORDS_BEFORE.search(before) if before[-1:].isspace() else None
        if words is not None and _KEYWORDS.isdisjoint(words[1].split()):
            self.blank(at - len(words[1].rstrip()), at)

    def behind_literal(self, end: int) -> None:
        """`"a"_x MACRO(x) OTHER "b"`: the words go, and the suffix when another literal follows."""
        masked = self.masked
        suffix = _WORD.match(masked, end)
        at = done = suffix.end() if suffix is not None else end
        while True:
            blanks = _BLANKS.match(masked, at)
            assert blanks is not None
            at = blanks.end()
            if _QUOTED.match(masked, at):
                if suffix is not None:
                    self.blank(*suffix.span())
                break
            word = _WORD.match(masked, at)
            if word is None or word[0] in _KEYWORDS or at == end:
                break
            blanks = _BLANKS.match(masked, word.end())
            assert blanks is not None
            close = self.closing.get(blanks.end(), -1) if masked[blanks.end() : blanks.end() + 1] == b"(" else -1
            if close - at > _FAR:
                break
            done = at = close + 1 if close >= 0 else word.end()
        start = suffix.end() if suffix is not None else end
        if done > start:
            self.blank(start, done)

    def escapes(self) -> None:
        for start, end in self.strings.items():
            if b"{" in self.source[start:end] and self.source[start - 1 : start] != b"R":
                for match in _BRACED_ESCAPE.finditer(self.source, start, end):
                    self.blank(*match.span(1))

    # --- types ---

    def templates(self) -> None:
        for pattern in (_DEFAULT_REFERENCE, _INSTANTIATION):
            for match in pattern.finditer(self.masked):
                self.blank(*match.span(1))

    def sized_types(self) -> None:
        for match in _SIZED.finditer(self.masked):
            start = match.start()
            words = self.masked[max(0, start - 32) : start].split()
            if words and words[-1] in (b"operator", b"unsigned", b"signed", b"short", b"long"):
                continue  # of several words, or a conversion
            self.buffer[start : start + 1] = b"_"
            self.names[start] = match[0].decode()

    def deleted_arrays(self) -> None:
        for match in _DELETED.finditer(self.masked):
            close = self.closing.get(match.start(1), -1)
            if close >= 0 and _END.match(self.masked, close + 1):
                self.blank(*match.span(1))
                self.blank(close, close + 1)

    def made_pointers(self) -> None:
        for match in _MADE_POINTER.finditer(self.masked):
            self.blank(*match.span(1))

    def called_operators(self) -> None:
        for match in _CALLED_OPERATOR.finditer(self.masked):
            self.blank(*match.span("own" if match["own"] is not None else "of"))
            if match["own"] is not None:
                self.buffer[match.end("own") - 8 : match.end("own") - 1] = b"(*this)"
            if match["call"] is not None:
                self.blank(*match.span("call"))

    # --- C++20 and later ---

    def consteval(self) -> None:
        for match in _CONSTEVAL.finditer(self.masked):
            start, end = match.span(1)
            negated = self.masked[start : start + 1] == b"!"
            self.blank(start, end)
            self.buffer[start : start + 3 + negated] = b"(!_"[: 1 + negated] + b"_" + b" "
            self.buffer[end - 1 : end] = b")"
            self.names[start + 1 + negated] = "consteval"

    def exports(self) -> None:
        for match in _EXPORT.finditer(self.masked):
            self.blank(*match.span(1))
            close = self.closing.get(match.start(2), -1) if match[2] is not None else -1
            if close >= 0:
                self.blank(match.start(2), match.end(2))
                self.blank(close, close + 1)

    # --- Objective-C ---

    def objective_c(self) -> None:
        masked = self.masked
        if re.search(rb"^[ \t]*+@(?:interface|protocol|implementation|class|import)\b", masked, re.MULTILINE) is None:
            return
        start = _DECLARES.search(masked)
        while start is not None and (end := _ENDS.search(masked, start.end())) is not None:
            self.blank(start.start(), end.end())
            start = _DECLARES.search(masked, end.end())
        for pattern in (_DIRECTIVE, _IMPLEMENTS, _AT):
            for match in pattern.finditer(masked):
                self.blank(*match.span())
        done = 0
        for match in _METHOD.finditer(masked):
            close = self.closing.get(match.start(1), -1)
            if close >= 0 and match.start() >= done:
                done = close + 1
                self.blank(match.start(), done)


def _pairs(masked: bytes) -> Iterator[tuple[int, int]]:
    """Where each bracket opens and closes. One that nothing closes is passed over by the one around it."""
    stack: list[tuple[bytes, int]] = []
    for match in _BRACKETS.finditer(masked):
        wanted = _CLOSES.get(match[0])
        if wanted is None:
            stack.append((match[0], match.start()))
            continue
        for back in range(1, min(_NEAR, len(stack)) + 1):
            if stack[-back][0] == wanted:
                yield stack[-back][1], match.start()
                del stack[-back:]
                break
