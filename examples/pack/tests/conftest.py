pytest_plugins = ["ownlint.testing.plugin"]
