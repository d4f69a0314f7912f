"""Surveys: a question asked with coins, on a page that flips them, sends only their answer, and shows the result.

`new_survey` makes the collection of a question; `survey_routes` serves its pages, in English and German, without a
script from anywhere else.
"""

from privet.server.survey.new_survey import DESIGNS, classroom, new_survey
from privet.server.survey.pages import survey_routes

__all__ = ["DESIGNS", "classroom", "new_survey", "survey_routes"]
