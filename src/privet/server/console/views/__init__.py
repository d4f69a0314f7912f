"""Views: from answers, prices and ledgers to what a page says. Values and texts only; no markup but charts."""
