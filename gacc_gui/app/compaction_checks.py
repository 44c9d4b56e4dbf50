"""The checks of a compaction run: that it did what its protocol says, and scores what its answers say.

Owns the list of checks, over the records of a run, wherever these come from: a folder
(`app.compaction_reporting`) or the database (`app.verifying`). What is wrong once is told by one check. Not
here: the rules for a context and an answer (`app.compaction_rules`) and for their requests
(`app.compaction_calls`), what only a folder has (files, hashes), and how a text is looked for in requests
(`app.compaction_exposure`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app import compaction_calls as calls
from gacc_gui.app import compaction_rules as rules
from gacc_gui.app.check_results import Check, Example, Tally
from gacc_gui.app.compaction_calls import CallBook
from gacc_gui.app.compaction_inputs import Asked
from gacc_gui.app.compaction_rules import CheckedCase
from gacc_gui.core.compaction import FULL, FUSION, AnswerResult, EvidenceFile, groups_of
from gacc_gui.core.compaction_aggregate import PlannedRun
from gacc_gui.core.compaction_values import context_from, result_from
from gacc_gui.core.errors import Interrupted
from gacc_gui.core.records import Answer, Context, Memory, Question, Record, Run, Verdict
from gacc_gui.formats.compaction_folder import CompactionRun, aggregate_of, gathered
from gacc_gui.formats.compaction_records import CONTENT as CONTENT_HASH
from gacc_gui.formats.compaction_records import (
    check_protocol,
    mode_fault,
    planned_of,
    protocol_of,
    row_sha256,
    spans_of,
)

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec

Progress = Callable[[int, int | None, str], None]

CONTENT: Final = "content"
CHECKS: Final = (
    "planned",
    "mode",
    CONTENT,
    "sources",
    "inputs",
    "groups",
    "rankings",
    "evidence",
    "ledgers",
    "ceilings",
    "provider_ceilings",
    "retries",
    "statuses",
    "steps",
    "replies",
    "tokenizer_identity",
    "token_counts",
    "fusion_share",
    "answers_read",
    "scores",
    "verdicts",
    "aggregate",
    "gold_exposures",
    "credentials",
)
"""Every check's name, in the order of the report."""
_COUNTED: Final = ("tokenizer_identity", "token_counts", "fusion_share")
_SETTINGS: Final = ("ceiling", "reserve", "fusion_share", "group_sentences", "summary_retries")
_MALFORMED: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(slots=True)
class CompactionAudit:
    """One audit of a run's records. `codec` is its tokenizer; `why` says why, where it is not at hand."""

    records: Sequence[Record]
    codec: Codec | None = None
    why: str = "no tokenizer was given: --tokenizer FILE"
    progress: Progress = field(default=lambda _done, _total, _phase: None)
    cancelled: Callable[[], bool] = field(default=lambda: False)
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in CHECKS})
    run: CompactionRun = field(init=False)
    cases: dict[str, CheckedCase] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)
    calls: CallBook = field(default_factory=CallBook)

    def checks(self) -> tuple[Check, ...]:
        """Run every check. Raises Interrupted where `cancelled()` turns true."""
        try:
            protocol = protocol_of(next(one for one in self.records if isinstance(one, Run)))
            check_protocol(protocol)
            settings = {name: protocol["settings"][name] for name in _SETTINGS}
            planned = planned_of(protocol)
        except _MALFORMED as error:
            reason = f": {error}" if isinstance(error, ValueError) else ""
            for tally in self.tallies.values():
                tally.why = f"the run keeps no protocol that could be checked{reason}"
            return self._outcomes()
        self.run = gathered(self.records)
        self.calls = calls.call_book(self.run.requests)
        self._planned(planned)
        fault = mode_fault(protocol)
        self.tallies["mode"].count(None if fault is None else Example(None, "mode", detail=fault))
        for name in _COUNTED:
            self.tallies[name].why = self.why
        self._identity()
        self._sources(settings)
        for done, memory in enumerate(self.run.memories, 1):
            self._step(done, "contexts")
            self._context(memory, settings)
        self._rows()
        self._aggregate()
        self._exposures()
        self._credentials()
        return self._outcomes()

    def _outcomes(self) -> tuple[Check, ...]:
        nothing = "there is nothing of that kind in the run"
        return tuple(self.tallies[name].outcome(name, nothing) for name in CHECKS)

    def _step(self, done: int, phase: str) -> None:
        if self.cancelled():
            raise Interrupted("the audit was stopped")
        self.progress(done, None, phase)

    def _each(
        self, name: str, place: Example, faults: Callable[..., Iterator[Example]], *given: object
    ) -> None:
        """Count one thing that was checked; the first fault that is found fails it."""
        try:
            failure = next(faults(place, *given), None)
        except _MALFORMED:
            failure = rules.at(place, place.field, detail="it does not have the shape that it should")
        self.tallies[name].count(failure)

    # The run as a whole.

    def _planned(self, planned: PlannedRun) -> None:
        tally = self.tallies["planned"]
        places = Counter((one.goal_id, one.cell.compressor, one.generation) for one in self.run.memories)
        for case in planned.cases:
            for method in planned.methods:
                for generation in range(planned.generations):
                    count = places.pop((case, method, generation), 0)
                    name = f"{case}, {method}, generation {generation}"
                    tally.count(None if count == 1 else Example(None, "contexts", count, 1, detail=name))
        for (case, method, generation), count in places.items():
            tally.fail(
                Example(None, "contexts", count, 0, detail=f"{case}, {method}, {generation}: unplanned")
            )
        given = Counter(
            (one.memory_id, one.question_id, one.repeat) for one in self.records if isinstance(one, Verdict)
        )
        for memory in self.run.memories:
            for repeat in range(planned.repeats):
                count = given.pop((memory.id, memory.goal_id, repeat), 0)
                failure = Example(memory.id, "results", count, 1, question_id=memory.goal_id)
                tally.count(None if count == 1 else failure)
        for (memory_id, question_id, _), count in given.items():
            tally.fail(Example(memory_id, "results", count, 0, question_id=question_id, detail="unplanned"))

    def _identity(self) -> None:
        if self.codec is None:
            return
        declared = str((self.run.run.tokenizer or {}).get("revision", ""))
        same = declared == self.codec.revision
        failure = Example(None, "tokenizer.revision", declared, self.codec.revision)
        self.tallies["tokenizer_identity"].count(None if same else failure)
        if not same:
            self.codec = None
            for name in ("token_counts", "fusion_share"):
                self.tallies[name].why = "the tokenizer that was given is not the run's"

    def _sources(self, settings: Mapping[str, Any]) -> None:
        tasks = {goal.id: goal.text for goal in self.run.goals}
        questions = {question.goal_id: question for question in self.run.questions}
        for context in self.run.contexts:
            place = Example(None, "files", question_id=context.id)
            self._each("sources", place, self._source_faults, context, tasks, questions, settings)

    def _source_faults(
        self,
        place: Example,
        context: Context,
        tasks: Mapping[str, str],
        questions: Mapping[str, Question],
        settings: Mapping[str, Any],
    ) -> Iterator[Example]:
        files = tuple(
            EvidenceFile(one["path"], one["title"], tuple(one["sentences"])) for one in context.extra["files"]
        )
        question = questions[context.id]
        gold = rules.gold_of(question)
        groups = groups_of(files, settings["group_sentences"])
        self.cases[context.id] = CheckedCase(files, groups, context.text, tasks[context.id], question)
        if context.text != "\n".join(file.text for file in files):
            yield rules.at(place, "text", detail="the source is not its evidence files")
        if CONTENT_HASH in context.extra:
            same = row_sha256(question, files) == context.extra[CONTENT_HASH]
            failure = rules.at(place, CONTENT, detail="question, gold or articles are not those of its row")
            self.tallies[CONTENT].count(None if same else failure)
        spans = [(span.get("start"), span.get("end")) for span in question.evidence or ()]
        if spans != list(spans_of(files, gold["supporting_facts"])):
            yield rules.at(place, "evidence", detail="the spans are not those of the supporting facts")

    def _aggregate(self) -> None:
        """Compare each method's EM with what the labels come to, which is what `metrics` counts."""
        try:
            figures = aggregate_of(self.run)
        except _MALFORMED:
            self.tallies["aggregate"].count(Example(None, "results", detail="a result lacks its scores"))
            return
        methods = {memory.id: memory.cell.compressor for memory in self.run.memories}
        right = Counter(
            methods[verdict.memory_id]
            for verdict in self.run.verdicts
            if verdict.status == "judged" and verdict.label == "correct"
        )
        for method in figures.methods:
            em, planned = method.all.scores["em"], method.all.planned
            counted = Fraction(right[method.method], planned) if planned else None
            failure = Example(None, "em", str(em), str(counted), detail=method.method)
            self.tallies["aggregate"].count(None if em == counted else failure)

    def _exposures(self) -> None:
        from gacc_gui.app.compaction_exposure import gold_exposures

        requests = [request for request in self.run.requests if request.role == "compressor"]
        tally = self.tallies["gold_exposures"]
        tally.why = "the run keeps no requests to decision models or summarizers"
        tally.checked = len(requests)
        for failure in gold_exposures(
            self.run, self.cases, requests, lambda done: self._step(done, "requests")
        ):
            tally.fail(failure)

    def _credentials(self) -> None:
        from gacc_gui.formats.redaction import without_credentials

        for record in self.run.records():
            found = without_credentials(record)[1]
            name = str(getattr(record, "id", None) or getattr(record, "memory_id", ""))
            failure = Example(None, name, detail="; ".join(found))
            self.tallies["credentials"].count(failure if found else None)

    # Contexts.

    def _context(self, memory: Memory, settings: Mapping[str, Any]) -> None:
        place = Example(memory.id, "compaction")
        try:
            case, sent = self.cases[memory.goal_id], context_from(memory.extra["compaction"])
        except _MALFORMED:
            failure = rules.at(place, "compaction", detail="it does not say what was sent")
            self.tallies["inputs"].count(failure)
            return
        evidence = memory.retained_text or ""
        self._each("statuses", place, calls.status_faults, memory, sent)
        asked = self.calls.compressor.get(memory.id, ())
        who = Asked(self.run.protocol["parts"], self.codec)
        self._each("steps", place, calls.step_faults, case, memory, sent, asked, who)
        if memory.status not in ("ok", "truncated"):
            return
        self._each("inputs", place, rules.input_faults, case, sent, evidence, self.systems)
        self._each("groups", place, rules.groups_faults, case, sent)
        self._each("rankings", place, rules.rankings_faults, case, sent)
        self._each("evidence", place, rules.evidence_faults, case, sent, evidence)
        self._each("ledgers", place, rules.ledgers_faults, memory, sent)
        self._each("ceilings", place, rules.ceilings_faults, sent, settings)
        self._each("retries", place, rules.retries_faults, sent, settings)
        if self.codec is not None:
            self._each("token_counts", place, rules.token_counts_faults, self.codec, memory, case, sent)
            if sent.method == FUSION:
                self._each(
                    "fusion_share", place, rules.fusion_share_faults, self.codec, case, sent, memory, settings
                )

    # Answers.

    def _rows(self) -> None:
        texts = {(one.memory_id, one.question_id, one.repeat): one for one in self.run.answers}
        memories = {memory.id: memory for memory in self.run.memories}
        ceiling = self.run.protocol["settings"]["ceiling"]
        for verdict in self.run.verdicts:
            place = Example(verdict.memory_id, "result", question_id=verdict.question_id)
            try:
                result = result_from(verdict.extra)
                case = self.cases[verdict.question_id]
                memory = memories[verdict.memory_id]
            except _MALFORMED:
                failure = rules.at(place, "scores", detail="it does not say what it came to")
                self.tallies["scores"].count(failure)
                continue
            self._each("scores", place, rules.scores_faults, case, result)
            self._each("verdicts", place, rules.verdict_faults, verdict, result)
            answer = texts.get((verdict.memory_id, verdict.question_id, verdict.repeat))
            most = None if memory.cell.compressor == FULL else ceiling
            self._each("statuses", place, calls.result_faults, memory, answer, result, most)
            if answer is not None and answer.text is not None:
                self._each("answers_read", place, rules.reading_faults, answer.text, result)
            if result.provider_input_tokens is not None:
                self._each("provider_ceilings", place, rules.provider_faults, result, most)
            if answer is not None:
                self._reply(place, memory, answer, result)
        for memory_id, question_id, _ in self.calls.reader.keys() - texts.keys():
            failure = Example(memory_id, "requests", question_id=question_id, detail="it is of no answer")
            self.tallies["replies"].count(failure)

    def _reply(self, place: Example, memory: Memory, answer: Answer, result: AnswerResult) -> None:
        try:
            sent = context_from(memory.extra["compaction"])
        except _MALFORMED:
            return  # told where contexts are looked at
        asked = self.calls.reader.get((answer.memory_id, answer.question_id, answer.repeat), ())
        self._each("replies", place, calls.reader_faults, sent, answer, result, asked)
