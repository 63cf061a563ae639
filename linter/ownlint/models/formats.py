"""What a format string says of the arguments behind it, as that of `Py_BuildValue` and `PyArg_ParseTuple`."""

from __future__ import annotations

from ownlint.facts import records as r
from ownlint.models.records import FunctionModel


def format_letters(call: r.Call, model: FunctionModel) -> dict[int, str] | None:
    """By argument (from 0) the letter that a format string has for it; None where the format is not written there in
    one piece."""
    at = model.format_at - 1
    if at >= len(call.args):
        return None
    written = call.args[at]
    if not isinstance(written, r.Literal) or written.kind != "str":
        return None
    if '"' in written.text[1:-1]:
        return None  # of several pieces, between which a macro may stand that is one, too
    found: dict[int, str] = {}
    position = model.format_from - 1 if model.format_from else at + 1
    said = written.text.strip('"')
    if model.format_lends:  # of those that parse: what comes behind is for a message
        said = said.partition(":")[0].partition(";")[0]
    for number, letter in enumerate(said):
        if letter.isalpha():
            found[position] = letter
            position += 1
        elif letter in "#&!" and number:  # one more argument: a length, a converter's, a type in front
            if letter == "#":
                found[position] = "#"
            else:
                found[position - 1], found[position] = letter, said[number - 1] if letter == "!" else letter
            position += 1
        elif letter == "*":
            found[position - 1] = letter
    return found
