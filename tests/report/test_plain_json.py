"""JSON keeps every value and shows none of what would harm a terminal."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ownlint.report.plain_json import json_line, json_page

VALUES = st.recursive(
    st.text() | st.integers(-(2**53), 2**53) | st.booleans() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_the_value_is_kept_and_nothing_harmful_is_shown(value: object) -> None:
    line, page = json_line(value), json_page(value)
    assert json.loads(line) == json.loads(page) == value
    shown = line + page.replace("\n", "")
    assert [char for char in shown if unicodedata.category(char) in ("Cc", "Zl", "Zp") or char in "\u202e\u2066"] == []


def test_a_path_that_reorders_a_line_is_escaped() -> None:
    assert json_line({"path": "a\u202eb\x7f\u2028é"}) == '{"path":"a\\u202eb\\u007f\\u2028é"}'
