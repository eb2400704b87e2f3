from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from confmat.core.keys import Descending, Places

numbers = st.lists(st.floats(allow_nan=False), unique=True, min_size=1).map(
    lambda found: sorted(found, reverse=True)
)


@given(numbers, st.floats())
def test_it_is_the_tuple_of_its_numbers(found: list[float], other: float) -> None:
    keys, names = Descending(np.array(found)), tuple(found)
    assert keys == names == tuple(keys)
    assert names == keys != (*names, 0.0)
    assert hash(keys) == hash(names)
    assert keys[0] == names[0]
    assert keys[-1] == names[-1]
    assert keys[1:] == names[1:]
    assert len(keys) == len(names)
    assert (other in keys) == (other in names)
    assert pickle.loads(pickle.dumps(keys)) == keys


@given(numbers)
def test_each_is_found_where_it_stands(found: list[float]) -> None:
    keys = Descending(np.array(found))
    places = Places(keys)
    assert [places[key] for key in keys] == list(range(len(keys)))
    assert np.float64(found[0]) in places
    assert str(found[0]) not in places
