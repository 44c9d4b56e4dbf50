"""Seeded slips: how the demonstration's rule parts fail now and then, as models and servers do.

Owns which calls slip, and how. A slip is chosen by SHA-256 of the seed and of the call's own input: it
depends on neither order nor time, so that the same run slips alike. A row that is asked again with another
text keeps its luck (`AskedAgain`): a probe tests the text, and no other chance.
`resources/demo/README.md` tells the slips.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace

from gacc_gui.core.records import LABELS, Answer, Memory, Verdict
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.call_records import Place
from gacc_gui.runner.gacc_protocol import GaccProtocol
from gacc_gui.runner.parts import (
    Compressor,
    CompressorInput,
    CompressorOutput,
    Judge,
    JudgeInput,
    JudgeOutput,
    Reader,
    ReaderInput,
    ReaderOutput,
)
from gacc_gui.runner.plan import PlannedMemory
from gacc_gui.runner.protocol import Calls, Made, Row
from gacc_gui.runner.rules import NOT_IN_MEMORY, ExactJudge, PatternReader, first_group


@dataclass(frozen=True, slots=True)
class Slips:
    """Draws that look like chance and are none."""

    seed: int

    def draw(self, *what: object) -> float:
        """Return a number in [0, 1) that belongs to `what`."""
        text = "\0".join(map(str, (self.seed, *what)))
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") / 2**64


@dataclass(frozen=True, slots=True)
class UnsteadyCompressor:
    """A compressor whose server is out of reach in one call of a hundred."""

    steady: Compressor
    slips: Slips

    @property
    def name(self) -> str:
        """The compressor's name."""
        return self.steady.name

    @property
    def revision(self) -> str:
        """The compressor's revision, and the seed of its slips."""
        return f"{self.steady.revision}, slips {self.slips.seed}"

    def __call__(self, given: CompressorInput) -> CompressorOutput | Awaitable[CompressorOutput]:
        """Return the proposal, or raise as a client does."""
        if self.slips.draw(self.name, given.context, given.goal, given.budget) < 0.01:
            raise ConnectionError("simulated: the compressor's server closed the connection")
        return self.steady(given)


@dataclass(frozen=True, slots=True)
class CarelessReader:
    """Overlooks, misreads, guesses, says nothing, or times out, each now and then."""

    careful: PatternReader
    slips: Slips
    drawn: str | None = None
    """The memory by which slips are drawn; None: by the one that is given."""
    name: str = field(default="careless-patterns", init=False)

    @property
    def revision(self) -> str:
        """The reader's revision, and the seed of its slips."""
        return f"{self.careful.revision}, slips {self.slips.seed}"

    def __call__(self, given: ReaderInput) -> ReaderOutput:
        """Return the careful answer, or a slip."""
        drawn = given.memory if self.drawn is None else self.drawn
        draw = self.slips.draw("reader", drawn, given.question)
        if draw < 0.005:
            raise TimeoutError("simulated: no reply within 30 s")
        if draw < 0.008:
            return ReaderOutput(None, "no_answer", error="simulated: the reply held reasoning and no answer")
        answer = self.careful(given)
        rule = self.careful.rules.get(given.question)
        mistaken = first_group(rule.misread, given.memory) if rule else None
        if answer.text == NOT_IN_MEMORY:
            return ReaderOutput(mistaken) if mistaken and draw > 0.7 else answer
        if draw < 0.02:
            return ReaderOutput(NOT_IN_MEMORY)
        if mistaken and draw < 0.045:
            return ReaderOutput(mistaken)
        return answer

    def slips_on(self, given: ReaderInput) -> bool:
        """Whether it does not do what a careful one does."""
        try:
            return self(given) != self.careful(given)
        except TimeoutError:
            return True


@dataclass(frozen=True, slots=True)
class MoodyJudge:
    """Too strict, too lenient, unclear, or unwilling, each now and then."""

    fair: ExactJudge
    slips: Slips
    drawn: str | None = None
    """The answer by which slips are drawn; None: by the one that is given."""
    name: str = field(default="moody-exact", init=False)

    @property
    def revision(self) -> str:
        """The judge's revision, and the seed of its slips."""
        return f"{self.fair.revision}, slips {self.slips.seed}"

    def __call__(self, given: JudgeInput) -> JudgeOutput:
        """Return the fair verdict, or a slip."""
        verdict = self.fair(given)
        drawn = given.answer if self.drawn is None else self.drawn
        draw = self.slips.draw("judge", given.source, given.question, drawn)
        abstained = NOT_IN_MEMORY in (given.answer, drawn)
        if abstained or verdict.status != "judged":
            return verdict
        if draw < 0.01:
            return JudgeOutput(None, "unparsed", reply="I would say that is mostly what the text tells us.")
        if draw < 0.015:
            return JudgeOutput(None, "refused", reply="I cannot help with grading this answer.")
        if draw < 0.02:
            return JudgeOutput(None, "truncated", reply='{"verdict": "corr')
        if verdict.label == LABELS[0] and draw < 0.045:
            said = "the answer is not worded as the source words it"
            return JudgeOutput(LABELS[1], rationale=said, reply=f"{LABELS[1]}: {said}")
        if verdict.label == LABELS[1] and draw < 0.12:
            said = "close enough to what the source says"
            return JudgeOutput(LABELS[0], rationale=said, reply=f"{LABELS[0]}: {said}")
        return verdict

    def slips_on(self, given: JudgeInput) -> bool:
        """Whether it does not say what a fair one says."""
        return self(given) != self.fair(given)


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The protocol of rows that are asked again: a part that slipped on a row slips alike, else it is steady.

    `rows` has each row's own memory and answer; None where there was none for a part to slip on.
    """

    protocol: GaccProtocol
    careless: CarelessReader
    moody: MoodyJudge
    rows: Mapping[Place, tuple[str | None, str | None]]

    @property
    def codec(self) -> Codec:
        """What tokens are counted with."""
        return self.protocol.codec

    async def make_memory(self, planned: PlannedMemory, calls: Calls) -> Made[Memory]:
        """Make one memory, as ever."""
        return await self.protocol.make_memory(planned, calls)

    async def read(self, row: Row, calls: Calls) -> Made[Answer]:
        """Have a row's question answered."""
        memory, _ = self.rows[row.place]
        part: Reader = self.careless.careful
        if memory is not None and self.careless.slips_on(ReaderInput(memory, row.question.text)):
            part = replace(self.careless, drawn=memory)
        return await replace(self.protocol, reader_part=part).read(row, calls)

    async def judge(self, row: Row, answer: Answer, calls: Calls) -> Made[Verdict]:
        """Judge a finished answer."""
        _, own = self.rows[row.place]
        part: Judge = self.moody.fair
        source, asked = row.planned.context.text, row.question
        if own is not None and self.moody.slips_on(
            JudgeInput(source, asked.text, asked.references or (), own)
        ):
            part = replace(self.moody, drawn=own)
        return await replace(self.protocol, judge_part=part).judge(row, answer, calls)
