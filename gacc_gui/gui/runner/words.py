"""What the runner's view says about a job: its state in a sentence, counts, costs."""

from __future__ import annotations

from typing import Final

from gacc_gui.gui.runner.jobs import Job
from gacc_gui.gui.runner.progress import RunProgress, duration

STATE_NAMES: Final = {
    "waiting": "Waiting",
    "running": "Running",
    "finished": "Finished",
    "failed": "Could not go on",
    "stopped": "Stopped",
    "lost": "Ended unexpectedly",
}


def job_state(job: Job, progress: RunProgress, now: float) -> tuple[str, str]:
    """Return how a job stands, and the theme's role to say it in."""
    if job.state == "running":
        return _running(job, progress, now), "text"
    if job.state == "waiting":
        return "Waiting for the evaluation before it, or to be started.", "muted"
    if job.state == "finished":
        failed = progress.failed
        if failed:
            return f"Finished; {failed:,} items have no result. Resuming tries them again.", "text"
        return "Finished: every item has a result.", "text"
    reason = sentence(job.reason or progress.stopped or "")
    if job.state == "stopped":
        told = reason if reason and "request" not in reason else ""
        return f"Stopped. {told} What is done is kept; resuming goes on from there.".replace(
            "  ", " "
        ), "text"
    return reason or f"{STATE_NAMES[job.state]}.", "error"


def _running(job: Job, progress: RunProgress, now: float) -> str:
    if progress.stopping is not None or job.stopping:
        return "Stopping: no new call is begun, those in flight may finish."
    if progress.is_paused:
        return "Paused: no new call is begun. Calls in flight finish."
    told = pace(progress, now)
    waits = progress.waits(now)
    if waits:
        wait = max(waits, key=lambda one: one.until)
        left = duration(max(0.0, wait.until - now))
        where = f"{wait.endpoint} " if wait.endpoint else ""
        told.append(f"waits for {where}about {left}: {wait.reason}")
    return " · ".join(["Running", *told]) if told else "Running…"


def pace(progress: RunProgress, now: float) -> list[str]:
    """Return the rate and the time left, as far as they can be told."""
    rate = progress.rate(now)
    if rate is None:
        return []
    per = f"{rate:,.1f} items/s" if rate >= 1 else f"{rate * 60:,.1f} items/min"
    left = progress.seconds_left(now)
    return [per] if left is None else [per, f"about {duration(left)} left"]


def share_done(done: int, planned: int | None) -> str:
    """Return how much is done, in percent; empty where it is not known what is planned."""
    return f"{done * 100 // planned} %" if planned else ""


def shown_count(value: int | None) -> str:
    """Return a count; what is unknown is a question mark, not a nought."""
    return "?" if value is None else f"{value:,}"


def shown_cost(cost: float | None, unpriced: int = 0, currency: str = "") -> str:
    """Return a cost: without a price unknown, and where some calls have none, at least what is known."""
    if cost is None or (unpriced and not cost):
        return "unknown"
    text = f"{cost:,.{2 if cost >= 1 else 4}f} {currency}".rstrip()
    return f"≥ {text}" if unpriced else text


def sentence(text: str) -> str:
    """Return a message as a sentence: a capital first, a stop at the end."""
    text = text.strip()
    if not text:
        return ""
    text = text[:1].upper() + text[1:]
    return text if text[-1] in ".!?…" else f"{text}."
