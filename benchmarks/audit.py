"""How fast the audit finds what is broken, beside DP-Auditorium in the same run and DP-Sniper's published figures.

    python benchmarks/audit.py zoo              time to a verdict on every specimen
    python benchmarks/audit.py bounds           lower bounds of ε on every specimen, beside what is to be expected
    python benchmarks/audit.py sniper [RUNS]    bounds at ε = 0.1, from so many runs of each input
    python benchmarks/audit.py auditorium PATH  the same samples to DP-Auditorium, whose source lies at PATH

DP-Auditorium is not among the packages that can be installed: PATH is python/dp_auditorium of a clone of Google's
repository of differential privacy. Tables are printed as Markdown, for docs/audit.md.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from audit_sniper import PUBLISHED, Published
from peers import peer_python
from rich.console import Console

from privet import audit
from privet.audit import zoo
from privet.audit.zoo import Specimen
from privet.loss import Guarantee
from privet.noise import Entropy

ALPHA = 1e-3
SAMPLES = 100_000
SNIPER_RUNS = 4_000_000
SNIPER_ALPHA = 0.1  # theirs: 90 % confidence
TENSORFLOW = ["tensorflow-cpu", "etils", "absl-py", "typing_extensions", "numpy", "scipy"]
FAR = 100.0  # what stands for "no number", which DP-Auditorium's networks cannot read


def main() -> None:
    """The part that was asked for."""
    part, *rest = [*sys.argv[1:], "zoo"]
    if part == "sniper":
        sniper(int(rest[0]) if rest[0].isdigit() else SNIPER_RUNS)
    elif part == "auditorium":
        auditorium(Path(rest[0]), Console(stderr=True))
    elif part == "bounds":
        bounds()
    else:
        verdicts()


def bounds() -> None:
    """The median of three audits, of so many runs that test and a fifth as many that choose the event."""
    print("| specimen | true ε | 10,000 runs | 100,000 | 1,000,000 |\n| --- | --: | --: | --: | --: |")
    for specimen in zoo.SPECIMENS.values():
        cells = ["", "", ""]
        for place, number in enumerate((10_000, 100_000, 1_000_000)):
            if number in specimen.bounds:
                found = [specimen.audit(trials=number * 6 // 5).epsilon for _ in range(3)]
                cells[place] = f"{statistics.median(found):.2f} ({specimen.bounds[number]:.2f})"
        if any(cells):
            true = "∞" if math.isinf(specimen.epsilon) else f"{specimen.epsilon:.3g}"
            print(f"| {specimen.name} | {true} | {' | '.join(cells)} |", flush=True)


def verdicts() -> None:
    """Time to a verdict: of what is broken until it is flagged, of what is right until all runs are done."""
    print("| specimen | verdict | runs of each input | seconds |\n| --- | --- | --: | --: |")
    for specimen in zoo.SPECIMENS.values():
        start = time.perf_counter()
        found = specimen.audit(stop_early=True)
        seconds = time.perf_counter() - start
        said = "flagged" if found.violated else "not flagged"
        wrong = "" if found.violated == specimen.broken else " (WRONG)"
        print(f"| {specimen.name} | {said}{wrong} | {found.trials:,} | {seconds:.2f} |", flush=True)


def sniper(runs: int) -> None:
    """The power of the witness, as it was estimated there and here from runs that did not choose it, and our bound."""
    print("| mechanism | true ε | DP-Sniper's witness | ours | at least | their time | ours |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for row in PUBLISHED:
        start = time.perf_counter()
        power, bound = _witness(row, runs)
        seconds = time.perf_counter() - start
        theirs = f"{row.linear:.3f} / {row.network:.3f}"
        told = (row.name, row.true, theirs, f"{power:.3f}", f"{bound:.3f}", f"{row.seconds} s", f"{seconds:.0f} s")
        print(f"| {' | '.join(told)} |", flush=True)


def _witness(row: Published, runs: int) -> tuple[float, float]:
    """The event's log ratio, as it was seen where it was tested, and the lower bound."""
    found = audit.test(row.run, pair=row.pair, claim="epsilon=0.01", trials=runs, alpha=SNIPER_ALPHA, progress=False)
    likely, rare = found.rates
    return (math.log(likely / rare) if rare else found.epsilon), found.epsilon


def auditorium(source: Path, console: Console) -> None:
    """The same mechanisms, as many samples, and the same chance of an error."""
    chosen = {name: each for name, each in zoo.SPECIMENS.items() if _numeric(each)}
    ours, samples = {}, {}
    for name, specimen in chosen.items():
        start = time.perf_counter()
        found = specimen.audit(trials=SAMPLES, alpha=ALPHA, stop_early=True)
        ours[name] = found.violated, time.perf_counter() - start
        for side, data in enumerate(specimen.pair):
            drawn = np.asarray(specimen.run(data, Entropy(), SAMPLES), dtype=np.float64).reshape(SAMPLES, -1)
            samples[f"{name}/{side}"] = np.nan_to_num(drawn, nan=-FAR, posinf=FAR, neginf=-FAR)
    theirs = _judged(source, samples, chosen, console)
    print("| specimen | Privet | seconds | DP-Auditorium | seconds | faster |\n| --- | --- | --: | --- | --: | --: |")
    for name, (violated, seconds) in ours.items():
        flagged, took = theirs[name]
        words = ["flagged" if each else "not flagged" for each in (violated, flagged)]
        title = chosen[name].name + ("" if chosen[name].broken else " (right)")
        print(f"| {title} | {words[0]} | {seconds:.2f} | {words[1]} | {took:.1f} | {took / seconds:.0f}x |")
    broken = [name for name, each in chosen.items() if each.broken]
    numbers = [sum(told[name][0] for name in broken) for told in (ours, theirs)]
    sums = [sum(each[1] for each in told.values()) for told in (ours, theirs)]
    print(f"\nfound of {len(broken)}: {numbers[0]} and {numbers[1]}; seconds: {sums[0]:.1f} and {sums[1]:.1f}")


def _numeric(specimen: Specimen) -> bool:
    drawn = specimen.run(specimen.pair[0], Entropy(), 4)
    return isinstance(specimen.claim, Guarantee) and isinstance(drawn, np.ndarray) and specimen.densities is None


def _judged(
    source: Path, samples: dict[str, np.ndarray], chosen: dict[str, Specimen], console: Console
) -> dict[str, tuple[bool, float]]:
    """What DP-Auditorium says of the samples, in an environment of its own."""
    python = peer_python("auditorium", TENSORFLOW, console)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/samples.npz", **samples)  # type: ignore[arg-type] # its stubs take words for options
        claims = {name: _claim(each) for name, each in chosen.items()}
        Path(f"{folder}/claims.json").write_text(json.dumps({"alpha": ALPHA, "claims": claims}), encoding="utf-8")
        script = str(Path(__file__).with_name("audit_auditorium.py"))
        environment = {**os.environ, "PYTHONPATH": str(source), "TF_CPP_MIN_LOG_LEVEL": "3"}
        done = subprocess.run(  # noqa: S603 - our own script
            [python, script, folder], capture_output=True, text=True, check=True, env=environment
        )
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {each["name"]: (each["flagged"], each["seconds"]) for each in told}


def _claim(specimen: Specimen) -> tuple[float, float]:
    claim = specimen.claim
    assert isinstance(claim, Guarantee)  # noqa: S101 - `_numeric` chose them
    return float(claim.epsilon), float(claim.delta)


if __name__ == "__main__":
    main()
