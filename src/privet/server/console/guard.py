"""Guard: what keeps a page safe in a browser: headers, cookies, tokens of forms, and where a form may send somebody."""

import hashlib
import hmac
import re
from urllib.parse import urlsplit

from starlette.requests import Request

from privet.server.settings import Settings

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
SESSION, FORM = "privet", "privet-form"
LOCAL = re.compile(r"/(?:[A-Za-z0-9_.~%&=?+-][A-Za-z0-9_.~%&=?+/-]*)?")
FOREIGN = ("cross-site", "same-site")  # what a browser says of a request that another page made
SECRET = re.compile(r"[0-9a-f]{32,128}")


def is_secure(settings: Settings) -> bool:
    """Whether browsers reach this server by HTTPS alone."""
    return settings.address.startswith("https://")


def cookie_name(name: str, *, secure: bool) -> str:
    """The name of a cookie; with HTTPS one that no other host and no plain page can set."""
    return f"__Host-{name}" if secure else name


def form_token(secret: str) -> str:
    """The token that a form carries: only who has the cookie's secret can have it."""
    return hmac.digest(secret.encode(), b"privet console form", hashlib.sha256).hex()


def is_token(said: object, secret: str) -> bool:
    """Whether a form carries the token of a secret; compared in constant time."""
    return isinstance(said, str) and hmac.compare_digest(said.encode("utf-8", "replace"), form_token(secret).encode())


def is_foreign(request: Request, settings: Settings) -> bool:
    """Whether another site made the browser send this."""
    if request.headers.get("sec-fetch-site") in FOREIGN:
        return True
    origin = request.headers.get("origin")
    if origin is None:
        return False
    try:
        found = urlsplit(origin)
        host = (found.hostname or "").casefold()
    except ValueError:
        return True
    return found.scheme not in ("http", "https") or host not in settings.hosts


def local_path(said: object, *, otherwise: str) -> str:
    r"""A path of this server, or another if it is not plainly one.

    Example:
        >>> local_path("/ask?sql=SELECT+1", otherwise="/"), local_path("//evil.example", otherwise="/")
        ('/ask?sql=SELECT+1', '/')
        >>> [local_path(each, otherwise="/") for each in ("https://evil.example", "/\\evil.example", "/a:b", None)]
        ['/', '/', '/', '/']
    """
    found = said if isinstance(said, str) and len(said) < 2_000 and LOCAL.fullmatch(said) else ""  # noqa: PLR2004 - longer is no path of ours
    return found if found and "//" not in found else otherwise
