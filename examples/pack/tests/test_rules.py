from pathlib import Path

import camera_rules
import pytest

from ownlint import catalogue
from ownlint.testing import docstrings, form


@pytest.mark.parametrize("rule", list(catalogue.rules_of(camera_rules)), ids=lambda rule: rule.id)
def test_form(rule):
    assert list(form.problems(rule, Path(__file__).parent / "rules")) == []
    assert list(docstrings.check(rule)) == []
