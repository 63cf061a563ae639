"""The verdicts on public releases: that they can be read, how two runs are compared, and the page made of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import verdicts
from verdict_matching import Comparison, Finding, Incomplete, Report, compare, match, sites
from verdict_page import page
from verdict_records import FOLDER, Place, Round, Verdict, VerdictError, read, read_all
from verdict_suites import Standing

from ownlint import catalogue
from ownlint.choices import Suite

PAGE = Path(__file__).parents[2] / "docs/precision.md"
RELEASE = "engine-1.0"


def verdict(word: str = "true", *places: Place, rule: str = "handle-leaked", reason: str = "why") -> Verdict:
    return Verdict(release=RELEASE, rule=rule, verdict=word, reason=reason, places=places)  # type: ignore[arg-type]


def place(line: int, *, path: str = "a.cc", function: str = "", fingerprint: str = "") -> Place:
    return Place(path=path, line=line, function=function, fingerprint=fingerprint)


def finding(line: int, *, fingerprint: str = "", rule: str = "handle-leaked", **more: str) -> Finding:
    named = {"path": "a.cc", "certainty": "likely", "message": "m", "symbol": "", **more}
    return Finding(rule=rule, line=line, column=1, fingerprint=fingerprint, **named)  # type: ignore[arg-type]


def matched(judged: list[Verdict], *findings: Finding) -> dict[int, int]:
    """The index of each judged place to the line of its finding."""
    return {number: one.line for number, one in match(sites(judged, RELEASE), findings).items()}


def compared(judged: list[Verdict], old: list[Finding], new: list[Finding], *, everything: bool = False) -> Comparison:
    both = [Report(findings=tuple(some)) for some in (old, new)]
    return compare(RELEASE, sites(judged, RELEASE), *both, everything=everything)


# --- the files ----------------------------------------------------------------------------------------


def test_every_file_is_read_and_speaks_of_rules_that_exist(rounds: Mapping[str, Round]) -> None:
    rules = {rule.id for rule in catalogue.load()}
    assert rounds
    assert {each.rule for one in rounds.values() for each in one.verdict} <= rules


def test_the_page_is_what_the_verdicts_say() -> None:
    """`python benchmarks/verdicts.py page > docs/precision.md` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == verdicts.precision()


def test_the_page_is_short() -> None:
    rounds = len(list(FOLDER.glob("*.toml")))
    rows = 149 + 4 * rounds  # two a rule, one an assumption, four a round
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= rows


def test_what_was_mended_before_the_round_ended_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "pinned.toml").write_text(
        HEAD
        + GOOD
        + 'where = "w"\ncount = 3\n'
        + GOOD.replace('"true"', '"false"')
        + 'where = "w"\ncount = 1\ngone = true\n'
    )
    assert "| t | all | 3 | 0 | 0 | 100 % |  |" in lines_of(tmp_path)


def test_certain_and_likely_are_told_apart(tmp_path: Path) -> None:
    places = 'places = [{path = "a", line = 1, certainty = "certain"}, {path = "b", line = 1}]\n'
    release = '[[release]]\nname = "r-1"\ncpp_lines = 10000\nfindings = 2\n'
    (tmp_path / "first-contact-9.toml").write_text(HEAD + release + GOOD + places)
    lines = lines_of(tmp_path, x="extended")
    assert "| t | certain | 1 | 0 | 0 | 100 % |  |" in lines
    assert "| t | likely | 1 | 0 | 0 | 100 % |  |" in lines
    assert "| t | all | 2 | 0 | 0 | 100 % | 4.0 |" in lines
    assert "| x | extended | 2 | 0 | 0 | 100 % | 0 | 0 | 0 |  |" in lines
    assert "| drawn by kind | extended | 2 | 0 | 0 | 100 % | 100 % |" in lines
    assert "| all | audit | 0 | 0 | 0 |  |  |" in lines


def lines_of(folder: Path, **suites: Suite) -> list[str]:
    """Of the page of these rounds, none of which was run again."""
    return page(read_all(folder), Standing({}), suites).splitlines()


HEAD = 'title = "t"\nday = 2026-11-22\nabout = "a"\n'
GOOD = '[[verdict]]\nrelease = "r-1"\nrule = "x"\nverdict = "true"\nreason = "y"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + GOOD, ":4: the verdict has neither `places` nor `where`"),
        (HEAD + GOOD + "where = ", ":9: "),
        (HEAD + GOOD + 'where = "all"\n\n' + GOOD.replace('"true"', '"maybe"'), ":11: "),
        (HEAD + GOOD + 'where = "all"\ncertain = 1\n', "unknown field `certain`"),
        (HEAD + GOOD + 'places = [{path = "a", line = 1}, {path = "a", line = 1}]\n', ":4: a:1 is judged twice for x"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "round.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(VerdictError) as caught:
        read(file)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(file))


def test_two_findings_of_a_line_are_two_places(tmp_path: Path) -> None:
    file = tmp_path / "round.toml"
    twice = '{path = "a", line = 1, fingerprint = "1"}, {path = "a", line = 1, fingerprint = "2"}'
    file.write_text(f"{HEAD}{GOOD}places = [{twice}]\n", encoding="utf-8")
    assert read(file).verdict[0].number == 2


# --- matching -----------------------------------------------------------------------------------------


def test_a_fingerprint_counts_more_than_a_place() -> None:
    judged = [verdict("true", place(10, fingerprint="f"))]
    assert matched(judged, finding(10, fingerprint="g"), finding(90, fingerprint="f")) == {0: 90}


def test_of_equal_fingerprints_the_one_in_the_same_file_is_it() -> None:
    judged = [verdict("true", place(10, fingerprint="f"))]
    assert matched(judged, finding(9, fingerprint="f", path="b.cc"), finding(50, fingerprint="f")) == {0: 50}


