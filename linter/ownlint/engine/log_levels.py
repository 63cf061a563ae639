"""Levels of logs by the names that code gives them: what asks whether a debug log is on, and what writes to one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ownlint.engine import ranges
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import last_name, receiver, streamed_into, strip, walk

_LEVELS = frozenset({"debug", "dbg", "trace", "verbose", "verbosity", "vlog", "finest"})
_FLAGS = frozenset({"debug", "dbg", "verbose", "verbosity"})
_BESIDE = frozenset(
    {
        "is",
        "enabled",
        "on",
        "mode",
        "level",
        "log",
        "logs",
        "logging",
        "output",
        "print",
        "flag",
        "flags",
        "k",
        "g",
        "m",
        "s",
        "f",
    }
)
"""Words of a flag that turns a debug log on, beside those of the level."""
_ENABLED = frozenset({"enabled", "active", "on", "enable", "level"})
_ASKING = _ENABLED | {"is", "should"}
_THRESHOLDS = frozenset(
    {"level", "verbosity", "verbose", "severity", "loglevel", "threshold", "debug", "trace", "verb"}
)
_OFF = frozenset({"no", "off", "disabled", "not"})
_LOGS = frozenset({"log", "logs", "logger", "logging", "logf", "spdlog", "syslog", "glog", "clog"})
_PRINTS = frozenset({"print", "printf", "msg", "message", "output", "println", "puts"})
_ON = _FLAGS | {"trace", "tracing", "debugging"}
_OF_SOMETHING = frozenset({"stack", "back", "call", "ray"})
"""What leaves a trace: `print_stack_trace()` shows where a program stands, at whatever level."""
_TRACES = _OF_SOMETHING | {"file", "fp", "id", "ids"}
"""Words beside that of a level that make it the name of a thing, rather than of a switch."""
_STREAMS = frozenset({"cerr", "cout", "clog", "stderr", "stdout"})
_ERROR_STREAMS = frozenset({"cerr", "stderr"})
_ERRORS = frozenset({"error", "err", "warn", "warning", "critical", "perror", "fatal"})
_PRINTING = re.compile(r"v?f?w?printf|f?puts|f?putc|putchar|perror|fflush|flush|print(?:ln)?|echo")
_MACRO_LEVELS = frozenset({"debug", "dbg", "verbose"})
_NO_LOGS = frozenset({"assert", "check", "verify", "expect", "require", "if", "fail", "throw", "return"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def asks(condition: r.Value, macros: frozenset[str], on: bool = True) -> bool:
    """Whether a condition holds only where a debug log is on, or, for `on` false, where it is off. `macros` are those
    that ask by their definition."""
    match inner := strip(condition):
        case r.Unary(op="!" | "not", value=value):
            return asks(value, macros, not on)
        case r.Binary(op="&&" | "and", left=left, right=right) if on:
            return asks(left, macros) or asks(right, macros)
        case r.Binary(op="||" | "or", left=left, right=right) if not on:
            return asks(left, macros, False) and asks(right, macros, False)
        case r.Binary(op="&", left=left, right=right):
            return on and (asks(left, macros) or asks(right, macros) or (_says_flag(left) and _says_flag(right)))
        case r.Binary(op=op, left=left, right=right):
            return _compares(op, strip(left), strip(right), on)
        case r.Call(callee=callee, args=args):
            if last_name(callee) in macros:
                return on
            said = words(text(callee))
            told = said.union(*(words(last_name(arg)) for arg in args[:2] if _is_constant(arg)))
            if told & _LEVELS == {"trace"} and said.isdisjoint(_LOGS | _ENABLED):
                return False  # `is_complete_trace()`: a trace of something else
            return on and not told.isdisjoint(_LEVELS) and not said.isdisjoint(_ASKING) and told.isdisjoint(_OFF)
        case r.Name() | r.Member():
            named = words(last_name(inner))
            return on and not named.isdisjoint(_FLAGS) and named <= (_LEVELS | _BESIDE)
    return False


def may_ask(condition: r.Value, on: bool = True) -> bool:
    """Whether a condition holds only where a flag is set, or, for `on` false, is not set, that has the word of a debug
    log's level in its name: `trace_culling`, `flags & DEBUG_PATHS`. What it does for says whether it is one."""
    match inner := strip(condition):
        case r.Unary(op="!" | "not", value=value):
            return may_ask(value, not on)
        case r.Binary(op="&&" | "and", left=left, right=right) if on:
            return may_ask(left) or may_ask(right)
        case r.Binary(op="&", left=left, right=right) if on:
            return may_ask(left) or may_ask(right)
        case r.Name() | r.Member() | r.Call(args=()):
            named = words(last_name(inner.callee if isinstance(inner, r.Call) else inner))
            return on and not named.isdisjoint(_ON) and named.isdisjoint(_OFF | _TRACES)
    return False


