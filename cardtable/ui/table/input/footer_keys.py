"""Which keys the footer of the table names: those most wanted now, as names with a word each."""

from cardtable.ui.table.model.sight import Sight, Stage


def _still(sight: Sight) -> list[tuple[str, str]]:
    if sight.watch is None:
        return []
    return [("pause", "go on"), ("step", "step")] if sight.watch.paused else [("pause", "pause")]


def _open(sight: Sight) -> list[tuple[str, str]]:
    return [("open_hands", "hands")] * bool(sight.others)


def keys_now(sight: Sight) -> list[tuple[str, str]]:
    """The keys for the footer, the most wanted first."""
    back = [("take_back", "take back")] * sight.way_back + [("leave", "leave")]
    if sight.stage is Stage.CURTAIN:
        enter = [("play", "show my hand")] * (sight.called is not None)
        return [*enter, ("sheet", "score"), ("messages", "messages"), ("leave", "leave, all is kept")]
    seen = [*[("last_deal", "last deal")] * bool(sight.scores), ("sheet", "score")]
    if sight.stage is Stage.ROUND_END:
        following = [] if sight.looking else [("play", "next round"), *_still(sight)]
        return [*following, *seen, ("messages", "messages"), *back]
    if sight.stage is Stage.SESSION_END:
        anew = [("again", "same deal"), ("new", "new deal")]
        return [("play", "leave"), *seen, *anew, ("replay", "replay"), ("messages", "messages")]
    see = [("sheet", "score"), ("messages", "messages")]
    if sight.piece.last_trick(sight.view) is not None:
        see.insert(0, ("last_trick", "last trick"))
    if sight.watch:
        moves = [*_open(sight), ("slower faster", "speed"), ("left right", "seat")]
        return [*_still(sight), *moves, *[("hint", "hint")] * sight.advisable, *see, *back]
    see = [*_open(sight), *see]
    if sight.lingering:
        return [("play", "go on"), *see]
    if not sight.waiting:
        return [*see, ("leave", "leave")]
    if sight.asking:
        return [("play", "yes"), ("leave", "no")]
    see.insert(0, ("hint", "hint"))
    if sight.in_box and sight.decision:
        decision = sight.decision
        sideways = decision.beside(sight.option, 1) is not None
        digits = (("0-9", "digits"),) * decision.options[sight.option].label[:1].isdigit()
        others = decision.keys or digits
        moves = [("left right", decision.choose), *others] if sideways else [("up down", decision.choose)]
        confirms = sight.piece.right_confirms
        to_cards = [("switch" if sideways else "left" if confirms else "right", "cards")] if sight.hand.able else []
        return [*moves, ("play right" if confirms else "play", decision.commit), *to_cards, *see]
    able = [card for card in sight.hand.cards if sight.hand.may(card)]
    if not able:
        return [("play", str(sight.view.legal[0]) if sight.view.legal else "go on"), *see, *back][:7]
    box = [("switch", sight.decision.commit if sight.hand.several else "choices")] if sight.decision else []
    together = [("choose", "choose")] if sight.hand.several else []
    enter = [("play", str(sight.commits).partition(" ")[0])] if sight.commits else []
    return [("left right", "card"), *together, *enter, *box, *see, *back][:7]
