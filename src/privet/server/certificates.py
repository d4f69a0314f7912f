"""Certificates: one for localhost, signed by itself, for a server that is tried out."""

import datetime as dt
import ipaddress
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from privet.errors import InvalidParameter

DAYS = 90
RENEWED = 15  # days before its end
FILES = ("localhost.pem", "localhost.key")
NAMES = ("localhost", "127.0.0.1", "::1")


def localhost_certificate(folder: Path) -> tuple[Path, Path]:
    """The files of a certificate for localhost and of its key; made where there is none that lasts.

    Args:
        folder: where they are kept. The key can be read by its owner alone.
    """
    certificate, key = (folder / name for name in FILES)
    if not (key.exists() and _lasts(certificate)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(certificate, key)
        except OSError as problem:
            raise InvalidParameter(f"{folder} cannot hold a certificate ({problem.strerror}): name two files") from None
    return certificate, key


def _lasts(certificate: Path) -> bool:
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError):
        return False
    return found.not_valid_after_utc > dt.datetime.now(dt.UTC) + dt.timedelta(days=RENEWED)


def _write(certificate: Path, key: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    now = dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Privet on this machine")])
    names = [x509.DNSName(NAMES[0]), *(x509.IPAddress(ipaddress.ip_address(each)) for each in NAMES[1:])]
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key.unlink(missing_ok=True)
    with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
