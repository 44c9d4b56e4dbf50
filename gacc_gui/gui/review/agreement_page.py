"""How far judge and reviewers agree, and what sampled queues say of the whole run, as tables.

Owns the words and the order. The figures are `app.agreement`, which a worker computes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from gacc_gui.app.agreement import Agreement, ReviewerAgreement, SampleEstimates
from gacc_gui.app.reviewing import absent_warning
from gacc_gui.core.agreement import (
    JUDGE_SAYS,
    KAPPA_METHOD,
    NO_VERDICT,
    REVIEWER_SAYS,
    AgreementFigures,
)
from gacc_gui.core.review_queue import WHOLE
from gacc_gui.core.sample_estimates import METHOD, Estimate
from gacc_gui.core.statistics import Interval
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import counted, joined, share_words
from gacc_gui.gui.overlay import Choice
from gacc_gui.gui.review.queue_bar import kind_words
from gacc_gui.gui.runner.tables import fill, name_columns, plain_table
from gacc_gui.gui.side.section import Remark, Section, remark
from gacc_gui.gui.theme import GRID

NOTHING: Final = "No {0.row} of this run has been reviewed yet. Begin a queue: name yourself, then Review."
WIDEST: Final = 120 * GRID
"""Pixels beyond which names and their figures stand too far apart to be read as a row."""
EVERYBODY: Final = "What counts"
_LONGEST: Final = 2_000
"""Code points of a sentence that names rows."""
_SAMPLE_TITLES: Final = (
    "Queue",
    "Reviewer",
    "Reviewed",
    "Drawn from",
    "Agree",
    "Agree 95 %",
    "κ",
    "{0.micro} as {0.judged}",
    "Corrected {0.micro}",
    "{0.micro} 95 %",
)
_FIGURES: Final = ("Reviewed", "Agree", "κ", "κ 95 %", "Balanced accuracy", "Unclear", "Blind", "Coverage")


class AgreementPage(QScrollArea):
    """Shows the agreement of one run. No signals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("agreementPage")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self._found: Agreement | None = None
        page = QWidget(self)
        page.setBackgroundRole(QPalette.ColorRole.Base)
        page.setAutoFillBackground(True)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self._message = remark(page, NOTHING.format(GOALS))
        self._corrected = remark(page, "", "text")
        self._corrected.setObjectName("correctedMicro")
        self._absent = remark(page)
        self._absent.setObjectName("agreementAbsent")
        self._judge = Section("", page)
        self._figures = plain_table("agreementTable", ("Reviewer", *_FIGURES), page)
        self._judge.body.addWidget(self._figures)
        self._judge.body.addWidget(remark(page, f"{KAPPA_METHOD}."))
        self._matrix = Section("Who says what", page)
        self._whose = Choice(page)
        self._whose.setAccessibleName("Whose decisions")
        # Names come long after the box was first shown.
        self._whose.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._whose.setMaximumWidth(40 * GRID)
        self._matrix.head.addWidget(self._whose)
        self._confusion = plain_table("confusionTable", ("", *REVIEWER_SAYS), page)
        self._matrix.body.addWidget(self._confusion)
        self._between = Section("Reviewer against reviewer", page)
        self._pairs = plain_table(
            "reviewerPairs", ("Reviewers", "Both decided", "Agree", "κ", "κ 95 %"), page
        )
        self._between.body.addWidget(self._pairs)
        self._sampled = Section("", page)
        self._samples = plain_table("sampleTable", _SAMPLE_TITLES, page, words=("Reviewer",))
        self._why = remark(page)
        self._sampled.body.addWidget(self._samples)
        self._sampled.body.addWidget(self._why)
        self._sampled.body.addWidget(remark(page, f"Estimates: {METHOD}."))
        column = QVBoxLayout(page)
        column.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        column.setSpacing(2 * GRID)
        told = (self._message, self._corrected, self._absent)
        for part in (*told, self._judge, self._matrix, self._between, self._sampled):
            part.setMaximumWidth(WIDEST)
            column.addWidget(part)
        column.addStretch(1)
        self.setWidget(page)
        self._whose.currentIndexChanged.connect(self._on_whose)
        self.show_terms(GOALS)
        self.show_agreement(None)

    def show_terms(self, terms: Terms) -> None:
        """Use the words of a benchmark."""
        self._terms = terms
        self.setAccessibleName(f"Agreement of {terms.judge} and reviewers")
        self._judge.show_title(f"The {terms.judge} against each reviewer")
        self._sampled.show_title(f"Sampled queues, weighted back to the {terms.row}s they were drawn from")
        name_columns(self._confusion, (f"{terms.judge.capitalize()} says", *REVIEWER_SAYS))
        name_columns(self._samples, [title.format(terms) for title in _SAMPLE_TITLES])

    @property
    def agreement(self) -> Agreement | None:
        """What is shown."""
        return self._found

    def corrected_words(self) -> str:
        """What is said of the corrected Micro."""
        return self._corrected.text()

    def show_agreement(self, found: Agreement | None, why_none: str | None = None) -> None:
        """Show the figures; None while there are none, and then why."""
        self._message.setText(why_none or NOTHING.format(self._terms))
        self._found = found
        some = found is not None and found.reviewed > 0
        self._message.setVisible(not some)
        _say(self._absent, _absent_words(found))
        for part in (self._corrected, self._judge, self._matrix):
            part.setVisible(some)
        self._between.setVisible(
            some and found is not None and any(pair.figures.rows for pair in found.pairs)
        )
        self._sampled.setVisible(some and found is not None and bool(found.samples))
        if found is None or not some:
            return
        everybody = (*found.reviewers, found.pooled) if len(found.reviewers) > 1 else found.reviewers
        fill(self._figures, [(_name(each), *_row(each)) for each in everybody])
        chosen = max(0, self._whose.currentIndex())
        self._whose.blockSignals(True)
        self._whose.clear()
        self._whose.addItems([cell_text(_name(each), 60) for each in everybody])
        self._whose.setCurrentIndex(min(chosen, len(everybody) - 1))
        self._whose.blockSignals(False)
        self._on_whose()
        fill(
            self._pairs,
            [
                (f"{pair.first} and {pair.second}", f"{pair.figures.rows:,}", *_kappa(pair.figures))
                for pair in found.pairs
                if pair.figures.rows
            ],
        )
        fill(self._samples, [_sample(sample, self._terms) for sample in found.samples])
        _say(
            self._why,
            "\n".join([*_unanswered(found.samples, self._terms), *_reasons(found.samples, self._terms)]),
        )
        self._corrected.setText(_corrected(found, self._terms))

    def _on_whose(self, _index: int = 0) -> None:
        found = self._found
        if found is None:
            return
        everybody = (*found.reviewers, found.pooled)
        place = min(max(0, self._whose.currentIndex()), len(everybody) - 1)
        confusion = everybody[place].figures.confusion
        fill(self._confusion, [_confusion_row(confusion, says, self._terms) for says in JUDGE_SAYS])
        for column in range(1, self._confusion.columnCount()):
            self._confusion.setColumnHidden(column, False)


