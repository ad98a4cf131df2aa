"""A certificate for servers over TLS on this machine, made when a test needs it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certified(folder: Path) -> tuple[Path, Path]:
    """Write a certificate that signs itself, for this machine and an hour, and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(minutes=5)).not_valid_after(now + timedelta(hours=1))
    signed = made.add_extension(names, critical=False).sign(key, hashes.SHA256())
    encoding = serialization.Encoding.PEM
    secret = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "certificate.pem").write_bytes(signed.public_bytes(encoding))
    (folder / "certificate.key").write_bytes(secret)
    return folder / "certificate.pem", folder / "certificate.key"
