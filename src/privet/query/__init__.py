"""SQL and dataframes: private answers from tables.

The front doors are here; below them are layers, and imports point down (`tests/test_architecture.py`):

remote        how questions and answers travel to a server and back
results       what a reader is given
answering     a quote is charged and run
drafting      the first draft of a catalog
second_price  the same price again, from the engine's SQL
backends      the engines
pricing       mechanisms, and one composed price
printing      plans and requests as SQL
sql           what a statement means, and whether it is allowed: the analyst's door to the parser
aggregates    COUNT, SUM, AVG and their kin, one rule each
options       what may be said besides the question
measures      which whole numbers are added up, and what is read off them
catalog       the public facts
plan          typed nodes of a statement
functions     the scalars of a query, one rule each
scalars       facts, dates, expressions

Of each layer, the docstring says what it may import: layers of `query/` first, then rooms.

May import: errors, wording, display, loss, noise, core, mechanisms, postprocessing, asking.
Never touches: drawing noise.
"""
