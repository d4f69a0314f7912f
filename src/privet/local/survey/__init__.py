"""Surveys by randomized response: how to ask, and what the answers tell."""

from privet.local.survey.design import Instruction, SurveyDesign
from privet.local.survey.designs import (
    Crosswise,
    Disguised,
    ForcedResponse,
    MirroredQuestion,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from privet.local.survey.hidden_regression import HiddenRegression
from privet.local.survey.survey_estimate import SurveyEstimate
from privet.local.survey.worksheet import Worksheet

__all__ = [
    "Crosswise",
    "Disguised",
    "ForcedResponse",
    "HiddenRegression",
    "Instruction",
    "MirroredQuestion",
    "SurveyDesign",
    "SurveyEstimate",
    "TwoCoins",
    "UnrelatedQuestion",
    "Warner",
    "Worksheet",
]