def _say(label: Remark, sentence: str) -> None:
    label.setText(sentence)
    label.setVisible(bool(sentence))


def _name(each: ReviewerAgreement) -> str:
    return EVERYBODY if each.reviewer is None else each.reviewer


def _share(value: float | None) -> str:
    return "–" if value is None else share_words(value)


def _interval(value: Interval | None) -> str:
    return "–" if value is None else " … ".join(f"{end:.3f}".replace("-", "−") for end in value)


def _kappa(figures: AgreementFigures) -> tuple[str, str, str]:
    kappa = "–" if figures.kappa is None else f"{figures.kappa:.3f}".replace("-", "−")
    return _share(figures.agreement), kappa, _interval(figures.kappa_ci95)


def _row(each: ReviewerAgreement) -> tuple[str, ...]:
    figures = each.figures
    unclear = sum(n for (_, said), n in figures.confusion.items() if said == "unclear")
    return (
        f"{figures.rows:,}",
        *_kappa(figures),
        _share(figures.balanced_accuracy),
        f"{unclear:,}",
        f"{each.blind:,}",
        "–" if each.coverage is None else f"{each.coverage:.2%}",
    )


def _confusion_row(confusion: Mapping[tuple[str, str], int], says: str, terms: Terms) -> tuple[str, ...]:
    words = f"no {terms.verdict}" if says == NO_VERDICT else says
    return words, *(f"{confusion.get((says, said), 0):,}" for said in REVIEWER_SAYS)


def _estimate(found: Estimate | None) -> tuple[str, str]:
    return ("–", "–") if found is None else (_share(found.value), _interval(found.ci95))


def _queue_words(sample: SampleEstimates, terms: Terms) -> str:
    words = kind_words(terms).get(sample.method, (sample.method, ""))[0]
    return joined((words, sample.queue.partition("/")[2]))


def _sample(sample: SampleEstimates, terms: Terms) -> tuple[str, ...]:
    return (
        _queue_words(sample, terms),
        EVERYBODY if sample.reviewer is None else sample.reviewer,
        f"{sample.reviewed:,}/{sample.sampled:,}",
        f"{sample.population:,}",
        *_estimate(sample.agreement),
        "–" if sample.kappa is None else f"{sample.kappa:.3f}".replace("-", "−"),
        _share(sample.micro_as_judged),
        *_estimate(sample.micro),
    )


def _unanswered(samples: Sequence[SampleEstimates], terms: Terms) -> Sequence[str]:
    """Say why a queue over all rows is drawn from fewer than the run has."""
    told = {}
    for sample in samples:
        if sample.method in WHOLE and sample.unanswered:
            of = f"{sample.population + sample.unanswered:,} {terms.row}s"
            rows = f"{sample.unanswered:,} of {of} have no answer"
            told[f"{_queue_words(sample, terms)}: {rows}; the queue is drawn from the others."] = True
    return list(told)


def _reasons(samples: Sequence[SampleEstimates], terms: Terms) -> Sequence[str]:
    told = {}
    for sample in samples:
        reason = sample.reason or sample.micro_reason
        if reason:
            told[f"{_queue_words(sample, terms)}: {reason}."] = True
    return list(told)


def _absent_words(found: Agreement | None) -> str:
    """Name the rows with a decision that the run does not have: a file brought them."""
    warnings = absent_warning(found.absent) if found is not None else []
    return "\n".join(f"{cell_text(words[:1].upper() + words[1:], _LONGEST)}." for words in warnings)


def _corrected(found: Agreement, terms: Terms) -> str:
    reviewed = f"{counted(found.reviewed, terms.row)} of {found.rows:,} reviewed"
    conflicts = f"{found.conflicts:,} in conflict: the latest decision counts" if found.conflicts else ""
    corrected = found.corrected
    if corrected is None or corrected.micro is None:
        return joined((reviewed, conflicts)) + f".\nNo corrected {terms.micro}: {found.corrected_reason}."
    micro = corrected.micro
    return (
        f"{joined((reviewed, conflicts))}.\nCorrected {terms.micro} {share_words(micro.value)}"
        f" (95 %: {_interval(micro.ci95)}), as {terms.judged} {_share(corrected.micro_as_judged)}, of"
        f" {corrected.population + corrected.unanswered:,} {terms.row}s; from {corrected.reviewed:,} reviewed"
        f" {terms.row}s of the queue {_queue_words(corrected, terms)}."
    )
