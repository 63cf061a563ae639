"""The suite of each rule, and what an assumption makes of a finding: computed from what was judged and what was found,
never chosen by hand.

`python benchmarks/verdicts.py suites` writes both, with the counts, to `rules/ownlint_rules/measured.json` and
`assumptions.json` beside it. `suite_of` and `makes` are the formulas. It counts what the code of today still reports
of the judged findings: with `--run DIR` the reports of a run say that, and `benchmarks/verdicts/standing.json` keeps
it, so that everything can be computed anew without a run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import known_bugs
import msgspec
import seeds_review
import truth_pages
from verdict_matching import Report, State, match, sites
from verdict_records import FOLDER, VERDICTS, Place, Round, Verdict, VerdictError, at_first_contact, judged
from verdict_records import Judged as Verdicted

from ownlint import catalogue
from ownlint.choices import ASSUMPTIONS, Assumption, Certainty, Suite
from ownlint.measured import ENOUGH, Counts, Judged, Measured, Weighed
from ownlint.testing.markdown import SEVERE

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "rules/ownlint_rules/measured.json"
WEIGHED = ROOT / "rules/ownlint_rules/assumptions.json"
STANDING = FOLDER / "standing.json"
REVIEW = Path(__file__).with_name("seeds") / "review.toml"
TRUTHS = ROOT / "tests/truth"


def suite_of(counts: Counts) -> Suite:
    """`default` needs, of ten or more findings of first contact that are still reported, 80 % of those that could be
    decided and 60 % of all to be true. Of fewer, none may be false and one must be true; or none that is known may be
    false anywhere, and the rule has found a bug of history or in another release. `extended` has the others of which
    more than 40 % of the decided ones are true; where first contact decided nothing, what was found elsewhere counts.
    """
    standing, found = counts.standing, counts.history + counts.live
    if standing.all >= ENOUGH:
        if standing.right >= 0.8 and standing.true >= 0.6 * standing.all:
            return "default"
    elif not standing.false and (standing.true or (found and not counts.live_false)):
        return "default"
    elsewhere = Judged(true=found, false=counts.live_false)
    return "extended" if (standing if standing.true or standing.false else elsewhere).right > 0.4 else "audit"


def makes(judged: Judged) -> Certainty:
    """What an assumption alone makes of a finding: `likely`, or `possible` where it stood alone in ten or more findings
    of first contact, and less than 90 % of those that could be decided were true."""
    return "possible" if judged.all >= ENOUGH and judged.right < 0.9 else "likely"


LATEST = 40
"""As many decided findings say how often a rule was right lately; more where the round that completes them has more."""


def surest(unassuming: Judged) -> Certainty:
    """What a finding of a rule is that assumes nothing: `certain` where, of the latest ones of first contact, ten or
    more could be decided and at most one in 40 was false. A promise needs evidence, and what was fixed since is
    none: the next project brings what no fix has seen."""
    decided = unassuming.true + unassuming.false
    return "certain" if decided >= ENOUGH and 40 * unassuming.false <= decided else "likely"


# --- what is still reported -----------------------------------------------------------------------


class Quiet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The judged places of one release that a run did not report: only at `possible`, or not at all. `assumed` has what
    the findings at the other places, and at those that are possible, take for granted; nothing where the revision did
    not say it."""

    possible: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    assumed: dict[str, tuple[Assumption, ...]] | msgspec.UnsetType = msgspec.UNSET


_QUIET = ("possible", "silent")


