"""The bet on the order, one p-value at a time, is the bet on all of them."""

import numpy as np
import pytest

from surefit.theory.means.exchangeability import evidence_of_order, order_p_values
from surefit.theory.means.order_bet import OrderBet


@pytest.mark.parametrize("scores", [np.sin(np.arange(120.0) ** 2), np.arange(120.0)])
def test_one_at_a_time_is_all_at_once(scores):
    bet = OrderBet()
    for p in order_p_values(scores, 3):
        bet.update(p)
    whole = evidence_of_order(scores, 3)
    assert bet.evidence == pytest.approx(whole.e)
    assert bet.highest == pytest.approx(whole.highest)
    assert bet.found == whole.found


def test_numbers_that_are_no_p_values_are_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        OrderBet().update(1.5)
