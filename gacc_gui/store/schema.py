"""The tables and views of the SQLite file. Owns their text; `migrations` makes them.

Laid out for three readers: the window (a goal's rows are one range of a clustered table), a person in
Datasette (plain names; the views speak in the ids people know), and an export (integer keys and positions
ascend in the order of the file that was imported).
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x47414343
"""“GACC”: how `file(1)` and we tell our databases from others."""

PAGE_SIZE: Final = 8192
"""Measured 2026-11: long texts overflow fewer pages than with 4096; 16384 gains nothing more."""

# Why no foreign key from answers, verdicts and results to questions: a cascade would need an index over
# 300,000 rows a table. A memory and a question of one row always belong to one goal (`writes` checks it),
# so the cascade through the memory reaches every such row.
TABLES: Final[tuple[str, ...]] = (
    """
    CREATE TABLE runs (
        run_key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT,
        imported_name TEXT,
        protocol TEXT,
        created_at TEXT,
        diagnostic_only INTEGER CHECK (diagnostic_only IN (0, 1)),
        tokenizer TEXT,
        reader TEXT,
        judge TEXT,
        top_level TEXT,
        extra TEXT,
        unusual TEXT,
        identity_verified INTEGER NOT NULL DEFAULT 0 CHECK (identity_verified IN (0, 1)),
        answers INTEGER NOT NULL DEFAULT 0,
        next_position INTEGER NOT NULL DEFAULT 0,
        search_ready INTEGER NOT NULL DEFAULT 0 CHECK (search_ready IN (0, 1)),
        search_goal INTEGER NOT NULL DEFAULT 0,
        search_unit INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    """
    CREATE TABLE texts (
        text_key INTEGER PRIMARY KEY,
        sha256 TEXT NOT NULL UNIQUE,
        characters INTEGER NOT NULL,
        text TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE contexts (
        context_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        source_text INTEGER NOT NULL REFERENCES texts,
        title TEXT,
        origin TEXT,
        license TEXT,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    """
    CREATE TABLE goals (
        goal_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        context_key INTEGER NOT NULL REFERENCES contexts ON DELETE CASCADE,
        text TEXT NOT NULL,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    """
    CREATE TABLE questions (
        question_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        goal_key INTEGER NOT NULL REFERENCES goals ON DELETE CASCADE,
        text TEXT NOT NULL,
        reference_answers TEXT,
        evidence TEXT,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    """
    CREATE TABLE cells (
        cell_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        compressor TEXT NOT NULL,
        revision TEXT NOT NULL,
        condition TEXT NOT NULL,
        ratio TEXT NOT NULL,
        ratio_value REAL NOT NULL,
        UNIQUE (run_key, compressor, revision, condition, ratio)
    ) STRICT
    """,
    # A retained text is stored as its end in the proposal (code points), with whether a U+FFFD of a split
    # character follows; as a text of its own only where it is no such prefix.
    """
    CREATE TABLE memories (
        memory_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        goal_key INTEGER NOT NULL REFERENCES goals ON DELETE CASCADE,
        shown_goal_key INTEGER REFERENCES goals ON DELETE CASCADE,
        cell_key INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
        budget INTEGER,
        generation INTEGER NOT NULL,
        proposed_text INTEGER REFERENCES texts,
        retained_end INTEGER,
        retained_splits INTEGER NOT NULL DEFAULT 0 CHECK (retained_splits IN (0, 1)),
        retained_text INTEGER REFERENCES texts,
        has_ledger INTEGER NOT NULL CHECK (has_ledger IN (0, 1)),
        source_tokens INTEGER,
        proposed_tokens INTEGER,
        retained_tokens INTEGER,
        unused_budget INTEGER,
        reencoded_tokens INTEGER,
        padding_tokens INTEGER,
        status TEXT NOT NULL,
        error TEXT,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    """
    CREATE TABLE answers (
        memory_key INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        question_key INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        position INTEGER NOT NULL,
        text TEXT,
        status TEXT NOT NULL,
        error TEXT,
        extra TEXT,
        unusual TEXT,
        PRIMARY KEY (memory_key, question_key, repeat)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE verdicts (
        memory_key INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        question_key INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        position INTEGER NOT NULL,
        label TEXT,
        status TEXT NOT NULL,
        rationale TEXT,
        raw_reply TEXT,
        extra TEXT,
        unusual TEXT,
        PRIMARY KEY (memory_key, question_key, repeat)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE requests (
        request_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        role TEXT NOT NULL,
        memory_key INTEGER REFERENCES memories ON DELETE CASCADE,
        content TEXT NOT NULL,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    # Records whose parent has not arrived; `key` is the JSON list of the ids that name the record.
    """
    CREATE TABLE waiting (
        waiting_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        waits_for TEXT NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (run_key, kind, key)
    ) STRICT
    """,
    # What a row of a question came to: the few combinations that occur. `letter` stands for it in
    # units.outcomes, so that a filter on causes, fates and flags reads the small table only.
    """
    CREATE TABLE outcomes (
        outcome_key INTEGER PRIMARY KEY,
        letter TEXT NOT NULL UNIQUE,
        fate TEXT NOT NULL,
        cause TEXT NOT NULL,
        flags TEXT NOT NULL,
        label TEXT,
        status TEXT NOT NULL,
        answer_status TEXT,
        memory_status TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE results (
        memory_key INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        repeat INTEGER NOT NULL,
        question_key INTEGER NOT NULL,
        outcome_key INTEGER NOT NULL,
        PRIMARY KEY (memory_key, repeat, question_key)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE units (
        unit INTEGER PRIMARY KEY,
        memory_key INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        repeat INTEGER NOT NULL,
        run_key INTEGER NOT NULL,
        cell_key INTEGER NOT NULL,
        context_key INTEGER NOT NULL,
        goal_key INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        budget INTEGER,
        tail_characters INTEGER,
        tail_tokens INTEGER,
        questions INTEGER NOT NULL,
        judged INTEGER NOT NULL,
        correct INTEGER NOT NULL,
        away INTEGER NOT NULL,
        truncation INTEGER NOT NULL,
        compressor INTEGER NOT NULL,
        reader INTEGER NOT NULL,
        judge INTEGER NOT NULL,
        item INTEGER NOT NULL,
        unlocated INTEGER NOT NULL,
        no_verdict INTEGER NOT NULL,
        unsupported INTEGER NOT NULL,
        strip TEXT NOT NULL,
        outcomes TEXT NOT NULL,
        UNIQUE (memory_key, repeat)
    ) STRICT
    """,
)

EVALUATION_TABLES: Final[tuple[str, ...]] = (
    # Evaluations of ours, beside the runs' records, which say what was evaluated.
    """
    CREATE TABLE evaluations (
        run_key INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
        state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'finished')),
        reason TEXT,
        configuration TEXT NOT NULL,
        started_at TEXT NOT NULL,
        changed_at TEXT NOT NULL
    ) STRICT
    """,
    # Written before a call is made, dropped with the commit of what came of it: what is left after a crash
    # are the calls that may have been made for nothing.
    """
    CREATE TABLE calls_under_way (
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        request_id TEXT NOT NULL,
        role TEXT NOT NULL,
        memory_id TEXT NOT NULL,
        question_id TEXT,
        repeat INTEGER,
        started_at TEXT NOT NULL,
        UNIQUE (run_key, request_id)
    ) STRICT
    """,
)
"""Since version 2."""

REVIEW_TABLES: Final[tuple[str, ...]] = (
    # Both are only added to; their keys ascend in the order in which they came.
    """
    CREATE TABLE reviews (
        review_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        memory_key INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        question_key INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        decision TEXT NOT NULL,
        cause TEXT,
        note TEXT,
        tags TEXT,
        reviewer TEXT NOT NULL,
        created_at TEXT NOT NULL,
        blind INTEGER CHECK (blind IN (0, 1)),
        sample TEXT,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    """
    CREATE TABLE probes (
        probe_key INTEGER PRIMARY KEY,
        run_key INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        id TEXT NOT NULL,
        memory_key INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        question_key INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        given TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        answer TEXT,
        answer_status TEXT NOT NULL,
        answer_error TEXT,
        label TEXT,
        verdict_status TEXT,
        rationale TEXT,
        raw_reply TEXT,
        created_at TEXT NOT NULL,
        reader TEXT,
        judge TEXT,
        live INTEGER CHECK (live IN (0, 1)),
        usage TEXT,
        cost REAL,
        seconds REAL,
        requests TEXT,
        extra TEXT,
        unusual TEXT,
        UNIQUE (run_key, id)
    ) STRICT
    """,
    "CREATE INDEX reviews_of_row ON reviews (memory_key, question_key)",
    "CREATE INDEX probes_of_row ON probes (memory_key, question_key)",
)
"""Since version 3."""

INDEXES: Final[tuple[str, ...]] = (
    # What cascades and the walk from context to answers need, and no more.
    "CREATE INDEX goals_of_context ON goals (context_key)",
    "CREATE INDEX questions_of_goal ON questions (goal_key)",
    "CREATE INDEX memories_of_goal ON memories (goal_key)",
    "CREATE INDEX memories_of_shown_goal ON memories (shown_goal_key)",
    "CREATE INDEX memories_of_cell ON memories (cell_key)",
    "CREATE INDEX requests_of_memory ON requests (memory_key)",
    "CREATE INDEX units_of_run ON units (run_key, cell_key)",
    # A text is dropped with its last user.
    "CREATE INDEX contexts_of_text ON contexts (source_text)",
    "CREATE INDEX memories_of_proposed_text ON memories (proposed_text)",
    "CREATE INDEX memories_of_retained_text ON memories (retained_text) WHERE retained_text IS NOT NULL",
)

VIEWS: Final[tuple[str, ...]] = (
    """
    CREATE VIEW goal_results AS
    SELECT runs.id AS run, contexts.id AS context, goals.id AS goal, memories.id AS memory,
           cells.compressor, cells.revision, cells.condition, cells.ratio,
           memories.generation, units.repeat, memories.budget, memories.status AS memory_status,
           units.strip, units.correct, units.questions, units.away, units.judged,
           units.truncation, units.compressor AS compressor_fault, units.reader AS reader_fault,
           units.judge AS judge_fault, units.item AS item_fault, units.unlocated, units.no_verdict,
           units.unsupported, units.tail_characters, units.tail_tokens, goals.text AS goal_text, units.unit
    FROM units
    JOIN memories USING (memory_key)
    JOIN goals ON goals.goal_key = units.goal_key
    JOIN contexts ON contexts.context_key = units.context_key
    JOIN cells ON cells.cell_key = units.cell_key
    JOIN runs ON runs.run_key = units.run_key
    """,
    """
    CREATE VIEW question_results AS
    SELECT runs.id AS run, goals.id AS goal, questions.id AS question, memories.id AS memory,
           cells.compressor, cells.revision, cells.condition, cells.ratio, memories.generation,
           results.repeat, outcomes.fate, outcomes.cause, outcomes.flags, outcomes.label, outcomes.status,
           questions.text AS question_text, questions.reference_answers, answers.text AS answer,
           verdicts.rationale
    FROM results
    JOIN outcomes USING (outcome_key)
    JOIN memories ON memories.memory_key = results.memory_key
    JOIN questions ON questions.question_key = results.question_key
    JOIN goals ON goals.goal_key = memories.goal_key
    JOIN cells ON cells.cell_key = memories.cell_key
    JOIN runs ON runs.run_key = memories.run_key
    LEFT JOIN answers ON answers.memory_key = results.memory_key
        AND answers.question_key = results.question_key AND answers.repeat = results.repeat
    LEFT JOIN verdicts ON verdicts.memory_key = results.memory_key
        AND verdicts.question_key = results.question_key AND verdicts.repeat = results.repeat
    """,
    # SQL's substr stops at a NUL; the retained text is therefore told by its end.
    """
    CREATE VIEW memory_texts AS
    SELECT runs.id AS run, memories.id AS memory, goals.id AS goal, proposals.text AS proposed_text,
           memories.retained_end, memories.retained_splits, retained.text AS retained_text_if_no_prefix
    FROM memories
    JOIN runs USING (run_key)
    JOIN goals ON goals.goal_key = memories.goal_key
    LEFT JOIN texts AS proposals ON proposals.text_key = memories.proposed_text
    LEFT JOIN texts AS retained ON retained.text_key = memories.retained_text
    """,
)
