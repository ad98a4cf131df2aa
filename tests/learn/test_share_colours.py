"""Colours of leaves go by shares, so that a rare class is seen where labels are all alike."""

import numpy as np

from dpselect.learn.pages.colours import share_tints


def test_the_share_of_the_second_class_is_the_colour_though_it_never_wins() -> None:
    """From white to the strongest, in the order of the shares."""
    few, some, most = share_tints(np.array([[1, 0], [0.9, 0.1], [0.7, 0.3]]))

    assert "#ffffff" == few
    assert 3 == len({few, some, most})
    assert int(some[5:], 16) > int(most[5:], 16)


def test_several_classes_have_the_colour_of_the_largest_share() -> None:
    """Two leaves of one label differ by its share."""
    one, same, other, alone = *share_tints(np.array([[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0, 0, 1]])), "#ffffff"

    assert 3 == len({one, same, other})
    assert [alone] == share_tints(np.ones((1, 1)))
