"""The answer input: two messages, in which only the evidence differs between methods."""

from __future__ import annotations

import json
from dataclasses import replace

from gacc_gui.core.compaction import Case, groups_of
from gacc_gui.runner.compaction.messages import (
    Asked,
    asked_of,
    history_text,
    joined,
    kept_text,
    messages_of,
    serialised,
)
from gacc_gui.runner.prompts import Prompt


def test_two_messages_with_everything_in_its_place(case: Case, prompt: Prompt) -> None:
    system, user = messages_of(prompt, asked_of(case), "THE EVIDENCE")
    assert system == {"role": "system", "content": case.system}
    assert user["role"] == "user"
    parts = [case.task, "THE EVIDENCE", f"Question: {case.question}", '"supporting_facts"']
    places = [user["content"].rindex(part) for part in parts]
    assert places == sorted(places)


def test_only_the_evidence_differs(case: Case, prompt: Prompt) -> None:
    one, two = (messages_of(prompt, asked_of(case), text) for text in ("one", "two"))
    assert one[0] == two[0]
    assert one[1]["content"].replace("\n\none\n\n", "\n\ntwo\n\n", 1) == two[1]["content"]


def test_what_looks_like_a_place_in_a_text_is_text(prompt: Prompt) -> None:
    asked = Asked("{{question}}", "{{evidence}}", "q {{task}}")
    system, user = messages_of(prompt, asked, "{{system}}")
    assert system["content"] == "{{question}}"
    assert "{{evidence}}" in user["content"] and "{{system}}" in user["content"]


def test_an_empty_system_prompt_is_a_message_all_the_same(prompt: Prompt) -> None:
    assert [message["role"] for message in messages_of(prompt, Asked("", "t", "q"), "")] == ["system", "user"]


def test_it_is_counted_as_compact_json_of_what_is_sent(prompt: Prompt) -> None:
    messages = messages_of(prompt, Asked("s", "é \ud83d", "q"), "a\n中")
    text = serialised(messages)
    assert json.loads(text) == [dict(message) for message in messages]
    assert "中" in text and '","' in text and '": "' not in text.split("Reply")[0]
    assert "é \ufffd" in text  # what is no character cannot be sent
    text.encode()


def test_kept_groups_stand_under_their_headings_in_their_order(case: Case) -> None:
    groups = groups_of(case.files, 3)
    text = kept_text(case.files, groups, ["4:3-5", "0:0-2", "4:0-2"])
    files = case.files
    lines = [
        f"# {files[0].title}",
        *map(files[0].sentence_line, range(3)),
        "",
        f"# {files[4].title}",
        *map(files[4].sentence_line, range(6)),
    ]
    assert text.split("\n") == lines
    assert kept_text(files, groups, []) == ""


def test_all_groups_are_the_source_without_its_last_line_ends(case: Case) -> None:
    groups = groups_of(case.files, 3)
    assert kept_text(case.files, groups, [group.id for group in groups]) == case.source.removesuffix("\n")


def test_fusion_tells_kept_groups_and_summary_apart() -> None:
    assert joined("# T\n[0] a", "b") == "# T\n[0] a\n\nSummary of the rest of the evidence:\nb"
    assert joined("", "b") == "b"


def test_a_history_has_every_call_and_result(case: Case) -> None:
    text = history_text(case.trajectory)
    for message in case.trajectory:
        for call in message.get("tool_calls") or ():
            assert f"[call {call['id']}] read_file {call['function']['arguments']}" in text
        if message["role"] == "tool":
            assert f"[result {message['tool_call_id']}]\n{message['content']}" in text
    assert case.task not in text and case.system not in text


def test_nothing_of_gold_is_asked_along(case: Case) -> None:
    other = replace(case, gold=replace(case.gold, answers=("CANARY",), facts=(("CANARY", 0),)))
    assert asked_of(other) == asked_of(case)
