from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from tests import readers

from ownlint import choices

pytest_plugins = ["ownlint.testing.plugin"]

# What an example takes is no property of the code: the machine may be busy with something else.
hypothesis.settings.register_profile("ownlint", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("ownlint")


UNMEASURED = Path(__file__).parent / "unmeasured"
"""See `sitecustomize` there: it is so in this process, too."""

choices.MEASURED = choices.WEIGHED = "of no pack.json"
readers.copied()

gc.set_threshold(200_000, 10, 20)  # as `ownlint` itself does


def pytest_collection_finish() -> None:
    """Ten thousand tests stay until the end: they are not to be looked through at every collection of garbage, of which
    each copy of this process that analyses makes one."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> None:
    """Nor what was read and remembered for other files of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _unmeasured() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(UNMEASURED), os.environ.get("PYTHONPATH")))))
        yield


@pytest.fixture(scope="session", autouse=True)
def _user_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The key of caches is not that of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("user-cache")))
        yield