def prints(value: r.Value) -> bool:
    """Whether an expression does nothing but print: `fprintf(stderr, ..)`, `std::cerr << n`, `sys.stderr.write(..)`."""
    match strip(streamed_into(value)):
        case r.Call(callee=callee) as call:
            on = receiver(call)
            if on is not None and not words(text(on)).isdisjoint(_STREAMS | _LOGS):
                return True
            return on is None and _PRINTING.fullmatch(last_name(callee)) is not None
        case r.Name() | r.Member() as named:
            return last_name(named) in _STREAMS
    return False


def complains(value: r.Value) -> bool:
    """Whether an expression writes an error to a log: `LOG(ERROR) << path`, `qWarning() << path`, `perror(path)`,
    `std::cerr << path`."""
    match strip(streamed_into(value)):
        case r.Call(callee=callee, args=args):
            first = last_name(args[0]) if args else ""
            return first in _ERROR_STREAMS or not (words(text(callee)) | words(first)).isdisjoint(_ERRORS)
        case r.Name() | r.Member() as named:
            return last_name(named) in _ERROR_STREAMS
    return False


def has_complaint(lines: Iterable[r.Statement]) -> bool:
    """Whether one of the statements writes an error to a log."""
    return any(isinstance(line, r.Evaluate) and complains(line.value) for line in lines)


def writes(call: r.Call) -> bool:
    """Whether a call names a log and the level: `logger->debug(..)`, `log_debug(..)`, `LOG(DEBUG)`."""
    said = words(last_name(call.callee))
    on = receiver(call)
    where = words(text(on)) if on is not None else words(text(call.callee)) - said
    is_thing = said & _LEVELS == {"trace"} and not said.isdisjoint(_OF_SOMETHING)
    if not said.isdisjoint(_LEVELS) and not is_thing:
        return not where.isdisjoint(_LOGS) or not said.isdisjoint(_LOGS | _PRINTS)
    return not said.isdisjoint(_LOGS) and any(
        _is_constant(arg) and not words(last_name(arg)).isdisjoint(_LEVELS) for arg in call.args[:2]
    )


def is_log(call: r.Call) -> bool:
    """Whether a call is made on what has the name of a log, or prints: `logger.info(..)`, `logging.error(..)`."""
    on = receiver(call)
    return not words(text(on)).isdisjoint(_LOGS) if on is not None else last_name(call.callee) == "print"


def is_named_macro(call: r.Call) -> bool:
    """Whether it has the name of a macro that logs for debugging, and is given a text or is written to:
    `ROS_DEBUG("..", a)`, `GST_DEBUG_OBJECT(sink, "..")`."""
    name = last_name(call.callee)
    said = words(name)
    is_debug = name.isupper() and not said.isdisjoint(_MACRO_LEVELS) and said.isdisjoint(_NO_LOGS)
    has_text = "stream" in said or any(
        isinstance(inner, r.Literal) and inner.kind == "str" for a in call.args for inner in walk(a)
    )
    return is_debug and has_text


def words(name: str) -> frozenset[str]:
    """The words of an identifier, in lower case: `kLogTrace`, `LOG_TRACE`, `log_trace`."""
    return frozenset(word.lower() for word in _WORDS.findall(name))


def _is_constant(value: r.Value) -> bool:
    return isinstance(strip(value), (r.Name, r.Member))


def _says_flag(value: r.Value) -> bool:
    """`AppDebug`, `APP_DEBUG_BASIC`: one alone may be the name of another thing."""
    return _is_constant(value) and not words(last_name(value)).isdisjoint(_FLAGS)


def _compares(op: str, left: r.Value | None, right: r.Value | None, on: bool) -> bool:
    """`level >= kDebug`, `verbosity > 1`; for `on` false `level < kDebug`."""
    if left is None or right is None:
        return False
    if isinstance(left, r.Literal):
        left, right = right, left
        op = ranges.turned(op) if op in ranges.COMPARISONS else op
    asked = words(text(left))
    if isinstance(right, r.Literal):
        if right.kind != "int" or asked.isdisjoint(_LEVELS) or not asked.isdisjoint({"count", "size", "num", "depth"}):
            return False
        zero = right.text == "0"
        return op in ((">", ">=") if on else ("<", "<=")) or (zero and op == ("!=" if on else "=="))
    said = words(text(right))
    if said.isdisjoint(_LEVELS) and not asked.isdisjoint(_LEVELS):
        asked, said = said, asked
    levels = not said.isdisjoint(_LEVELS) and not asked.isdisjoint(_THRESHOLDS)
    return levels and op in ((">=", "<=", "==") if on else ("<", ">", "!="))
