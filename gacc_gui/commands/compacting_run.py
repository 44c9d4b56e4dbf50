"""`compaction run`: begun, resumed, or only looked at; how it goes, and how it ended.

Owns the words and the exit codes; what is done lives in `app.compaction_running`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui import terminal
from gacc_gui.commands.run_telling import RunTelling, exit_code
from gacc_gui.core.errors import BadUsage

if TYPE_CHECKING:
    from gacc_gui.app.compaction_running import CompactionOutcome
    from gacc_gui.runner.compaction.settings import Settings

_FAILED_CHECK: Final = 1
_BAD_INPUT: Final = 2
_FAILED_ITEMS: Final = 3
_LIMITS: Final = {"max_calls": "calls", "max_tokens": "tokens"}
_AT_RESUMPTION: Final = frozenset(_LIMITS)
"""The settings that a run may be gone on with otherwise than it began."""


def run(
    *,
    corpus: str | None,
    tokenizer: str | None,
    output: str | None,
    resume: str | None,
    live: bool,
    fixture: bool,
    dry_run: bool,
    given: Mapping[str, Any],
    as_json: bool,
    events: bool,
) -> int:
    """Begin a run, go on with one, or say what one would do; `given` are the settings that were typed."""
    if live and fixture:
        raise BadUsage("--live and --fixture are two kinds of run: give one of them")
    if resume is not None:
        return _resume(resume, corpus, tokenizer, output, live, fixture, dry_run, given, as_json, events)
    if corpus is None or tokenizer is None:
        raise BadUsage(f"{'--corpus' if corpus is None else '--tokenizer'} is needed, or --resume FOLDER")
    if not live and not fixture:
        raise BadUsage(
            "--live asks models, which may cost money; --fixture follows rules, for nothing: give one of them"
        )
    settings = _settings(given, live)
    if dry_run:
        return _look_ahead(corpus, tokenizer, output, settings, live, as_json)
    if output is None:
        raise BadUsage("--output is needed: the run's folder, which must be new")
    from gacc_gui.app.compaction_running import run_compaction

    telling = RunTelling("compaction run", events)
    try:
        outcome = run_compaction(
            Path(corpus), Path(tokenizer), Path(output), settings, live=live, report=telling
        )
    finally:
        telling.close()
    return _told(outcome, as_json)


def _resume(
    folder: str,
    corpus: str | None,
    tokenizer: str | None,
    output: str | None,
    live: bool,
    fixture: bool,
    dry_run: bool,
    given: Mapping[str, Any],
    as_json: bool,
    events: bool,
) -> int:
    frozen = [name for name, value in (("corpus", corpus), ("output", output)) if value is not None]
    frozen += [name for name, value in given.items() if value is not None and name not in _AT_RESUMPTION]
    if dry_run:
        frozen.append("dry-run")
    if frozen:
        option = "--" + frozen[0].replace("_", "-")
        raise BadUsage(f"{option} goes with a new run; one that is resumed goes on as it began")
    from gacc_gui.app.compaction_running import resume_compaction
    from gacc_gui.runner.config_model import LimitsConfig

    limits = {_LIMITS[name]: given[name] for name in _LIMITS if given.get(name) is not None}
    telling = RunTelling("compaction run", events)
    try:
        outcome = resume_compaction(
            Path(folder),
            tokenizer=None if tokenizer is None else Path(tokenizer),
            live=live,
            fixture=fixture,
            limits=LimitsConfig(**limits) if limits else None,
            report=telling,
        )
    finally:
        telling.close()
    return _told(outcome, as_json)


def _settings(given: Mapping[str, Any], live: bool) -> Settings:
    from gacc_gui.runner.compaction.settings import settings_from

    limits = {_LIMITS[name]: given[name] for name in _LIMITS if given.get(name) is not None}
    named = {name: value for name, value in given.items() if value is not None and name not in _LIMITS}
    if named.pop("omit_temperature", False):
        if "temperature" in named:
            raise BadUsage("--temperature and --omit-temperature say two things: give one of them")
        named["temperature"] = None
    if "extra_body" in named:
        named["extra_body"] = _object(named["extra_body"])
    if "methods" in named:
        named["methods"] = tuple(name.strip() for name in named["methods"].split(","))
    if live and "decision_model" not in named:
        from gacc_gui.runner.compaction.planning import decision_model_of
        from gacc_gui.runner.environment import read_environment

        named["decision_model"] = decision_model_of(read_environment(Path.cwd()))
    return settings_from({**named, **({"limits": limits} if limits else {})})


def _object(written: str) -> Mapping[str, Any]:
    from gacc_gui.formats.json_values import BadJson, careful

    try:
        value, _ = careful(written.encode("utf-8", "surrogatepass"))
    except BadJson as error:
        # What was written is not repeated: it may hold a key.
        raise BadUsage(f"--extra-body: {error.reason}") from error
    if not isinstance(value, dict):
        raise BadUsage("--extra-body: a JSON object is needed")
    return value


def _tell_altered(case: str) -> None:
    terminal.say(
        f"gacc-gui: warning: case {case}: its question, gold or articles are not those of its row in the"
        " dataset: its content_sha256 is another"
    )


def _look_ahead(
    corpus: str, tokenizer: str, output: str | None, settings: Settings, live: bool, as_json: bool
) -> int:
    from gacc_gui.app.compaction_running import look_ahead
    from gacc_gui.formats.new_file import refuse_existing

    if output is not None:
        refuse_existing(Path(output))
    document = look_ahead(Path(corpus), Path(tokenizer), settings, live=live)
    for case in document["altered"]:
        _tell_altered(case)
    if as_json:
        terminal.write_json(document)
        return 0
    terminal.write_text(
        f"{document['cases']:,} cases by {', '.join(document['methods'])}:"
        f" {document['contexts']:,} contexts, {document['answers']:,} answers"
    )
    for left_out in document["left_out"]:
        terminal.write_text(f"left out: {left_out['id']}: {left_out['check']}: {left_out['reason']}")
    terminal.write_table(
        ("calls", "at least", "at most"),
        [(what, f"{low:,}", f"{high:,}") for what, (low, high) in document["calls"].items()],
        right={"at least", "at most"},
    )
    if live:
        terminal.write_text(f"asks models: {', '.join(document['endpoints'])}; prices are not known here")
    else:
        terminal.write_text("asks no model, costs nothing")
    for sentence in document["missing"]:
        terminal.say(f"gacc-gui: {sentence}")
    return 0


def _zeros(outcome: CompactionOutcome) -> tuple[int, int]:
    """Return how many answers of a finished run count zero, whatever failed, and how many were planned."""
    from gacc_gui.formats.compaction_folder import AGGREGATE_FILE
    from gacc_gui.formats.compaction_reading import read_document

    methods = read_document(outcome.folder / AGGREGATE_FILE)["methods"].values()
    planned = sum(method["planned"] for method in methods)
    return planned - sum(method["valid"] for method in methods), planned


def _told(outcome: CompactionOutcome, as_json: bool) -> int:
    """Tell the end. A check that failed is exit 1, whatever else did; altered cases alone are none."""
    code = exit_code(outcome.session)
    if code in (0, _FAILED_ITEMS) and not outcome.holds:
        code = _FAILED_CHECK
    for case in outcome.altered:
        _tell_altered(case)
    if as_json and code != _BAD_INPUT:
        terminal.write_json(outcome.as_json())
    session = outcome.session
    calls = sum(session.calls.values())
    if session.reason is not None:
        terminal.say(
            f"gacc-gui: stopped: {session.reason}; {calls:,} calls;"
            f" gacc-gui compaction run --resume {outcome.folder}{' --live' if outcome.live else ''} goes on"
        )
    else:
        zeros, planned = _zeros(outcome)
        failed = f"; {zeros:,} of {planned:,} planned answers count zero" if zeros else ""
        left = f"; {len(outcome.left_out):,} cases were left out" if outcome.left_out else ""
        terminal.say(
            f"the run {session.run} is finished: {calls:,} calls{failed}{left}; see {outcome.report}"
        )
    if outcome.failed_checks:
        names = ", ".join(outcome.failed_checks)
        terminal.say(f"gacc-gui: checks that did not hold: {names}; validation.json says where")
    return code
