"""Micro and Macro of an exported run, both policies, from its JSON Lines alone: FILE → cells as JSON."""

import json
import sys
from collections import defaultdict

policies = "errors_as_wrong", "errors_excluded"
kinds = defaultdict(list)
with open(sys.argv[1], encoding="utf-8", newline="\n") as file:  # noqa: PTH123
    for line in file:
        record = json.loads(line)
        kinds[record["record"]].append(record)
questions, verdicts, answers, repeats, cells = (defaultdict(list) for _ in range(5))
for question in kinds["question"]:
    questions[question["goal_id"]].append(question["id"])
for found, kind in ((answers, "answer"), (verdicts, "verdict")):
    for item in kinds[kind]:
        found[item["memory_id"], item["question_id"], item.get("repeat", 0)] = item
for memory, _, repeat in {**answers, **verdicts}:
    repeats[memory].append(repeat)
for memory in kinds["memory"]:
    made_by = memory["compressor"]
    cell = made_by["name"], made_by.get("revision", ""), memory["condition"], str(memory["ratio"])
    for repeat in set(repeats[memory["id"]]) or {0}:
        rows = []  # True right, False wrong, None without a label that counts
        for question in questions[memory["goal_id"]]:
            key = memory["id"], question, repeat
            verdict, answer = verdicts.get(key, {}), answers.get(key, {})
            is_labelled = verdict.get("status") == "judged" and verdict["label"] in ("correct", "incorrect")
            counts = answer.get("status") in ("ok", "truncated") and memory["status"] in ("ok", "truncated")
            rows.append(verdict["label"] == "correct" if is_labelled and counts else None)
        if rows:
            cells[cell].append(rows)
for cell, units in cells.items():
    rows, whole = [row for unit in units for row in unit], [unit for unit in units if None not in unit]
    micro = [(rows.count(True), len(rows)), (rows.count(True), len(rows) - rows.count(None))]
    macro = [(sum(map(all, units)), len(units)), (sum(map(all, units)), len(whole))]
    cells[cell] = {
        name: {policy: n / of if of else None for policy, (n, of) in zip(policies, shares, strict=True)}
        for name, shares in (("micro", micro), ("macro", macro))
    }
print(json.dumps({"|".join(cell): shares for cell, shares in cells.items()}))
