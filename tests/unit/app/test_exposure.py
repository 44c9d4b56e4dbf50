from __future__ import annotations

import json

import pytest

from gacc_gui.app.exposure import ExposureSearch, Shown
from gacc_gui.core.records import Context, Goal, Question, Request

SOURCES = {
    "c1": "## Shift log\nThe pump failed at 02:14.\n\n"
    "“Valve K-7” was closed by Ines Okafor; 812 litres of brine left.\n" * 3,
    "c2": "Zwölf Fässer standen im Hof. Die Rechnung über 4.150 € blieb drei Wochen liegen, "
    "sagte Herr Öztürk.\n",
}
CONTEXTS = {name: Context(name, text) for name, text in SOURCES.items()}
GOALS = {
    "g1": Goal("g1", "c1", "Keep who closed which valve, and when."),
    "g1b": Goal("g1b", "c1", "Keep amounts. What was left of the brine?"),
    "g2": Goal("g2", "c2", "Keep what was to be paid."),
}
QUESTIONS = [
    Question("q1", "g1", "Who closed valve K-7?", references=("Ines Okafor",)),
    Question("q2", "g1", "Was it on purpose?", references=("yes",)),
    Question("q3", "g1b", "What was left of the brine?", references=("812 litres", "CANARY-3391")),
    Question(
        "q4", "g2", "How long did the invoice wait?", references=("three weeks", "drei Wochen", "three")
    ),
]
OWN = Shown("c1", "g1", 120)


def exposures(*requests: tuple[str, Shown | None]) -> list[tuple[str, str]]:
    """(question, kind) of what was found in these requests to a compressor."""
    search = ExposureSearch(CONTEXTS, GOALS, QUESTIONS)
    for number, (content, shown) in enumerate(requests):
        search.look_into(Request(f"x{number}", "compressor", content, f"m{number}"), shown)
    return [(found.question_id, found.kind) for found in search.exposures()]


INNOCENT = f"Compress this in 120 tokens.\n\n{SOURCES['c1']}\n\nGoal: {GOALS['g1'].text}"


@pytest.mark.parametrize(
    "content",
    [
        INNOCENT,
        json.dumps({"messages": [{"role": "user", "content": INNOCENT}]}),
        json.dumps({"body": json.dumps({"content": INNOCENT})}),
        json.dumps({"content": INNOCENT}, ensure_ascii=False),
        INNOCENT.upper(),
        INNOCENT.replace("\n", "\r\n  "),
        # in parts: chunks, numbered lines, the middle only
        f"Part 1 of 2: {SOURCES['c1'][:150]}",
        f"Part 2 of 2: {SOURCES['c1'][97:220]}",
        "\n".join(f"{i}| {line}" for i, line in enumerate(SOURCES["c1"].splitlines())),
        "No source at all; is it on purpose or not, yes?",
    ],
)
def test_source_and_goal_are_no_exposure(content: str) -> None:
    assert exposures((content, OWN)) == []


@pytest.mark.parametrize(
    ("addition", "found"),
    [
        ("They ask: Who closed valve K-7?", [("q1", "question")]),
        ("who  closed\nvalve k-7", [("q1", "question")]),
        ("Expected: CANARY-3391.", [("q3", "reference")]),
        ("Expected: ines okafor", [("q1", "reference")]),
        # the question of another goal of the same context is hidden too
        ("What was left of the brine?", [("q3", "question")]),
        # another context's are not this compressor's business
        ("How long did the invoice wait?", []),
        ("Expected: XCANARY-33912", []),
    ],
)
def test_what_is_added_to_source_and_goal_is_found(addition: str, found: list[tuple[str, str]]) -> None:
    assert exposures((f"{INNOCENT}\n{addition}", OWN)) == found
    assert exposures((json.dumps({"content": f"{INNOCENT}\n{addition}"}), OWN)) == found


def test_a_goal_may_hold_the_question_but_only_when_it_was_shown() -> None:
    content = f"{SOURCES['c1']}\n\n{GOALS['g1b'].text}"
    assert exposures((content, Shown("c1", "g1b", 9))) == []
    assert exposures((content, Shown("c1", None, 9))) == [("q3", "question")]


def test_the_context_of_a_request_without_a_memory_is_known_by_its_text() -> None:
    assert exposures((f"{SOURCES['c2']}\n\nHow long did the invoice wait?", None)) == [("q4", "question")]
    assert exposures((f"{SOURCES['c2']}\n\nWho closed valve K-7?", None)) == []
    assert exposures(("Who closed valve K-7?", None)) == [("q1", "question")]


def test_short_words_of_the_prompt_are_no_exposure_where_another_context_gets_them_too() -> None:
    prompt = "Write three sentences of at most {} tokens.\n\n"
    second = (prompt.format(44) + SOURCES["c2"], Shown("c2", "g2", 44))
    assert exposures(second) == [("q4", "reference")]  # nothing to compare with
    first = (prompt.format(120) + SOURCES["c1"], OWN)
    assert exposures(first, second) == []
    leaking = (f"{prompt.format(44)}{SOURCES['c2']} Answer: three weeks", Shown("c2", "g2", 44))
    assert ("q4", "reference") in exposures(first, leaking)


def test_a_long_question_is_an_exposure_even_if_every_context_gets_it() -> None:
    text = "How long did the invoice wait?"
    second = (f"{text}\n\n{SOURCES['c2']}", Shown("c2", "g2", 44))
    assert exposures((f"{text}\n\n{SOURCES['c1']}", OWN), second) == [("q4", "question")]


def test_the_budget_is_no_reference() -> None:
    goals = {"g": Goal("g", "c", "Keep it.")}
    search = ExposureSearch(
        {"c": Context("c", "It was 120 metres long.")},
        goals,
        [Question("q", "g", "How long?", references=("120",))],
    )
    search.look_into(Request("x", "compressor", "At most 120 tokens: It was", "m"), Shown("c", "g", 120))
    assert list(search.exposures()) == []


def test_what_the_compressor_wrote_itself_is_no_exposure() -> None:
    search = ExposureSearch(CONTEXTS, GOALS, QUESTIONS)
    said = "Summary so far: the man was Ines Okafor, and 812 litres stayed behind somewhere."
    search.look_into(Request("x1", "compressor", SOURCES["c1"], "m", extra={"reply": said}), OWN)
    search.look_into(Request("x2", "compressor", f"Shorten this. {said}", "m"), OWN)
    assert list(search.exposures()) == []
    search.look_into(Request("x3", "compressor", f"Shorten this. {said}", "another"), OWN)
    assert {found.request_id for found in search.exposures()} == {"x3"}
