"""The parts that a run's probes are asked of: the run's own, or nobody's.

Owns where they come from: the configuration of an evaluation, stored or given, or our own rules by name and
revision. What is made is used only where its name and revision are those in the run's record, and our rules
only where they give the stored answers and verdicts again: a probe never asks somebody else. Keys come from
the environment. Not here: asking (`runner.probing`).
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.compaction import PROTOCOL as COMPACTION
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.probing import EMPTY, RETAINED_AGAIN, SOURCE
from gacc_gui.core.records import MATERIALS, Json, Question, Run

if TYPE_CHECKING:
    from gacc_gui.app.probe_rows import ChosenRow
    from gacc_gui.runner.config_model import EvaluationConfig, LimitsConfig, PriceConfig
    from gacc_gui.runner.endpoint import ModelClient
    from gacc_gui.runner.events import Waiting
    from gacc_gui.runner.gacc_protocol import GaccProtocol
    from gacc_gui.runner.parts import Judge, Named, Reader
    from gacc_gui.runner.probing import Asker
    from gacc_gui.runner.protocol import BenchmarkProtocol
    from gacc_gui.runner.tries import Tries

COMPACTION_KINDS: Final = (SOURCE, RETAINED_AGAIN, EMPTY)
"""The materials of a compaction run: its contexts were never cut, so that no tail can be restored."""
_CONFIGURATION: Final = "configuration"
"""Of the run's record: what was evaluated, how."""
_COMPARED: Final = 20
"""Rows by which it is told whether rules are the run's own."""
_DEMO_READER: Final = "careless-patterns"
_DEMO_JUDGE: Final = "moody-exact"


@dataclass(frozen=True, slots=True)
class Service:
    """A model that a role asks, as far as an estimate needs it. `prompt` is sent with every call."""

    role: str
    endpoint: str
    model: str
    price: PriceConfig
    prompt: str


@dataclass(frozen=True, slots=True)
class Connecting:
    """What a connection to a service tells and asks while it waits."""

    on_waiting: Callable[[Waiting], None]
    tries: Tries


@dataclass(frozen=True, slots=True)
class ProbeParts:
    """A run's own parts, ready to be asked with `kinds`; models only where they were connected.

    `services` is empty where no model is asked. `closing` is awaited at the end, in the loop of the calls.
    """

    asker: Asker
    kinds: tuple[str, ...]
    services: tuple[Service, ...]
    limits: LimitsConfig
    concurrency: int
    tokenizer: str | None
    """The name of the codec that an estimate counts with."""
    closing: Sequence[Callable[[], Awaitable[None]]] = ()

    @property
    def live(self) -> bool:
        """Whether models are asked."""
        return bool(self.services)


def probe_parts(
    run: Run,
    stored: str | None,
    rows: Sequence[ChosenRow],
    *,
    config_path: Path | None = None,
    connecting: Connecting | None = None,
) -> ProbeParts:
    """Return the parts of a run; without `connecting`, those that ask a model can only be looked at.

    `stored` is the configuration that the database keeps of an evaluation of ours; `config_path` names one in
    its place; `rows` are those that will be asked again. Raises BadUsage, in one sentence, where the parts
    are not here or a key is missing, BadInput where a configuration is another run's.
    """
    if run.protocol == COMPACTION:
        if config_path is not None:
            raise BadUsage("--config is for runs of an evaluation; a compaction run has its own settings")
        return _of_compaction(run, [one.row.question for one in rows], connecting)
    if config_path is not None or stored is not None:
        return _of_configuration(run, stored, config_path, connecting)
    return _of_rules(run, rows)


# Our rules, by name and revision.


def _of_rules(run: Run, rows: Sequence[ChosenRow]) -> ProbeParts:
    from gacc_gui.runner.config_model import LimitsConfig

    reader, judge = _rule_reader(run), _rule_judge(run)
    others = () if reader is None or judge is None else _others(reader, judge, rows[:_COMPARED])
    for role, made in (("reader", reader), ("judge", judge)):
        if made is None:
            hint = "; --config names its configuration" if _CONFIGURATION in run.extra else ""
            raise BadUsage(
                f"the run {run.id!r} was only imported, and its {role} ({_told(run, role)}) is not here to be"
                f" asked again{hint}"
            )
        if role in others:
            raise BadUsage(
                f"the run {run.id!r} was only imported, and its {role} is not here to be asked again: ours of"
                f" that name ({_told(run, role)}) answers otherwise than it did"
            )
    assert reader is not None and judge is not None
    asker = _gacc_asker(run, _protocol_of_rules(reader, judge, rows), live=False)
    return ProbeParts(asker, MATERIALS, (), LimitsConfig(), 1, None)


