"""Inputs for `fuzz.py`: seeds from the pages and models of the project, mutations of them, and grammars.

An input is a function of its target, the seed and its number, and of nothing else: the same three give the same bytes.
"""

# Inputs are tables: a row is easier to read than a paragraph of short lines.
# ruff: noqa: E501

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

PROJECT = Path(__file__).resolve().parent.parent

Grammar = Mapping[str, Sequence[str]]
"""Symbol to its alternatives, the shortest ones first; `<name>` in one stands for a symbol, `\\x01` and `\\x02` for an
indented block's begin and end."""

_FENCE = re.compile(r"^(`{3,})(\w+)[^\n]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
_TOKEN = re.compile(rb"\w+|[ \t]+|\r?\n|[^\w\s]")
_SYMBOL = re.compile(r"<([a-z_]+)>")

STRANGE = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3(", b"\r", b"\r\n", b"\x0c", b"\x1b[31m", b"\x85", b"\x1a", b"\\\n", b"??/\n",
    "\u202e".encode(), "\u2028".encode(), "\u00ad".encode(), "\ufeff".encode(), "\U0001f4a5".encode(), b"\xed\xa0\x80",
    "ℵ".encode(), "ﬁ".encode(), "e\u0301".encode(), b"\xf4\x90\x80\x80",
)  # fmt: skip
"""What text seldom holds and parsers stumble over: controls, broken encodings, characters that look like others."""

LARGE = 200
"""One input of so many is large: 20,000 to 100,000 bytes."""


def blocks(*languages: str) -> list[bytes]:
    """The code blocks of these languages on all pages of the project, in order."""
    pages = [*sorted(PROJECT.glob("tests/rules/*.md")), *sorted(PROJECT.glob("docs/*.md")), PROJECT / "README.md"]
    found = [
        fence[3].encode()
        for page in pages
        for fence in _FENCE.finditer(page.read_text(encoding="utf-8"))
        if fence[2] in languages
    ]
    return [block for block in dict.fromkeys(found) if 20 < len(block) < 8_000]


@functools.lru_cache(maxsize=1)
def model_pieces() -> tuple[bytes, ...]:
    """Each model of the project as pieces of a few tables, so that most inputs stay small."""
    pieces = []
    for path in sorted(PROJECT.glob("rules/ownlint_rules/models/*.toml")):
        head, *tables = re.split(rb"^(?=\[\[)", path.read_bytes(), flags=re.MULTILINE)
        pieces += [head + b"".join(tables[at : at + 4]) for at in range(0, max(len(tables), 1), 4)]
    return tuple(piece for piece in pieces if len(piece) < 8_000)


# --- mutation ---------------------------------------------------------------------------------


def mutated(random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """One seed, changed in one to twelve places; now and then spliced with another, or blown up."""
    tokens = _TOKEN.findall(random.choice(seeds)) or [b" "]
    if random.random() < 0.25:
        other = _TOKEN.findall(random.choice(seeds))
        at = random.randrange(len(tokens) + 1)
        start = random.randrange(len(other) + 1)
        tokens[at:at] = other[start : start + random.randrange(1, 60)]
    for _ in range(min(12, 1 + int(random.expovariate(0.4)))):
        random.choice(_CHANGES)(random, tokens, words)
        if not tokens:
            tokens = [b" "]
    return b"".join(tokens)


def _drop(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    at = random.randrange(len(tokens))
    del tokens[at : at + random.choice((1, 1, 1, 2, 5, 30))]


def _insert(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), random.choice(words))


def _replace(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    tokens[random.randrange(len(tokens))] = random.choice(words)


def _exchange(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]


def _again(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    """A few tokens several times over."""
    at = random.randrange(len(tokens))
    piece = tokens[at : at + random.randrange(1, 12)]
    tokens[at:at] = piece * random.choice((1, 1, 2, 3, 40))


def _move(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    at, size = random.randrange(len(tokens)), random.randrange(1, 20)
    piece = tokens[at : at + size]
    del tokens[at : at + size]
    to = random.randrange(len(tokens) + 1)
    tokens[to:to] = piece


def _cut(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    """The end, or the beginning, is missing."""
    at = random.randrange(len(tokens))
    if random.random() < 0.7:
        del tokens[at:]
    else:
        del tokens[:at]


def _nest(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    opening, closing = random.choice(((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<", b">"), (b"-", b""), (b"!", b"")))
    at = random.randrange(len(tokens))
    depth = random.choice((1, 2, 8, 60))
    tokens[at : at + 1] = [opening * depth, tokens[at], closing * (depth if random.random() < 0.8 else 0)]


def _dirty(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    tokens.insert(random.randrange(len(tokens) + 1), random.choice(STRANGE))


def _flip(random: Random, tokens: list[bytes], words: Sequence[bytes]) -> None:
    at = random.randrange(len(tokens))
    if token := bytearray(tokens[at]):
        token[random.randrange(len(token))] ^= 1 << random.randrange(8)
        tokens[at] = bytes(token)


_CHANGES: tuple[Callable[[Random, list[bytes], Sequence[bytes]], None], ...] = (
    _drop, _drop, _insert, _insert, _replace, _replace, _exchange, _again, _move, _cut, _nest, _dirty, _flip,
)  # fmt: skip


def blown_up(random: Random, data: bytes) -> bytes:
    """A part of it over and over."""
    lines = data.splitlines(keepends=True) or [b"\n"]
    at = random.randrange(len(lines))
    piece = b"".join(lines[at : at + random.randrange(1, 12)]) or b"\n"
    size = random.randrange(20_000, 100_000)
    return b"".join((*lines[:at], piece * (size // len(piece)), *lines[at:]))[:size]


# --- grammars ---------------------------------------------------------------------------------


def grown(random: Random, grammar: Grammar, start: str = "start", most: int = 2_500) -> bytes:
    """A sentence of the grammar. Past `most` characters every symbol takes its first alternative."""
    out: list[str] = []
    size = 0
    waiting = [f"<{start}>"]
    while waiting:
        piece = waiting.pop()
        if (symbol := _SYMBOL.fullmatch(piece)) is not None and symbol[1] in grammar:
            choices = grammar[symbol[1]]
            chosen = choices[0] if size > most or len(waiting) > 400 else random.choice(choices)
            waiting += reversed([part for part in re.split(r"(<[a-z_]+>)", chosen) if part])
        else:
            out.append(piece)
            size += len(piece)
    return _laid_out("".join(out)).encode("utf-8", "surrogatepass")


def _laid_out(text: str) -> str:
    """With the blocks that are marked in it indented."""
    if "\x01" not in text:
        return text
    out, depth = [], 0
    for part in re.split("([\x01\x02\n])", text):
        match part:
            case "\x01":
                depth += 1
                out.append("\n" + "  " * min(depth, 90))
            case "\x02":
                depth = max(0, depth - 1)
                out.append("\n" + "  " * min(depth, 90))
            case "\n":
                out.append("\n" + "  " * min(depth, 90))
            case _:
                out.append(part)
    return "".join(out)


CPP: Grammar = {
    "start": ["<top>", "<top>\n<top>\n<top>", "#include <pybind11/pybind11.h>\nnamespace py = pybind11;\n<top>\n<top>\n<module>\n"],
    "top": [
        "int a;\n", "<class>\n", "<function>\n", "<function>\n", "namespace <name> {\n<top>\n}\n", "<macro>\n", "template <<params>>\n<class>\n",
        "using <name> = <type>;\n", "static <type> <name> = <expr>;\n", "extern \"C\" {\n<function>\n}\n", "<module>\n", "<table>\n",
        "#if <expr>\n<top>\n#else\n<top>\n#endif\n", "enum class <name> { a, b = <expr> };\n", "#define <name>(<name>, ...) <stmt>\n",
    ],
    "class": ["struct <name> {};", "class <name> : public <type> {\n public:\n<member>\n<member>\n private:\n<member>\n};", "struct <name> {\n<member>\n<member>\n<member>\n};"],
    "member": [
        "int m;", "<type> <name>_;", "<type> <name>() const { <stmt> }", "<name>(<params>) : <name>_(<expr>) { <stmt> }", "~<name>() { <stmt> }",
        "absl::Mutex mu_;", "<type> <name>_ ABSL_GUARDED_BY(mu_);", "template <<params>> <type> <name>(<params>);", "friend class <name>;",
        "static <type>& instance() { static <type> x; return x; }", "<class>", "operator <type>() const;", "std::vector<<type>> <name>_ = <expr>;",
    ],
    "function": ["void f() {}", "<type> <name>(<params>) {\n<stmt>\n<stmt>\n}", "absl::Status <name>::<name>(<params>) {\n<stmt>\n<stmt>\nreturn absl::OkStatus();\n}", "static PyObject* <name>(PyObject* self, PyObject* args) {\n<stmt>\n<stmt>\nreturn <expr>;\n}"],
    "stmt": [
        ";", "<expr>;", "<expr>;\n<stmt>", "<type> <name> = <expr>;\n<stmt>", "if (<expr>) { <stmt> } else { <stmt> }", "for (auto& <name> : <expr>) { <stmt> }",
        "for (int i = 0; i < <expr>; ++i) { <stmt> }", "while (<expr>) { <stmt> }", "return <expr>;", "switch (<expr>) { case <expr>: <stmt> break; default: <stmt> }",
        "try { <stmt> } catch (const <type>& e) { <stmt> } catch (...) { <stmt> }", "RETURN_IF_ERROR(<expr>);", "ASSIGN_OR_RETURN(auto <name>, <expr>);",
        "{ absl::MutexLock lock(&mu_); <stmt> }", "std::lock_guard<std::mutex> g(<name>_);\n<stmt>", "delete <expr>;", "goto out; out: <stmt>", "do { <stmt> } while (<expr>);",
        "py::gil_scoped_release release;\n<stmt>", "Py_BEGIN_ALLOW_THREADS <stmt> Py_END_ALLOW_THREADS", "Py_DECREF(<name>);", "<class>", "co_await <expr>;", "break;",
        "absl::Cleanup c = [&] { <stmt> };", "if (auto s = <expr>; !s.ok()) return s;", "static auto* <name> = new <type>(<expr>);", "auto [<name>, <name>] = <expr>;",
    ],
    "expr": [
        "0", "<name>", "<name>_", "this", "nullptr", "<name>(<expr>)", "<expr>.<name>(<expr>)", "<name>-><name>", "*<expr>", "&<expr>", "-<expr>", "!<expr>",
        "std::move(<expr>)", "[&, <name> = <expr>](<params>) { <stmt> }", "[cb{std::move(cb)}] { <stmt> }", "new <type>(<expr>)", "<expr> ? <expr> : <expr>", "(<expr>)",
        "<expr> + <expr>", "<expr> = <expr>", "<type>{<expr>, <expr>}", "std::make_unique<<type>>(<expr>)", "PyList_GetItem(<expr>, 0)", "Py_BuildValue(\"<string>\", <expr>)",
        "\"<string>\"", "\"a\" MACRO(<name>) \"b\" \"c\"_doc", "<name>[<expr>]", "static_cast<<type>>(<expr>)", "sizeof(<type>)", "<expr>...", "<expr> <=> <expr>", "R\"x(<string>)x\"",
        "py::cast(<expr>, py::return_value_policy::reference)", "<name>.get()", "<name>.data()", "<name>.release()", "PyObject_CallObject(<expr>, <expr>)", "0x1p3'0", "throw <expr>",
    ],
    "type": ["int", "<name>", "<name>*", "const <name>&", "std::unique_ptr<<type>>", "std::vector<<type>>", "PyObject*", "absl::StatusOr<<type>>", "std::string_view", "auto", "std::shared_ptr<<type>>", "py::object", "std::function<<type>(<type>)>", "decltype(<expr>)", "typename <name>::<name>", "std::map<<type>, <type>>", "<name>&&"],
    "params": ["", "<type> <name>", "<type> <name>, <type> <name> = <expr>", "typename T", "int n, ...", "typename... Ts"],
    "macro": ["#define A", "#define <name>(x) <expr>", "#define <name>(x, y) do { <stmt> } while (0)", "#define <name>(.*.*.*Z) <expr>", "#define <name>(( ) x", "#define <name> <name> <name>", "#undef <name>", "#define \\\n"],
    "module": [
        "PYBIND11_MODULE(x, m) {}", "PYBIND11_MODULE(<name>, m) {\n<bind>\n<bind>\n<bind>\n}", "NB_MODULE(<name>, m) {\n<bind>\n<bind>\n}",
        "void init(py::module_& m) {\n<bind>\n}",
    ],
    "bind": [
        "m.def(\"f\", f);", "m.def(\"<name>\", &<name>, py::keep_alive<0, 1>());", "m.def(\"<name>\", [](<params>) { <stmt> return <expr>; }, \"<string>\");",
        "py::class_<<type>>(m, \"<name>\").def(py::init<<type>>())<chain>;", "nb::class_<<type>>(m, \"<name>\")<chain>;", "m.attr(\"<name>\") = <expr>;",
        "py::class_<<type>, std::shared_ptr<<type>>> <name>(m, \"<name>\");\n<name><chain>;", "for (auto x : <expr>) m.def(x, <expr>);",
    ],
    "chain": ["", ".def(\"<name>\", &<name>::<name>)<chain>", ".def(\"<name>\", [](<type> self) { return <expr>; }, py::keep_alive<<expr>, <expr>>())<chain>", ".def_property_readonly(\"<name>\", &<name>::<name>, py::return_value_policy::reference_internal)<chain>", ".def_readwrite(\"<name>\", &<name>::<name>_)<chain>", ".def_buffer([](<type>& x) { return py::buffer_info(<expr>); })<chain>"],
    "table": ["static PyMethodDef m[] = {{0}};", "static PyMethodDef <name>[] = {{\"<name>\", (PyCFunction)<name>, METH_VARARGS | METH_KEYWORDS, \"<string>\"}, {<expr>, <expr>}, {NULL}};", "static PyType_Slot <name>[] = {{Py_tp_dealloc, (void*)<name>}, {Py_tp_traverse, <expr>}, {0, 0}};", "static struct PyModuleDef d = {PyModuleDef_HEAD_INIT, .m_name = \"<name>\", .m_methods = <name>};"],
    "name": ["a", "b", "Engine", "part", "Status", "T", "self", "cb", "key", "table", "Shape", "operator()", "operator new", "_", "é", "x::y", "~a", "if", "m", "MACRO", "bytes", "owned", "mu", "PyObject"],
    "string": ["", "x", "%s", "\\\"", "O!i", "\\", "\\x", "{}", "\\u202e", "%n%n"],
}  # fmt: skip

PYTHON: Grammar = {
    "start": ["<top>\n", "<top>\n<top>\n<top>\n", "import jax\nfrom mlir.ir import Module, Context\nimport native\n<top>\n<top>\n<top>\n"],
    "top": ["<stmt>", "def <name>(<params>):\x01<stmt>\n<stmt>\x02", "class <name>(<expr>):\x01<top>\n<top>\x02", "@<expr>\ndef <name>(<params>) -> <expr>:\x01<stmt>\n<stmt>\x02", "async def <name>(<params>):\x01<stmt>\n<stmt>\x02", "from <mod> import <name> as <name>", "from <mod> import *", "import <mod> as <name>", "if __name__ == '<name>':\x01<stmt>\x02"],
    "stmt": [
        "pass", "<expr>", "<expr>\n<stmt>", "<target> = <expr>\n<stmt>", "<target> = <target> = <expr>", "return <expr>", "if <expr>:\x01<stmt>\x02\nelse:\x01<stmt>\x02", "for <target> in <expr>:\x01<stmt>\x02",
        "while <expr>:\x01<stmt>\x02\nelse:\x01<stmt>\x02", "with <expr> as <target>:\x01<stmt>\x02", "with (<expr> as <target>, <expr>):\x01<stmt>\x02", "with(<expr>)as <name>,<expr>:\x01<stmt>\x02", "try:\x01<stmt>\x02\nexcept <expr> as <name>:\x01<stmt>\x02\nfinally:\x01<stmt>\x02",
        "try:\x01<stmt>\x02\nexcept* <expr>:\x01<stmt>\x02", "del <target>", "global <name>", "nonlocal <name>", "raise <expr> from <expr>", "assert <expr>, <expr>", "<name>: <expr> = <expr>", "<target> += <expr>",
        "match <expr>:\x01case <pattern>:\x01<stmt>\x02\ncase _:\x01<stmt>\x02\x02", "yield <expr>", "<top>", "import <mod>", "type <name>[T] = <expr>", "lambda: (yield)", "async with <expr>:\x01<stmt>\x02", "break", "continue",
    ],
    "pattern": ["_", "<name>", "[<pattern>, *<name>]", "{<lit>: <pattern>, **<name>}", "<name>(<pattern>, a=<pattern>)", "<pattern> | <pattern>", "(<pattern> as <name>)", "-1+2j", "<lit>"],
    "target": ["x", "<name>", "<name>.<name>", "<name>[<expr>]", "<name>, *<name>", "(<name>, [<name>])", "self.<name>"],
    "expr": [
        "0", "<name>", "<name>.<name>", "<expr>(<expr>)", "<expr>.<name>(<expr>, <name>=<expr>)", "<name>[<expr>:<expr>]", "[<expr> for <target> in <expr> if <expr>]", "{<expr>: <expr>, **<expr>}", "(yield)", "await <expr>",
        "lambda <params>: <expr>", "<expr> if <expr> else <expr>", "-<expr>", "not <expr>", "(<name> := <expr>)", "f'{<name>!r:>{<name>}}'", "<lit>", "*<expr>", "<expr> @ <expr>", "<expr> < <expr> < <expr>", "<expr> and <expr>", "partial(<expr>, <expr>)",
        "Module.parse(<expr>).body.operations[0]", "jax.jit(<expr>, donate_argnums=(<expr>,))", "memoryview(<expr>)", "weakref.ref(<expr>)", "np.frombuffer(<expr>)", "ctypes.cast(<expr>, <expr>)", "<expr>.__enter__()", "{*<expr>}", "...", "[<expr>, *<expr>]", "(<expr>, <expr>)",
    ],
    "lit": ["1", "'<name>'", "b'\\xff'", "None", "True", "1_000j", "0xFFFFFFFFFFFFFFFFFFFFFFFF", "'''\n'''", "r'\\'", "f'{1}'", "1e999", "'\\N{DASH}'", "\"\""],
    "params": ["", "self", "<name>", "self, <name>=<expr>", "*args, **kwargs", "a, /, b, *, c", "<name>: <expr>, *<name>", "a, a"],
    "mod": ["os", "jax", "jax.numpy", "mlir.ir", ".", "..x", ".sub", "ctypes", "functools", "numpy", "native", "weakref", "this_file", "torch", "cffi"],
    "name": ["a", "b", "self", "Module", "ctx", "partial", "jax", "engine", "part", "_", "__init__", "__exit__", "é", "match", "type", "f", "x", "native", "Engine", "donated", "print", "cls"],
}  # fmt: skip

_TOML_VALUE = ["0", "true", "-1", "\"\"", "\"<word>\"", "[\"<word>\"]", "[<value>, <value>]", "{ <key> = <value> }", "1e400", "[]", "nan", "1979-05-27", "'<word>'", "\"\"\"<word>\n<word>\"\"\"", "99999999999999999999", "{}", "\"\\u202e\"", "[[<value>]]"]  # fmt: skip
_TOML_WORD = ["a", "*", "**", "a*a*a*a*a*a*a*a*b", "(a+)+$", "[z-a]", "[", "!", "\\\\", "/", "../x", "/etc/passwd", "a::b", "::", "x.y", "..", "py*", "<<", "acquire result", "borrow argument 1", "argument 999", "result", "self", ">=1,<2", ">=", "é", "all", "note", "[a-", "a{99999}", "\\\\N{x}", "(?P<a>", "(?i)a", "a|b", ""]  # fmt: skip


def toml(tables: Sequence[str], keys: Sequence[str]) -> Grammar:
    """Of files with these tables (written as headers) and keys."""
    return {
        "start": ["<table>", "<table>\n<table>", "<line>\n<table>\n<table>\n<table>\n<table>"],
        "table": ["[a]\n", *(f"{table}\n<line>\n<line>\n<line>" for table in tables)],
        "line": ["\n", "<key> = <value>\n", "<key> = <value>\n<line>", "<key>.<key> = <value>\n", "\"<word>\" = <value>\n", "# <word>\n"],
        "key": [*keys],
        "value": _TOML_VALUE,
        "word": _TOML_WORD,
    }  # fmt: skip
