"""How a statistic is asked, paid for and given its noise."""