def _protocol_of_rules(reader: Reader, judge: Judge, rows: Sequence[ChosenRow]) -> BenchmarkProtocol:
    """Return a protocol of rules; those that slip now and then do so as they did in the rows."""
    from gacc_gui.runner.slips import AskedAgain, CarelessReader, MoodyJudge

    protocol = _gacc_protocol(reader, judge)
    if not (isinstance(reader, CarelessReader) and isinstance(judge, MoodyJudge)):
        return protocol
    own = {
        one.place: (one.view.memory.retained_text, one.row.answer.text if one.row.answer else None)
        for one in rows
    }
    return AskedAgain(protocol, reader, judge, own)


def _others(reader: Reader, judge: Judge, rows: Sequence[ChosenRow]) -> Iterable[str]:
    """Return the roles whose part of that name is not the run's: our rules give the same again, always."""
    from gacc_gui.runner.parts import JudgeInput, ReaderInput

    found = set()
    for one in rows:
        view, row = one.view, one.row
        memory, answer, verdict, asked = view.memory, row.answer, row.verdict, row.question
        if memory.retained_text is None or answer is None or answer.text is None:
            continue
        try:
            read: Any = reader(ReaderInput(memory.retained_text, asked.text))
            if read.text != answer.text:
                found.add("reader")
            if verdict is not None and verdict.status == "judged":
                references = asked.references or ()
                judged: Any = judge(JudgeInput(view.context.text, asked.text, references, answer.text))
                if judged.label != verdict.label:
                    found.add("judge")
        except Exception:  # where the run has an answer, its reader did not raise
            found.add("reader")
    return found


def _rule_reader(run: Run) -> Reader | None:
    from gacc_gui.runner import fixture, readers

    if _name(run, "reader") == _DEMO_READER:
        return _the_same(run, "reader", _demo_protocol().reader_part)
    candidates: tuple[Reader, ...] = (readers.QuotingReader(), fixture.FieldReader())
    return next((made for made in candidates if _is_of(run, "reader", made)), None)


def _rule_judge(run: Run) -> Judge | None:
    from gacc_gui.runner import judges, rules

    if _name(run, "judge") == _DEMO_JUDGE:
        return _the_same(run, "judge", _demo_protocol().judge_part)
    candidates: tuple[Judge, ...] = (rules.ExactJudge(), judges.NormalisedJudge())
    return next((made for made in candidates if _is_of(run, "judge", made)), None)


def _demo_protocol() -> Any:
    from gacc_gui.app.demo import demo_plan
    from gacc_gui.runner.gacc_protocol import gacc_protocol_of

    return gacc_protocol_of(demo_plan())


def _the_same(run: Run, role: str, made: Any) -> Any:
    return made if _is_of(run, role, made) else None


def _is_of(run: Run, role: str, made: Named) -> bool:
    declared = _declared(run, role)
    return (declared.get("name"), declared.get("revision")) == (made.name, made.revision)


def _declared(run: Run, role: str) -> Mapping[str, Json]:
    return (run.reader if role == "reader" else run.judge) or {}


def _name(run: Run, role: str) -> Json:
    return _declared(run, role).get("name")


def _told(run: Run, role: str) -> str:
    declared = _declared(run, role)
    return " ".join(str(declared[key]) for key in ("name", "revision") if declared.get(key)) or "nameless"


def _gacc_asker(run: Run, protocol: BenchmarkProtocol, *, live: bool) -> Asker:
    from gacc_gui.runner.probing import Asker, gacc_row

    return Asker(run, protocol, gacc_row, live)


def _gacc_protocol(reader: Reader, judge: Judge) -> GaccProtocol:
    from gacc_gui.core.tokens import CodepointCodec
    from gacc_gui.runner.gacc_protocol import GaccProtocol

    # Nothing is counted where no memory is made.
    return GaccProtocol(CodepointCodec(), reader, judge)


# Evaluations of ours, by their configuration.


def _of_configuration(
    run: Run, stored: str | None, path: Path | None, connecting: Connecting | None
) -> ProbeParts:
    from gacc_gui.core.tokens import CodepointCodec
    from gacc_gui.runner.config import load_config, parse_config
    from gacc_gui.runner.registry import parts_of

    try:
        # Relative paths of a stored one are relative to where the command is given: nothing else is known.
        config = load_config(path) if path is not None else parse_config(stored or "", Path.cwd())
        config = replace(config, compressors=())
        clients = _clients(config, connecting)
        parts = parts_of(config, clients, codec=CodepointCodec())
    except BadInput as error:
        if path is not None:
            raise
        raise BadInput(
            f"the parts of the run {run.id!r} cannot be made of its stored configuration: {error};"
            " --config names the file that it came from"
        ) from error
    for role, made in (("reader", parts.reader), ("judge", parts.judge)):
        if not _is_of(run, role, made):
            raise BadInput(
                f"the {role} of the run {run.id!r} was {_told(run, role)}, and the configuration makes"
                f" {made.name} {made.revision}: nobody else is asked in its place"
            )
    services = tuple(_services(config))
    return ProbeParts(
        _gacc_asker(run, _gacc_protocol(parts.reader, parts.judge), live=bool(services)),
        MATERIALS,
        services,
        config.limits,
        config.concurrency,
        config.evaluation.tokenizer,
        tuple(client.aclose for client in clients.values()),
    )


