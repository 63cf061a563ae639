"""Outputs go nowhere but where they are named, and over nothing but a former output of ownlint."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from command import Run, in_folder

from ownlint.choices import FORMATS

GUILTY = """\
#include <pybind11/pybind11.h>
struct Part {};
struct Engine { Part& part() { return p; } Part p; };
PYBIND11_MODULE(m, mod) {
  pybind11::class_<Part>(mod, "Part");
  pybind11::class_<Engine>(mod, "Engine").def("part", &Engine::part, pybind11::return_value_policy::reference);
}
"""
CHECK = ("check", "-q", "--types", "never")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "p" / "sub").mkdir(parents=True)
    (tmp_path / "p" / "ownlint.toml").write_text("")
    (tmp_path / "p" / "a.cc").write_text(GUILTY)
    (tmp_path / "p" / "sub" / "b.cc").write_text("int x;\n")
    return in_folder(tmp_path / "p", monkeypatch, capfd)


def outputs(place: str) -> list[tuple[str, ...]]:
    """Every way in which the user names a file that is written."""
    return [
        (*CHECK, "-o", place),
        (*CHECK, "--output", f"sarif={place}"),
        (*CHECK, "--export-fixes", place),
        (*CHECK, "--diff", "-o", place),
        ("baseline", "write", "--types", "never", "--baseline", place),
        ("model", "extract", "-q", "--types", "never", "--package", "m", "-o", place),
    ]


WAYS = range(len(outputs("")))


@pytest.mark.parametrize("name", FORMATS)
def test_a_former_report_is_written_over_in_every_format(run: Run, name: str) -> None:
    """With findings and without, in both orders: as a job does that checks again and again."""
    for path in ("a.cc", "sub", "a.cc"):
        for option in (("--output-format", name, "-o", "out"), ("--output", f"{name}=beside")):
            done = run(*CHECK, *option, path)
            assert (done.code, done.err) == (int(path == "a.cc"), "")
    assert Path("out").read_bytes() == Path("beside").read_bytes() != b""


@pytest.mark.parametrize("way", WAYS)
def test_every_other_output_is_written_over_too(run: Run, way: int) -> None:
    arguments = outputs("out")[way]
    first = run(*arguments)
    Path("out").chmod(0o640)
    assert (first.code in (0, 1), run(*arguments)) == (True, first)
    assert stat.S_IMODE(Path("out").stat().st_mode) == 0o640


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["a.cc", "notes.md", "data.json", "pyproject.toml", "bytes"])
def test_what_is_no_output_of_ownlint_stays(run: Run, way: int, name: str) -> None:
    Path("notes.md").write_text("## Notes\n\nown\n")
    Path("data.json").write_text('{\n  "version": 1,\n  "data": []\n}\n')
    Path("pyproject.toml").write_text("[project]\nname = 'p'\n")
    Path("bytes").write_bytes(b"\0\xff")
    before = Path(name).read_bytes()
    done = run(*outputs(name)[way])
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {name}: not overwritten: it is not ")
    assert done.err.count("\n") == 1
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["link", "dangling", "device", "folder", "fifo", "behind a link", "beside"])
def test_no_link_is_followed_and_nothing_but_files_is_written(run: Run, tmp_path: Path, way: int, kind: str) -> None:
    victim = tmp_path / "victim"
    place = "out"
    match kind:
        case "link":
            victim.write_text("")  # a file that would be written over
            Path("out").symlink_to(victim)
        case "dangling":
            Path("out").symlink_to(victim)
        case "device":
            Path("out").symlink_to("/dev/null")
        case "folder":
            Path("out").mkdir()
        case "fifo":
            os.mkfifo("out")
        case "behind a link":
            (tmp_path / "elsewhere").mkdir()
            Path("folder").symlink_to(tmp_path / "elsewhere")
            place = "folder/out"
        case _:
            Path("beside").symlink_to("sub")
            place = "beside/../beside/out"
    done = run(*outputs(place)[way])
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"error: {place}: ")
    assert not victim.exists() or victim.read_text() == ""
    assert not any(Path("sub").glob("out"))
    assert not (tmp_path / "elsewhere" / "out").exists()


@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_streams_of_the_shell_are_written(run: Run, place: str) -> None:
    done = run(*CHECK, "--output-format", "json", "-o", place)
    assert (done.code, done.err) == (1, "")
    assert done.out == run(*CHECK, "--output-format", "json").out


def test_devices_and_pipes_outside_of_the_tree_are_written(run: Run, tmp_path: Path) -> None:
    assert run(*CHECK, "-o", "/dev/null").code == 1
    os.mkfifo(tmp_path / "pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    assert run(*CHECK, "--output-format", "concise", "-o", str(tmp_path / "pipe")).code == 1
    reader.join(20)
    assert got[0].startswith("a.cc:6:")


def test_a_folder_outside_of_the_tree_may_be_a_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert run(*CHECK, "-o", str(tmp_path / "link" / "out")).code == 1
    assert (tmp_path / "real" / "out").read_text()


def test_a_baseline_is_no_report_and_a_report_no_baseline(run: Run) -> None:
    assert run("baseline", "write", "--types", "never").code == 0
    assert run(*CHECK, "--no-baseline", "--output-format", "json", "-o", "ownlint-baseline.json").code == 2
    run(*CHECK, "--no-baseline", "--output-format", "json", "-o", "r.json")
    assert run("baseline", "write", "--types", "never", "--baseline", "r.json").code == 2
