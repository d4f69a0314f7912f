"""Window frames as SQL, which all engines write alike."""

from privet.query.plan.window_frame import Frame


def print_frame(frame: Frame) -> str:
    """The frame of a window.

    Example:
        >>> print_frame(Frame(-2, 0)), print_frame(Frame(None, 1))
        ('ROWS BETWEEN 2 PRECEDING AND CURRENT ROW', 'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING')
    """
    first = "UNBOUNDED PRECEDING" if frame.first is None else _row(frame.first)
    last = "UNBOUNDED FOLLOWING" if frame.last is None else _row(frame.last)
    return f"ROWS BETWEEN {first} AND {last}"


def _row(place: int) -> str:
    return "CURRENT ROW" if place == 0 else f"{abs(place):d} {'PRECEDING' if place < 0 else 'FOLLOWING'}"
