"""Without torch nothing here is collected; `tests/learn/test_without_torch.py` says so."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["*.py"]
