import numpy as np
import pytest
from learn_audit import Attack, attacks, audited

from privet.noise.for_tests import seeded_entropy_for_tests

pytestmark = pytest.mark.whole
FITS = 1200  # of each neighbor; bounds are wrong with probability 1e-6


def attack_on(model: str) -> Attack:
    return next(each for each in attacks() if each.model == model)


def test_at_least_six_kinds_of_models_are_attacked() -> None:
    found = list(attacks())
    assert len({each.model for each in found}) >= 12
    for each in found:
        for added in (True, False):
            assert np.isfinite(each.seen(1, added=added)).all()


def test_no_attack_proves_more_than_what_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    entropy = seeded_entropy_for_tests(5)
    monkeypatch.setattr("privet.core.ledger.Entropy", lambda: entropy)
    attack = attack_on("HistogramClassifier")
    assert audited(attack, FITS // 2) <= attack.epsilon


def test_half_of_the_noise_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: the same attack proves that more than ε leaks."""
    entropy = seeded_entropy_for_tests(6)
    monkeypatch.setattr("privet.core.ledger.Entropy", lambda: entropy)
    attack = attack_on("HistogramClassifier")
    assert audited(attack, FITS, halved=True) > attack.epsilon
