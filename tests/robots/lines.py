"""Recorder of the cards that a rollout plays."""


class RecordingHands(list):
    """Hands that record each card which leaves them."""

    def __init__(self, hands):
        super().__init__(hands)
        self.line = []

    def __setitem__(self, place, hand):
        self.line.append((place, (self[place] ^ hand).bit_length() - 1))
        super().__setitem__(place, hand)
