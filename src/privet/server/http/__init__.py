"""HTTP: the dataset for programs, as JSON and Arrow, and what guards every page of the server.

`app.py` makes the application that the console's pages and the agents' door hang in; `gate.py` stands before
all of them.
"""
