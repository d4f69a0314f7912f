"""Routes: one file for each group of pages. A route reads a form, asks the desk, and renders a view."""
