"""Passwords: hashed, with the same work whether there is one or not."""

import hashlib
from typing import Any

import pytest

from privet.errors import InvalidParameter
from privet.server.people.password import Work, fits, new_password

QUICK = Work(16, 8, 1)
GOOD = "correct horse battery staple"


def test_only_the_password_fits_its_hash() -> None:
    kept = new_password(GOOD, QUICK)
    assert GOOD not in kept
    assert kept != new_password(GOOD, QUICK)  # each has a salt of its own
    assert fits(GOOD, kept, QUICK)
    for wrong in ("", GOOD[:-1], f"{GOOD} ", GOOD.upper(), f"{GOOD}\0", "\ud800", GOOD * 100):
        assert not fits(wrong, kept, QUICK)
    assert fits(GOOD.replace(" ", "\u00a0"), kept, QUICK)  # one form of what is typed in several
    assert not fits(GOOD, None, QUICK)


def test_a_hash_is_scrypts() -> None:
    kept = Work(16, 8, 1).hashed("password", b"NaCl".hex())
    assert kept.endswith(hashlib.scrypt(b"password", salt=b"NaCl", n=16, r=8, p=1, dklen=32).hex())
    assert (Work().n * Work().p, Work().r) == (3 << 15, 8)  # what OWASP asks for at least


@pytest.mark.parametrize(
    "weak", ["", "short", "a" * 30, "ababababab", "x" * 257, "\ud800long enough", "long enough\0", None, 5]
)
def test_weak_ones_are_refused(weak: object) -> None:
    with pytest.raises(InvalidParameter) as refused:
        new_password(weak, QUICK)
    assert not isinstance(weak, str) or not weak or weak not in str(refused.value)


def test_the_work_is_the_same_without_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, done = new_password(GOOD, QUICK), []
    plain = hashlib.scrypt

    def counting(text: bytes, **how: Any) -> bytes:  # noqa: ANN401 - as scrypt takes it
        done.append({name: len(said) if isinstance(said, bytes) else said for name, said in how.items()})
        return plain(text, **how)

    monkeypatch.setattr(hashlib, "scrypt", counting)
    for hashed in (kept, None):
        fits("another password", hashed, QUICK)
    assert len(done) == 2
    assert done[0] == done[1]