def _asking(config: EvaluationConfig) -> Sequence[tuple[str, Any]]:
    roles = (("reader", config.reader), ("judge", config.judge))
    return [(role, part) for role, part in roles if part.asks_model and part.endpoint is not None]


def _clients(config: EvaluationConfig, connecting: Connecting | None) -> dict[str, ModelClient]:
    if connecting is None or not _asking(config):
        return {}
    from gacc_gui.runner.endpoint import ModelClient

    return {
        name: ModelClient(
            config.endpoints[name],
            on_waiting=connecting.on_waiting,
            tries=connecting.tries,
        )
        for name in sorted({part.endpoint for _, part in _asking(config)})
    }


def _services(config: EvaluationConfig) -> Sequence[Service]:
    from gacc_gui.runner.registry import prompt_of

    found = []
    for role, part in _asking(config):
        prompt, endpoint = prompt_of(config, role, part), config.endpoints[part.endpoint]
        words = "" if prompt is None else f"{prompt.system}\n{prompt.user}"
        found.append(Service(role, endpoint.name, endpoint.model, endpoint.price, words))
    return found


# Compaction runs, by the settings in their record.


def _of_compaction(run: Run, questions: Sequence[Question], connecting: Connecting | None) -> ProbeParts:
    from gacc_gui.core.tokens import CodepointCodec
    from gacc_gui.runner.compaction import planning
    from gacc_gui.runner.compaction.contexts import ContextMaker
    from gacc_gui.runner.compaction.protocol import CompactionProtocol
    from gacc_gui.runner.compaction.settings import settings_from
    from gacc_gui.runner.config_model import PriceConfig
    from gacc_gui.runner.environment import read_environment
    from gacc_gui.runner.probing import Asker, CompactionRows

    frozen = run.extra.get(_CONFIGURATION)
    if not isinstance(frozen, Mapping) or not isinstance(frozen.get("settings"), Mapping):
        raise BadUsage(f"the run {run.id!r} does not say how it was set, so that nobody can be asked again")
    # Nobody ranks and nobody summarises: only the answerer is asked, and needs its key alone.
    settings = replace(settings_from(frozen["settings"]), methods=("full",))
    live = frozen.get("mode") == "live"
    environment = read_environment(Path.cwd(), os.environ) if live else {}
    if live and connecting is None:
        environment = {planning.MODEL_KEY: "-", planning.MODEL_URL: "http://localhost/v1"}
    ways: dict[str, Any] = {}
    if connecting is not None:
        ways = {"on_waiting": connecting.on_waiting, "tries": connecting.tries}
    codec = CodepointCodec()
    parts = planning.parts_for(settings, environment, live=live, codec=codec, **ways)
    if not _is_of(run, "reader", parts.answerer):
        raise BadInput(
            f"the answerer of the run {run.id!r} was {_told(run, 'reader')}, and here it is"
            f" {parts.answerer.name} {parts.answerer.revision}: nobody else is asked in its place"
        )
    prompt = parts.prompts[planning.ANSWER]
    worded = frozen.get("prompts", {}).get(planning.ANSWER, {}).get("sha256")
    if worded != prompt.hash.removeprefix("sha256:"):
        raise BadInput(f"the answer inputs of the run {run.id!r} were worded otherwise than they are today")
    maker = ContextMaker(settings, codec, prompt, None, None)
    cases = {question.goal_id: _case(question) for question in questions}
    protocol = CompactionProtocol(cases, settings, codec, prompt, parts.answerer, maker)
    services = (Service("reader", "model", settings.model, PriceConfig(), prompt.user),) if live else ()
    return ProbeParts(
        Asker(run, protocol, CompactionRows(prompt), live),
        COMPACTION_KINDS,
        services,
        settings.limits,
        settings.concurrency,
        None,
        parts.closing,
    )


def _case(question: Question) -> Any:
    """Return what scoring needs of a case: its gold."""
    from gacc_gui.core.compaction import Case
    from gacc_gui.core.hotpot_records import Gold

    gold = question.extra.get("gold")
    facts = gold.get("supporting_facts", ()) if isinstance(gold, Mapping) else ()
    told = Gold(question.goal_id, tuple(question.references or ()) or ("",), tuple(map(_fact, facts)))
    return Case(question.goal_id, question.text, "", None, told, (), ())


def _fact(value: Json) -> Json:
    return tuple(value) if isinstance(value, list) else value
