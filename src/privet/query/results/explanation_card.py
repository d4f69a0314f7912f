"""explanation_card: what a notebook shows of an explanation: the price as a gauge, a row for each column, the rules."""

from privet.display import Card, Column, Gauge
from privet.loss import Amount
from privet.query.results.explanation import FREE, Explanation
from privet.query.results.explanations import Explanations
from privet.query.results.price_words import amount_words


def explanation_card(explanation: Explanation) -> Card:
    """The same as is printed, with the price drawn beside what is left."""
    price, *meaning = explanation.opening
    gauge = Gauge(0.0, price, asked=share(explanation.price, explanation.remaining))
    return Card(columns=_columns(explanation), lines=(*meaning, *explanation.rules), gauge=gauge)


def batch_cards(batch: Explanations) -> list[Card]:
    """The price of all and what it means, then a card for each statement."""
    first, *more = batch.opening
    cards = [Card(lines=more, gauge=Gauge(0.0, first, asked=share(batch.price, batch.remaining)))]
    for title, each in batch.titled():
        rules = (f"alone it would cost {amount_words(each.price)}", *each.rules) if each.loss.parts else (FREE,)
        cards.append(Card(title, columns=_columns(each) if each.loss.parts else (), lines=rules))
    return cards


def _columns(explanation: Explanation) -> list[Column]:
    return [Column(name, cells) for name, cells in explanation.shown.items()]


def share(price: Amount, remaining: Amount) -> float:
    """The largest share of what is left that a price takes; all of it where nothing is left, or it has no price."""
    pairs = zip(price.parts, remaining.parts, strict=True)
    return max((min(1.0, float(mine / most)) if most else 1.0 for mine, most in pairs if mine), default=0.0)
