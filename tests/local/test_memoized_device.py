import json

import pytest

from privet.errors import InvalidParameter
from privet.local import ChainedEncoding, ChainedResponse, KaryResponse, MemoizedDevice
from privet.noise import BitSource

Chain = type[ChainedEncoding] | type[ChainedResponse]


@pytest.mark.parametrize("chain", [ChainedResponse, ChainedEncoding])
def test_reports_never_cost_more_than_the_lifetime(chain: Chain, source: BitSource) -> None:
    protocol = chain(5, 1, lifetime=4)
    prices = [protocol.epsilon_after(n) for n in (1, 2, 5, 20, 60, 64, 65, 10**6)]
    assert prices == sorted(prices)
    assert prices[-1] == protocol.lifetime <= 4
    device = MemoizedDevice(protocol, entropy=source)
    for _ in range(100):
        device.report(2)
    assert device.spent == protocol.lifetime
    device.report(3)
    assert device.spent == pytest.approx(protocol.lifetime + protocol.epsilon)


def test_a_device_keeps_its_first_answer(source: BitSource) -> None:
    """The second round changes one report in 20,000: of 100 reports more than five differ once in 10^11."""
    protocol = ChainedResponse(2, "0.9999", lifetime=1)
    device = MemoizedDevice(protocol, entropy=source)
    said = sum(report == b"\x01" for report in (device.report(1) for _ in range(100)))
    assert min(said, 100 - said) <= 5
    fresh = protocol.privatize([1] * 100, entropy=source)
    assert 5 < fresh.sum() < 95  # the control: answers that are not kept


@pytest.mark.parametrize("chain", [ChainedResponse, ChainedEncoding])
def test_a_device_that_was_switched_off_keeps_its_answers(chain: Chain, source: BitSource) -> None:
    device = MemoizedDevice(chain(5, 1, lifetime=4), entropy=source)
    for value in (2, 2, 3):
        device.report(value)
    again = MemoizedDevice.from_json(device.to_json(), entropy=source)
    again.report(2)
    kept = [[each["kept"] for each in json.loads(one.to_json())["told"]] for one in (device, again)]
    assert kept[0] == kept[1]
    assert again.spent == pytest.approx(again.protocol.epsilon_after(3) + again.protocol.epsilon)
    facts = json.loads(device.to_json())
    for change in ({"value": 5}, {"kept": "zz"}, {"kept": "ff" * 9}, {"sent": 0}):
        text = json.dumps({**facts, "told": [{**facts["told"][0], **change}]})
        with pytest.raises(InvalidParameter, match="JSON of a memoized device"):
            MemoizedDevice.from_json(text)


def test_protocols_without_answers_to_keep_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="answers to keep"):
        MemoizedDevice(KaryResponse(4, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [[1], 4, None])
@pytest.mark.parametrize("chain", [ChainedResponse, ChainedEncoding])
def test_refuses_values_that_are_none(chain: Chain, value: object) -> None:
    device = MemoizedDevice(chain(4, 1, lifetime=2))
    with pytest.raises(InvalidParameter):
        device.report(value)
    assert device.spent == 0