def test_without_a_fingerprint_the_nearest_in_the_function_is_it() -> None:
    judged = [verdict("true", place(10, function="Start"))]
    here = [finding(60, symbol="Start"), finding(40, symbol="Start"), finding(14, symbol="Stop")]
    assert matched(judged, *here) == {0: 40}


def test_without_a_function_it_is_near_or_not_at_all() -> None:
    judged = [verdict("true", place(10))]
    assert matched(judged, finding(13)) == {0: 13}
    assert matched(judged, finding(14)) == {}


def test_another_rule_is_another_finding() -> None:
    judged = [verdict("true", place(10, fingerprint="f"))]
    assert matched(judged, finding(10, fingerprint="f", rule="two-owners")) == {}


def test_a_finding_is_that_of_one_place() -> None:
    judged = [verdict("true", place(10), place(11))]
    assert matched(judged, finding(11)) == {1: 11}


def test_what_two_rounds_judged_counts_once_with_the_last_word() -> None:
    both = sites([verdict("true", place(10)), verdict("false", place(10))], RELEASE)
    assert [site.judged for site in both] == ["false"]


# --- comparing ----------------------------------------------------------------------------------------


def test_nothing_changed() -> None:
    here = [finding(10), finding(20)]
    found = compared([verdict("true", place(10))], here, here)
    assert found.passes
    assert not found.changes
    assert found.standing["true", "reported"] == 1


def test_what_was_true_is_lost_and_who_speaks_there_now() -> None:
    new = [finding(10, rule="two-owners")]
    found = compared([verdict("true", place(10))], [finding(10), *new], new)
    assert not found.passes
    assert [(change.lost, change.after, change.instead) for change in found.changes] == [(True, "silent", tuple(new))]


def test_what_was_true_is_lost_when_nobody_sees_it_without_asking() -> None:
    found = compared([verdict("true", place(10))], [finding(10)], [finding(10, certainty="possible")])
    assert not found.passes
    assert [change.after for change in found.changes] == ["possible"]


def test_what_was_false_may_go() -> None:
    found = compared([verdict("false", place(10)), verdict("doubtful", place(30))], [finding(10), finding(30)], [])
    assert found.passes
    assert len(found.changes) == 2


def test_a_judged_finding_that_comes_back_was_judged() -> None:
    found = compared([verdict("false", place(10))], [], [finding(10)])
    assert found.passes
    assert [(change.before, change.after) for change in found.changes] == [("silent", "reported")]


def test_what_nobody_judged_is_named() -> None:
    found = compared([], [finding(10)], [finding(10), finding(20)])
    assert not found.passes
    assert [one.line for one in found.unjudged] == [20]


def test_what_is_possible_is_judged_only_when_asked_for() -> None:
    new = [finding(20, certainty="possible")]
    assert compared([], [], new).passes
    assert not compared([], [], new, everything=True).passes


def test_what_was_merely_possible_and_is_loud_now_is_new() -> None:
    assert not compared([], [finding(20, certainty="possible")], [finding(20)]).passes


def test_a_finding_that_only_moved_is_known_by_its_fingerprint() -> None:
    assert compared([], [finding(10, fingerprint="f")], [finding(70, fingerprint="f")]).passes


def test_the_text_is_sorted_and_says_what_is_lost() -> None:
    judged = [verdict("true", place(10, function="Start")), verdict("false", place(30))]
    report = Report(findings=(finding(50),), incomplete=(Incomplete("b.cc", "too long"),))
    found = compare(RELEASE, sites(judged, RELEASE), Report(findings=(finding(10), finding(30))), report)
    assert "\n".join(verdicts.told([found])) == (
        "engine-1.0:\n"
        "  false gone, reported -> silent: handle-leaked a.cc:30: why\n"
        "  true LOST, reported -> silent: handle-leaked a.cc:10 Start: why\n"
        "  unjudged: handle-leaked a.cc:50 [likely]: m\n"
        "  incomplete now: b.cc: too long\n"
        "judged     reported  possible    silent\n"
        "true              0         0         1\n"
        "doubtful          0         0         0\n"
        "false             0         0         1\n"
        "true lost: 1, unjudged: 1, of 1 releases"
    )


def test_folders_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = '{"rule":"r","path":"a","line":1,"column":1,"certainty":"likely","message":"m","steps":[]}'
    for name, told in (("old", ""), ("new", line)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "none-1.json").write_text(f'{{"version":1,"findings":[{told}],"incomplete":[]}}')
    assert verdicts.compare_all(tmp_path / "old", tmp_path / "old", False) == 0
    assert verdicts.compare_all(tmp_path / "old", tmp_path / "new", False) == 1
    assert "unjudged: r a:1 [likely]: m" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert verdicts.compare_all(tmp_path / "old", tmp_path / "empty", False) == 2


def test_a_run_is_shown_with_its_verdicts(rounds: Mapping[str, Round]) -> None:
    judged = rounds["first-contact-1"].verdict[0]
    here = judged.places[0]
    old = Finding(judged.rule, here.path, here.line, 1, "likely", "old", here.function, here.fingerprint)
    new = Finding(judged.rule, "nowhere.c", 1, 1, "likely", "new")
    told = list(verdicts.show({judged.release: Report(findings=(old, new))}, []))
    assert told[0] == f"{judged.release}: 2 findings, 0 incomplete"
    assert told[1].startswith(f"  {judged.verdict}: {judged.rule} {here.path}:{here.line}")
    assert told[2] == f"  unjudged: {judged.rule} nowhere.c:1 [likely]: new"
