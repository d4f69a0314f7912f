# pip install privet smartnoise-synth==1.0.8
import pandas as pd
from snsynth import Synthesizer

from privet import audit


def illnesses(rows):
    maker = Synthesizer.create("mwem", epsilon=1.0, iterations=2, mult_weights_iterations=2, q_count=10)
    synthetic = maker.fit_sample(pd.DataFrame({"illness": rows}), categorical_columns=["illness"])
    return "plague" in set(synthetic["illness"])


rows = ["flu", "cold"] * 20
print(audit.test(illnesses, pair=(rows, [*rows[:-1], "plague"]), claim="epsilon=1", trials=1_000))
