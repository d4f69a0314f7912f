"""signed_in: who asks, by the token in the Authorization header, and whether the token is good for it."""

from typing import Annotated

from anyio import to_thread
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from privet.errors import InvalidParameter, SignInNeeded
from privet.server.desk import Asker
from privet.server.people import People, TokenScope

UNKNOWN = (
    "say who asks with a token that is good: Authorization: Bearer privet_…; the owner or `privet token new` makes one"
)
IN_ADDRESSES = {"token", "access_token", "api_key", "apikey", "key", "password", "authorization", "secret"}
BEARER = HTTPBearer(auto_error=False, description="A token that `privet token new` has printed.")


class SignedIn:
    """Lets in whoever has a token with a scope.

    Args:
        scope: that the token must have, or one that includes it.

    Privacy: a token is looked up by its number and compared as a hash; unknown, expired and revoked ones are
        told alike. In an address it is refused even if it is good, for addresses are kept in logs and histories.
    """

    def __init__(self, scope: TokenScope) -> None:
        self.scope = scope

    async def __call__(
        self, request: Request, shown: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]
    ) -> Asker:
        """Who asks."""
        if any(name.casefold() in IN_ADDRESSES for name in request.query_params):
            raise InvalidParameter(
                "a secret in an address is written into logs: send it as a header, and make a new one"
            )
        people: People = request.app.state.people
        found = None
        if shown is not None and len(request.headers.getlist("authorization")) == 1:
            found = await to_thread.run_sync(people.by_token, shown.credentials)
        if found is None:
            raise SignInNeeded(UNKNOWN)
        asker = Asker(found[0], found[1], "http")
        asker.refuse_without(self.scope)
        return asker


Reader = Annotated[Asker, Depends(SignedIn(TokenScope.READ))]
Questioner = Annotated[Asker, Depends(SignedIn(TokenScope.ASK))]
Auditor = Annotated[Asker, Depends(SignedIn(TokenScope.AUDIT))]
Owner = Annotated[Asker, Depends(SignedIn(TokenScope.OWN))]
