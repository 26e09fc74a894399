"""The cards that a rollout plays, read off the hands it plays from."""


class Hands(list):
    """Hands that note each card which leaves them."""

    def __init__(self, hands):
        super().__init__(hands)
        self.line = []

    def __setitem__(self, place, hand):
        self.line.append((place, (self[place] ^ hand).bit_length() - 1))
        super().__setitem__(place, hand)
