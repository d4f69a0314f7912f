"""The console: pages in a browser for analysts, owners and auditors, as plain forms; a script only saves round trips.

router        every page and form, for the web application
first_run     what is shown before there is a catalog: from a file or database to a running server
guard         cookies, tokens of forms, headers
pages         templates with texts; one language is one file of `texts/`
views/        from answers, prices and ledgers to what a page says; charts/ draws it
routes/       one file for each group of pages

May import: desk, people, settings; query, core, loss, noise, errors, wording.
Never touches: rows, noise of answers, and whatever was not paid for.
"""

from privet.server.console.first_run import FirstRun
from privet.server.console.router import console_router

__all__ = ["FirstRun", "console_router"]
