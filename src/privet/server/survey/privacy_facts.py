"""privacy_facts: what a record of processing says of a collection, from its signed description alone."""

from fractions import Fraction

from privet.local.device import Collection
from privet.loss.exact import readable
from privet.server.survey.words import words_of

DAY = 86400


def privacy_facts(facts: Collection, language: str) -> list[tuple[str, str]]:
    """Purpose, minimisation, retention, security, and who sees what: rows of a page, in their order."""
    words = words_of(language)
    known = {
        "epsilon": readable(facts.epsilon),
        "lifetime": readable(Fraction(facts.lifetime)),
        "events": str(facts.events),
        "bytes": str(facts.randomizer.payload_bytes),
        "protocol": facts.randomizer.name,
        "values": _values(facts, words),
        "minimum": f"{facts.minimum_batch:,}",
        "days": str(facts.retention_days),
        "step": "" if facts.live_step is None else str(facts.live_step),
        "grace": str(facts.grace),
        "period": "" if facts.period_seconds is None else readable(Fraction(facts.period_seconds, DAY)),
        "periods": f"{facts.periods:,}",
        "delta": facts.delta,
    }

    def said(name: str) -> str:
        return words[f"gdpr_{name}"].format(**known)

    when = "retention_survey" if facts.period_seconds is None else "retention_periods"
    shown = "recipients_live" if facts.live_step is not None else "recipients_released"
    return [
        (said("controller_name"), facts.controller),
        (said("purpose_name"), facts.purpose),
        (said("basis_name"), said("basis") + " " + facts.consent),
        (said("data_name"), said("data")),
        (said("minimisation_name"), said("minimisation")),
        (said("never_name"), said("never")),
        (said("recipients_name"), said(shown)),
        (said("retention_name"), said(when)),
        (said("security_name"), said("security")),
        (said("rights_name"), said("rights")),
    ]


def _values(facts: Collection, words: dict[str, str]) -> str:
    if facts.survey is not None:
        return f"{words['yes']}, {words['no']}"
    categories = getattr(facts.randomizer, "categories", None)
    if categories is None:
        return "numbers"
    names = [str(name) for name in categories.names[:20]]
    return ", ".join(names) + (", …" if len(categories) > len(names) else "")