class Standing:
    """Where the judged findings stand with the code of today, by release. What was never run again is not known; for
    the rules `of_change` it is possible: verdicts are about trees, of which these say less."""

    def __init__(self, releases: Mapping[str, Quiet], of_change: frozenset[str] = frozenset()) -> None:
        self.releases, self.of_change = dict(releases), of_change
        self._states: dict[tuple[str, str], State] = {}
        for name, quiet in self.releases.items():
            self._states.update({(name, key): "possible" for key in quiet.possible})
            self._states.update({(name, key): "silent" for key in quiet.silent})

    def state(self, verdict: Verdict, place: Place) -> State | None:
        if verdict.release not in self.releases:
            return "possible" if verdict.rule in self.of_change else None
        return self._states.get((verdict.release, key_of(verdict, place)), "reported")

    def assumed(self, verdict: Verdict, place: Place) -> tuple[Assumption, ...] | None:
        """What the finding there assumes today; None where there is none, and where that is not known."""
        quiet = self.releases.get(verdict.release)
        if quiet is None or quiet.assumed is msgspec.UNSET:
            return None
        return quiet.assumed.get(key_of(verdict, place))

    def weighed(self, weights: Mapping[Assumption, Weighed]) -> Standing:
        """The same where each finding is as sure as its assumptions make it: one that takes for granted what was too
        often wrong is only possible."""
        weak = {one for one, weight in weights.items() if weight.makes == "possible"}
        releases = {}
        for name, quiet in self.releases.items():
            assumed = {} if quiet.assumed is msgspec.UNSET else quiet.assumed
            unsure = {key for key, taken in assumed.items() if not weak.isdisjoint(taken)}
            possible = tuple(sorted(unsure.union(quiet.possible)))
            releases[name] = msgspec.structs.replace(quiet, possible=possible)
        return Standing(releases, self.of_change)

    def assumes_nothing(self, verdict: Verdict, place: Place, recorded: str) -> bool:
        """Whether the finding there assumes nothing today; what no run has said is as it was recorded."""
        quiet = self.releases.get(verdict.release)
        if quiet is None or quiet.assumed is msgspec.UNSET:
            return recorded == "certain" and self.state(verdict, place) in ("reported", None)
        return self.assumed(verdict, place) == ()

    def number(self, verdict: Verdict, *, unknown: bool = True) -> int:
        """How many findings of a verdict are still reported; `unknown` says whether one counts that was never run."""
        if not verdict.places:
            return verdict.number if unknown else 0
        states = (self.state(verdict, place) for place in verdict.places)
        return sum(state == "reported" or (state is None and unknown) for state in states)

    def after(
        self, verdicts: Iterable[Verdict], reports: Mapping[str, Report], rules: frozenset[str] = frozenset()
    ) -> Standing:
        """The same with what a run says; releases that it lacks stay as they are, and of a run of some `rules` alone so
        does what others have found."""
        every = [one for one in verdicts if not rules or one.rule in rules]
        releases = dict(self.releases)
        for name, report in reports.items():
            here = sites(every, name)
            if not here:
                continue
            found = match(here, report.findings)
            before = releases.get(name, Quiet()) if rules else Quiet()
            quiet = {state: [key for key in getattr(before, state) if rule_of(key) not in rules] for state in _QUIET}
            assumed = {} if before.assumed is msgspec.UNSET else before.assumed
            assumed = {key: taken for key, taken in assumed.items() if rule_of(key) not in rules}
            for number, site in enumerate(here):
                state = found[number].state if number in found else "silent"
                key = key_of(site.verdict, site.place)
                if state != "reported":
                    quiet[state].append(key)
                if number in found and (taken := found[number].assumed) is not None:
                    assumed[key] = taken
            states = {state: tuple(sorted(keys)) for state, keys in quiet.items()}
            said = dict(sorted(assumed.items())) if assumed else msgspec.UNSET
            releases[name] = Quiet(states["possible"], states["silent"], said)
        return Standing(releases, self.of_change)

    def text(self) -> str:
        encoded = msgspec.json.encode(dict(sorted(self.releases.items())))
        return msgspec.json.format(encoded, indent=1).decode() + "\n"


def key_of(verdict: Verdict, place: Place) -> str:
    return f"{verdict.rule} {place.path}:{place.line} {place.fingerprint}".rstrip()


def rule_of(key: str) -> str:
    return key.partition(" ")[0]


def read_standing(path: Path = STANDING) -> Standing:
    """Raises `VerdictError`."""
    of_change = frozenset(rule.id for rule in catalogue.load() if rule.of_change)
    if not path.is_file():
        return Standing({}, of_change)
    try:
        return Standing(msgspec.json.decode(path.read_bytes(), type=dict[str, Quiet]), of_change)
    except msgspec.DecodeError as error:
        raise VerdictError(f"{path}: {error}") from None


# --- counting -------------------------------------------------------------------------------------


def measure(rules: Iterable[str], rounds: Mapping[str, Round], standing: Standing) -> dict[str, Measured]:
    """Of each of these rules of which anything is known, where each finding is as sure as its assumptions make it."""
    standing = standing.weighed(weigh(rounds, standing))
    counts = {rule: counted for rule, counted in _counts(rounds, standing).items() if counted != Counts()}
    return {
        rule: Measured(suite_of(one), one, surest(one.unassuming))
        for rule in sorted(rules)
        if (one := counts.get(rule)) is not None
    }


def _counts(rounds: Mapping[str, Round], standing: Standing) -> dict[str, Counts]:
    contact, still = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    elsewhere: dict[tuple[str, str, int, str, str], tuple[Round, Verdict]] = {}
    fresh = at_first_contact(rounds)
    for each, verdict in judged(rounds):
        if each in fresh.values():
            contact[verdict.rule, verdict.verdict] += verdict.number
            still[verdict.rule, verdict.today] += standing.number(verdict)
        elif not verdict.gone:
            # What several rounds judged counts once, with the last word.
            for place in verdict.places:
                key = (verdict.rule, verdict.release, place.line, place.path, place.fingerprint)
                elsewhere[key] = (each, msgspec.structs.replace(verdict, places=(place,)))
            if not verdict.places:
                elsewhere[verdict.rule, verdict.release, 0, verdict.where, verdict.verdict] = (each, verdict)
    live = Counter[tuple[str, str]]()
    for each, verdict in elsewhere.values():
        # Most of what an uncounted round called false was mended afterwards.
        unknown = each.counted or verdict.verdict == "true"
        live[verdict.rule, verdict.verdict] += standing.number(verdict, unknown=unknown)
    live.update((rule, "true") for rule in _crashes())
    history = Counter(_history())
    unassuming = latest_unassuming(rounds)
    return {
        rule: Counts(
            first_contact=_judged(contact, rule),
            standing=_judged(still, rule),
            history=history[rule],
            live=live[rule, "true"],
            live_false=live[rule, "false"],
            unassuming=unassuming.get(rule, Judged()),
        )
        for rule in sorted({rule for rule, _ in (*contact, *live)} | history.keys())
    }


