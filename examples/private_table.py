"""Private answers from a table in memory, in SQL and step by step.

5,000 invented people work in four cities, and one lives in a fifth. What one of them earns stays hidden; what a city
earns does not.
"""

import math

import pyarrow as pa

import privet

CITIES = ("Basel", "Bern", "Chur", "Genf")
PEOPLE = 5_000


def people() -> pa.Table:
    """The invented people; nobody but their inventor may look at them."""
    return pa.table(
        {
            "id": range(PEOPLE),
            "age": [18 + n * 7919 % 60 for n in range(PEOPLE)],
            "city": ["Zermatt" if n == 77 else CITIES[n * 31 % 4] for n in range(PEOPLE)],
            "salary": [40_000 + 60_000 * abs(math.sin(n)) for n in range(PEOPLE)],
        }
    )


def main() -> None:
    catalog = privet.Catalog.of(
        people(),
        table="people",
        unit="person",
        unit_column="id",
        limit=privet.Guarantee(3, 1e-6),
        columns={"age": {"bounds": [18, 100]}, "city": {}, "salary": {"bounds": [0, 200_000]}},
    )
    with privet.connect(catalog) as session:
        question = "SELECT COUNT(*) AS people, AVG(salary) AS pay FROM people WHERE age >= 50"
        print("Before anything is spent:\n", session.explain(question, epsilon=1), sep="")
        print("\nThe answer:\n", session.sql(question, epsilon=1), sep="")
        by_city = session.table("people").group_by("city").agg(people="COUNT(*)", pay="MEDIAN(salary)").order_by("city")
        print(f"\nStep by step, with cities nobody has listed:\n{by_city.sql}")
        print(by_city.answer(epsilon=2, delta=1e-6))
        print("\nWhat is refused costs nothing:")
        for text in (
            "SELECT id, salary FROM people",
            "SELECT SUM(CAST(city AS INTEGER)) FROM people",
            "DROP TABLE people",
        ):
            try:
                session.sql(text, epsilon=1)
            except privet.PrivetError as refused:
                print(f"  {refused}")
        print("\nAnd one question too many:")
        try:
            session.sql(question, epsilon=1)
        except privet.BudgetExceeded as refused:
            print(f"  {refused}")
        print(f"\n{session.ledger}")


if __name__ == "__main__":
    main()
