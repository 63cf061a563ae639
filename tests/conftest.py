from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

pytest_plugins = ["ownlint.testing.plugin"]

# What an example takes is no property of the code: the machine may be busy with something else.
hypothesis.settings.register_profile("ownlint", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("ownlint")


@pytest.fixture(scope="session", autouse=True)
def _user_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The key of caches is not that of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("user-cache")))
        yield
