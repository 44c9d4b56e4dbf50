"""What fits, by the count of the complete input each time."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.compaction import Case, EvidenceFile, groups_of
from gacc_gui.formats.hf_tokenizer import HfCodec, load_tokenizer
from gacc_gui.runner.compaction.fitting import Room, chosen, ranked, room_of
from gacc_gui.runner.compaction.messages import Asked, asked_of, kept_text, messages_of, serialised
from gacc_gui.runner.prompts import Prompt, load_prompt
from tests.compaction_tokenizer import small_tokenizer

PROMPT = load_prompt("compaction-answer")
files_of_any_kind = st.lists(
    st.builds(
        EvidenceFile,
        st.just("evidence.txt"),
        st.text(max_size=20),
        st.lists(st.text(max_size=60), min_size=1, max_size=7).map(tuple),
    ),
    min_size=1,
    max_size=4,
)


def _codec() -> HfCodec:
    with TemporaryDirectory() as folder:
        return load_tokenizer(small_tokenizer(Path(folder) / "tokenizer.json"))


CODEC = _codec()


def test_the_room_is_what_the_rest_leaves(case: Case, prompt: Prompt) -> None:
    room = room_of(CODEC, prompt, asked_of(case), 3600, 64)
    empty = CODEC.count(serialised(messages_of(prompt, asked_of(case), "")))
    assert (room.fixed, room.most, room.space) == (empty, 3536, 3536 - empty)
    counts = room.counts(3000)
    assert (counts.ceiling, counts.reserve, counts.fixed, counts.local) == (3600, 64, empty, 3000)
    assert counts.space == room.space and counts.provider is None
    assert room.counts(9000, is_full=True).space is None


@given(st.fractions(0, 1), st.integers(-100, 10**6))
def test_the_share_is_exact(share: Fraction, space: int) -> None:
    room = Room(len, space + 200, 100, 100)
    assert room.space == space
    assert room.share(share) == max(0, floor(share * space))


def test_forty_per_cent_of_2485_is_994() -> None:
    assert Room(len, 2485, 0, 0).share(Fraction(2, 5)) == 994  # 0.4 * 2485 is 994.0000000000001 in floats
    assert Room(len, 29, 0, 0).share(Fraction(1, 29)) == 1


def test_ties_are_broken_by_position(case: Case) -> None:
    groups = groups_of(case.files, 3)
    scores = {group.id: 0.5 for group in groups} | {groups[7].id: 0.9, groups[3].id: 0.1}
    ids = [id for id, _ in ranked(groups, scores)]
    rest = [group.id for group in groups if group.id not in (groups[7].id, groups[3].id)]
    assert ids == [groups[7].id, *rest, groups[3].id]


def test_what_does_not_fit_is_passed_over(case: Case) -> None:
    groups = groups_of(case.files[:1], 3)  # three groups, the last of one sentence
    sizes = [len(kept_text(case.files, groups, [group.id])) for group in groups]
    ranking = tuple((group.id, 1.0) for group in groups)
    both = len(kept_text(case.files, groups, [groups[0].id, groups[2].id]))
    assert chosen(len, case.files, groups, ranking, both) == (groups[0].id, groups[2].id)
    assert chosen(len, case.files, groups, ranking, min(sizes) - 1) == ()
    assert chosen(len, case.files, groups, ranking, 10**6) == tuple(group.id for group in groups)


@settings(max_examples=60, deadline=None)
@given(files_of_any_kind, st.integers(1, 4), st.data())
def test_kept_groups_never_exceed_what_they_may(
    files: list[EvidenceFile], n: int, data: st.DataObject
) -> None:
    groups = groups_of(files, n)
    scores = {group.id: data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])) for group in groups}
    room = room_of(CODEC, PROMPT, Asked("s", "t", "q"), 10_000, 64)
    most = room.fixed + data.draw(st.integers(0, 300))
    ranking = ranked(groups, scores)
    kept = chosen(room.count, files, groups, ranking, most)
    order = [group.id for group in groups]
    assert list(kept) == [id for id in order if id in kept]
    if kept:
        assert room.count(kept_text(files, groups, kept)) <= most
    # Greedy: whatever was passed over did not fit when its turn came.
    there: set[str] = set()
    for id, _ in ranking:
        fits = room.count(kept_text(files, groups, there | {id})) <= most
        assert fits == (id in kept)
        there |= {id} if fits else set()
    assert chosen(room.count, files, groups, ranking, most) == kept
