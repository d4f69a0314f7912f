"""make_app: the web application of a server."""

from fastapi import FastAPI

from privet.server.http.gate import Gate
from privet.server.settings import Settings

PREFIX = "/api/v1"


def make_app(desk: object, people: object, settings: Settings) -> FastAPI:
    """The application with the API under `/api/v1`; pages hang themselves in beside it.

    Args:
        desk: what every door asks through.
        people: accounts and tokens.
        settings: of the server.

    `app.state` has all three, for routes that others hang in with `app.include_router`.
    """
    app = FastAPI(title="Privet", docs_url=None, redoc_url=None, openapi_url=f"{PREFIX}/openapi.json")
    app.state.desk, app.state.people, app.state.settings = desk, people, settings
    app.add_middleware(Gate, settings=settings)

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> dict[str, str]:
        return {"status": "alive"}

    return app
