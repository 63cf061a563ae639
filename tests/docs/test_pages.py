"""The documentation says what is so: its sessions run, its site is built, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import transcripts

from ownlint import catalogue
from ownlint.config import KEYS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


SESSIONS = sorted(page.name for page in DOCS.glob("*.md") if "```console" in page.read_text(encoding="utf-8"))


def test_the_walk_is_a_session() -> None:
    assert {"getting-started.md", "models.md", "suppressing.md", "writing-a-rule.md"} <= set(SESSIONS)
    walk = read("getting-started.md")
    for step in (
        "pip install",
        "check",
        "explain",
        "check --fix",
        "--add-suppressions",
        "pre-commit run",
        "baseline write",
    ):
        assert any(step in line for line in walk.splitlines() if line.startswith("$ ")), step


@pytest.mark.slow
@pytest.mark.parametrize("page", SESSIONS)
def test_a_session_goes_as_it_is_told(page: str, tmp_path: Path) -> None:
    found = transcripts.problems(read(page), tmp_path, OWNLINT=str(ROOT))
    assert found == [], "\n\n".join(found)


def test_no_session_shows_a_place_of_this_machine() -> None:
    assert [page for page in SESSIONS if re.search(r"/tmp/|/home/|/root/", read(page))] == []


def test_the_ten_lines_are_ten() -> None:
    model = next(step for step in transcripts.steps(read("models.md")) if step[0] == "tools/camera.toml")
    assert isinstance(model, transcripts.File)
    assert len(list(filter(None, model.text.splitlines()))) <= 10


def test_the_example_is_what_the_tutorial_makes() -> None:
    pack = ROOT / "examples" / "pack"
    told = {
        step.name: step.text
        for step in transcripts.steps(read("writing-a-rule.md"))
        if isinstance(step, transcripts.File)
    }
    del told["brightness.cc"]
    assert {name: (pack / name).read_text(encoding="utf-8") for name in told} == told


# --- how a session is read --------------------------------------------------------------------


def test_what_is_printed_is_compared_line_by_line() -> None:
    assert transcripts.agrees("a\n...\nd ... f\n", "a\nb\nc\nd e f\n")
    assert transcripts.agrees("a\n...\n", "a\n")
    assert not transcripts.agrees("a\n", "a\nb\n")
    assert not transcripts.agrees("", "a\n")
    assert not transcripts.agrees("a ... c\n", "a b\nc\n")


def test_a_command_that_fails_is_told(tmp_path: Path) -> None:
    commands = "$ cat a.txt\nhello\n$ false  # exits with 1\n$ false\n$ echo \\\n  x\ny\n"
    page = f"```text a.txt\nhello\n```\n```console\n{commands}```\n"
    found = transcripts.problems(page, tmp_path)
    assert [problem.splitlines()[0] for problem in found] == ["line 8: $ false", "line 9: $ echo \\"]


# --- the site ---------------------------------------------------------------------------------


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if name := told.get("id") or told.get("name"):
            self.names.add(name)
        if tag == "a" and (href := told.get("href")) is not None:
            self.links.append(href)
        if tag in ("script", "img", "link") and (source := told.get("src") or told.get("href")):
            self.loads.append(source)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material")
    to = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(to)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return to


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_every_rule_has_a_page_with_its_examples(site: Path) -> None:
    for rule in catalogue.load():
        page = (site / "rules" / rule.id / "index.html").read_text(encoding="utf-8")
        assert f">{rule.id}<" in page
        assert "```" not in page, rule.id
        assert re.search(r'<h3 id="bad[\w-]*">', page), rule.id
        assert page.count("<pre>") >= 2, rule.id


def test_every_setting_is_named(site: Path) -> None:
    page = (site / "settings" / "index.html").read_text(encoding="utf-8")
    assert [key for key in KEYS if f"<code>{key}</code>" not in page] == []


def test_links_of_the_site_lead_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links are meant for any place of a server
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            names = pages[target].names if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in names):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


def test_the_site_loads_nothing_from_elsewhere(pages: dict[Path, Page]) -> None:
    loads = {source for page in pages.values() for source in page.loads}
    assert [source for source in sorted(loads) if urlsplit(source).netloc] == []


def test_the_site_is_the_same_twice(site: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "again")]
    subprocess.run(command, cwd=ROOT, check=True)
    for path in site.rglob("rules/**/*.html"):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(site)).read_bytes()
