"""Local privacy: values are privatised on the device, and estimated from the reports of many.

`survey/` asks people with coins.

May import: errors, wording, display, loss, noise, core, mechanisms, postprocessing, asking.
Never touches: network, storage, the rows of others.
"""