def latest_unassuming(rounds: Mapping[str, Round]) -> dict[str, Judged]:
    """By rule, the verdicts on what assumed nothing at first contact, of the latest rounds that together decided enough
    of them."""
    found: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for name in sorted(at_first_contact(rounds), key=_number_of, reverse=True):
        here: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for verdict in rounds[name].verdict:
            for place in verdict.places:
                certain = (place.certainty or rounds[name].certainty) == "certain"
                here[verdict.rule][verdict.rule, verdict.verdict] += certain or place.unassuming
        for rule, counts in here.items():
            if found[rule][rule, "true"] + found[rule][rule, "false"] < LATEST:
                found[rule] += counts
    return {rule: _judged(counts, rule) for rule, counts in found.items()}


def _number_of(name: str) -> tuple[int, str]:
    """Of `first-contact-16-more` 16, with the name."""
    return int(name.split("-")[2]), name


def certain_now(rounds: Mapping[str, Round], standing: Standing) -> Counter[Verdicted]:
    """The verdicts on what first contact found to assume nothing and still does, also beyond what rates are taken from,
    of the rules that may be certain."""
    proven = {rule for rule, judged in latest_unassuming(rounds).items() if surest(judged) == "certain"}
    found = Counter[Verdicted]()
    for each, verdict in judged({name: each for name, each in rounds.items() if name.startswith("first-contact")}):
        for place in verdict.places if verdict.rule in proven else ():
            recorded = "certain" if place.unassuming else place.certainty or each.certainty
            found[verdict.verdict] += recorded == "certain" and standing.assumes_nothing(verdict, place, recorded)
    return found


def weigh(rounds: Mapping[str, Round], standing: Standing) -> dict[Assumption, Weighed]:
    """Each assumption that a finding of first contact has alone. A release counts where it is known of all its findings
    what they assume: of those of some rules alone a share would say little."""
    found = Counter[tuple[str, str]]()
    partly: set[str] = set()
    places = [(verdict, place) for _, verdict in judged(at_first_contact(rounds)) for place in verdict.places]
    for verdict, place in places:
        if standing.assumed(verdict, place) is None and standing.state(verdict, place) != "silent":
            partly.add(verdict.release)
    for verdict, place in places:
        assumed = standing.assumed(verdict, place) or ()
        if len(assumed) == 1 and verdict.release not in partly:
            found[assumed[0], verdict.today] += 1
    counts = {one: _judged(found, one) for one in ASSUMPTIONS}
    return {one: Weighed(makes(judged), judged) for one, judged in counts.items() if judged.all}


def _judged(counts: Counter[tuple[str, str]], rule: str) -> Judged:
    return Judged(*(counts[rule, verdict] for verdict in VERDICTS))


def _history() -> Iterator[str]:
    """The rules that found a bug which was fixed, once for each bug, or made a point of a reviewer's, once for each."""
    families = known_bugs.read_families(known_bugs.FAMILIES)
    for _, bug in known_bugs.read_bugs(known_bugs.HERE):
        yield from bug.found_by(families)
    for point in seeds_review.read_review(REVIEW).points:
        if point.found:
            yield from point.told_by


def _crashes() -> Iterator[str]:
    """The rules that speak of a snippet which crashes or computes garbage when it runs, once for each snippet."""
    for path in sorted(TRUTHS.glob("*.md")):
        if not path.stem.islower():
            continue
        for truth in truth_pages.read(path).truths:
            outcomes = {outcome for expected in truth.expected.values() for outcome in expected.outcomes}
            if outcomes & {"crashes", "garbage"}:
                marks = (mark for block in truth.case.blocks for mark in block.marks)
                yield from sorted({mark.text for mark in marks if mark.kind in SEVERE})


# --- the file -------------------------------------------------------------------------------------


def text_of(measured: Mapping[str, Measured] | Mapping[str, Weighed]) -> str:
    """A line a rule or an assumption."""
    rows = (f' "{name}": {_spaced(one)}' for name, one in sorted(measured.items()))
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _spaced(one: Measured | Weighed) -> str:
    return " ".join(msgspec.json.format(msgspec.json.encode(one), indent=1).decode().split())


def summary(measured: Mapping[str, Measured], rules: Iterable[str]) -> Iterator[str]:
    """How many rules each suite has, and what stands in `audit` although it found a bug."""
    suites: dict[str, list[str]] = defaultdict(list)
    for rule in sorted(rules):
        suites[measured[rule].suite if rule in measured else "audit"].append(rule)
    for suite in ("default", "extended", "audit"):
        yield f"{suite}: {len(suites[suite])} rules"
    for rule in suites["audit"]:
        if rule in measured and measured[rule].counts.history:
            one = measured[rule].counts
            shares = f"{one.standing.true}/{one.standing.doubtful}/{one.standing.false} standing"
            yield f"in audit although it found {one.history} of history's bugs: {rule} ({shares})"
