import ssl
import stat
from pathlib import Path

from privet.server.certificates import localhost_certificate


def test_a_certificate_is_made_once_and_its_key_is_the_owners(tmp_path: Path) -> None:
    certificate, key = localhost_certificate(tmp_path / "tls")
    made = certificate.read_bytes()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    trusting = ssl.create_default_context(cafile=str(certificate))
    assert trusting.cert_store_stats()["x509"] == 1
    assert localhost_certificate(tmp_path / "tls") == (certificate, key)
    assert certificate.read_bytes() == made


def test_a_broken_certificate_is_made_anew(tmp_path: Path) -> None:
    certificate, key = localhost_certificate(tmp_path)
    old = key.read_bytes()
    certificate.write_text("no certificate")
    localhost_certificate(tmp_path)
    assert key.read_bytes() != old
