from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from typing import Any

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


LOG = (
    "## Night shift\n\n- Priya Raman\n- 61.9 GiB\n- 128\n\nThe disk of node 7 filled up.\nOla Lind\n\n"
    '| who | what |\n| Ida Bo | 40 litres |\n| Ida Bo | 41 litres |\nIt "was\nine" o\'clock, they said.\n'
)
LOG_QUESTIONS = [
    Question(f"l{number}", "g", "What was it?", references=(reference,))
    for number, reference in enumerate(
        ("Priya Raman", "61.9 GiB", "128", "Ola Lind", "40 litres", "41 litres", "Ida Bo", "nine", "table")
    )
]


@pytest.mark.parametrize("escaped", [0, 1, 2])
@pytest.mark.parametrize(
    "shape",
    [
        lambda text: text,
        lambda text: "\n".join(f"{i}| {line}" for i, line in enumerate(text.splitlines(), 1)),
        lambda text: "\n".join(f"[{i}] {line}" for i, line in enumerate(text.splitlines(), 1)),
        lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
        lambda text: textwrap.fill(text, 40, initial_indent="| ", subsequent_indent="| "),
        lambda text: " ".join(text.split()).upper(),
        lambda text: "\n".join(f"Part {i}: {text[i : i + 60]}" for i in range(0, len(text), 60)),
    ],
    ids=["whole", "numbered", "bracketed", "quoted", "wrapped", "folded", "chunked"],
)
def test_a_source_of_short_lines_is_known_in_every_shape(shape: Callable[[str], str], escaped: int) -> None:
    content = "Keep what matters.\n\n" + shape(LOG)
    leaking = f"{content}\nPriya Raman and the table"
    for _ in range(escaped):
        content, leaking = json.dumps({"m": content}), json.dumps({"m": leaking})

    def found(text: str) -> list[str]:
        search = ExposureSearch({"c": Context("c", LOG)}, {"g": Goal("g", "c", "Keep it.")}, LOG_QUESTIONS)
        search.look_into(Request("x", "compressor", text, "m"), Shown("c", "g", 9))
        return [exposure.text for exposure in search.exposures()]

    assert found(content) == []
    assert found(leaking) == ["Priya Raman", "table"]


def test_a_question_made_of_the_source_s_words_is_found_whole() -> None:
    source = "At what hour, roughly, the old permit was signed is not known. For which reason was it signed?"
    text = "At what hour, roughly, the old permit was signed is not known. But by whom?"
    search = ExposureSearch(
        {"c": Context("c", source)}, {"g": Goal("g", "c", "Keep it.")}, [Question("q", "g", text)]
    )
    for content in (text, f"{source}\n{text}", f"{text} {source}", json.dumps(f"{source[:40]} {text}")):
        search.look_into(Request("x", "compressor", content, "m"), Shown("c", "g", 9))
    assert len(list(search.exposures())) == 4


@pytest.mark.parametrize(
    "canary", ["XK-77", "CANARY-REF-93f1", "Zorblax", "蓝鲸七号", "739201", "Who was it then?"]
)
def test_a_canary_is_found_wherever_it_is_glued_and_whoever_gets_it(canary: str) -> None:
    questions = [*QUESTIONS, Question("z", "g1", "And?", references=(canary,))]

    def found(*contents: str) -> list[str]:
        search = ExposureSearch(CONTEXTS, GOALS, questions)
        for content, shown in zip(contents, (OWN, Shown("c2", "g2", 44)), strict=False):
            search.look_into(Request("x", "compressor", content, "m"), shown)
        return [exposure.text for exposure in search.exposures()]

    first, second = (f"Keep names.\nHint: {canary}\n\n{SOURCES[name]}" for name in ("c1", "c2"))
    assert found(first, second) == [canary]
    if not canary.isdecimal():
        assert found(f"{INNOCENT[:90]}{canary}{INNOCENT[90:]}") == [canary]
        assert found(f"{INNOCENT}{canary}") == [canary]


def test_what_stands_in_fields_that_we_do_not_know_was_sent_unless_it_came_back() -> None:
    leak = "Who closed valve K-7?"

    def found(**extra: Any) -> list[tuple[str, str]]:
        search = ExposureSearch(CONTEXTS, GOALS, QUESTIONS)
        search.look_into(Request("x", "compressor", INNOCENT, "m", extra=extra), OWN)
        return [(exposure.field, exposure.text) for exposure in search.exposures()]

    assert found(system=f"{SOURCES['c1']} {leak}") == [("system", leak)]
    assert found(messages=[{"role": "user", "content": ["…", leak.upper()]}]) == [("messages", leak)]
    assert found(system=INNOCENT, reply=leak, attempts=[{"error": leak}], question_id="Ines Okafor") == []


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
        ("Expected: XCANARY-33912", [("q3", "reference")]),
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
