"""The agents' door: an AI agent asks as an analyst does, by the Model Context Protocol, and never sees a row.

May import: every room below, and the desk and the people of the server.
Never touches: other doors, formulas, what an engine says.
"""
