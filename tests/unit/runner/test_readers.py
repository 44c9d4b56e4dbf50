"""What the quoting reader answers, from the memory alone."""

from __future__ import annotations

import pytest

from gacc_gui.runner.parts import ReaderInput
from gacc_gui.runner.readers import QuotingReader
from gacc_gui.runner.rules import NOT_IN_MEMORY

MEMORY = (
    "# Silene\nSilene is a genus of plants. It contains 700 species.\n"
    "# Pump\nThe valve was closed at 02:14. The pump was repaired. Silene stood open."
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How does the article “Silene” open?", "Silene is a genus of plants."),
        ('What does "pump" say?', "The valve was closed at 02:14."),
        ("When was the valve closed?", "The valve was closed at 02:14."),
        ("How many species does it contain?", "It contains 700 species."),
        ("Who repairs pumps?", "The pump was repaired."),
        ("Which zebras?", NOT_IN_MEMORY),
        ("How does the article “Zebra” open?", NOT_IN_MEMORY),
        ("", NOT_IN_MEMORY),
    ],
)
def test_it_quotes_the_sentence_that_fits(question: str, answer: str) -> None:
    assert QuotingReader()(ReaderInput(MEMORY, question)).text == answer


@pytest.mark.parametrize("memory", ["", " \n", "#", "# only a heading", "\ufffd"])
def test_memories_that_say_nothing(memory: str) -> None:
    assert QuotingReader()(ReaderInput(memory, "What is only a heading?")).text == NOT_IN_MEMORY
