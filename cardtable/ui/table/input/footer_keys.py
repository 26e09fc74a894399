"""Which keys the footer of the table names: those most wanted now, as names with a word each."""

from cardtable.play.seen import Stage
from cardtable.ui.table.model.frame import Frame


def _still(frame: Frame) -> list[tuple[str, str]]:
    if frame.watch is None:
        return []
    return [("pause", "go on"), ("step", "step")] if frame.watch.paused else [("pause", "pause")]


def _open(frame: Frame) -> list[tuple[str, str]]:
    return [("open_hands", "hands")] * bool(frame.others)


def keys_now(frame: Frame) -> list[tuple[str, str]]:
    """The keys for the footer, the most wanted first."""
    back = [("take_back", "take back")] * frame.way_back + [("leave", "leave")]
    if frame.stage is Stage.CURTAIN:
        enter = [("play", "show my hand")] * (frame.called is not None)
        return [*enter, ("sheet", "score"), ("messages", "messages"), ("leave", "leave, all is kept")]
    seen = [*[("last_deal", "last deal")] * bool(frame.scores), ("sheet", "score")]
    if frame.stage is Stage.ROUND_END:
        following = [] if frame.looking else [("play", "next round"), *_still(frame)]
        return [*following, *seen, ("messages", "messages"), *back]
    if frame.stage is Stage.SESSION_END:
        another = [("new", "new deal" if frame.at_home else "another session")]
        another += [("again", "same deal")] * frame.has_same_deal
        back_at_it = [("replay", "replay"), ("session_review", "review")] * frame.recorded
        return [("play", "leave"), *back_at_it, *another, *seen[::-1], ("messages", "messages")]
    see = [("sheet", "score"), ("messages", "messages")]
    if frame.piece.previous_trick(frame.view) is not None:
        see.insert(0, ("previous_trick", "previous"))
    if frame.watch:
        moves = [*_open(frame), ("slower faster", "speed"), ("left right", "seat")]
        return [*_still(frame), *moves, *[("hint", "hint")] * frame.advisable, *see, *back]
    see = [*_open(frame), *see]
    if frame.lingering:
        return [("play", "go on"), *see, ("leave", "leave")]
    if not frame.waiting:
        return [*see, ("leave", "leave")]
    if frame.asking:
        return [("play", frame.decision.commit if frame.decision else "yes"), ("leave", "back")]
    see.insert(0, ("hint", "hint"))
    if frame.in_box and frame.decision:
        decision = frame.decision
        sideways = decision.beside(frame.option, 1) is not None
        option = decision.options[frame.option]
        digits = (("0-9", "digits"),) * option.label.startswith(str(option.number))
        others = decision.keys or digits
        moves = [("left right", decision.choose), *others] if sideways else [("up down", decision.choose)]
        confirms = frame.piece.right_confirms
        to_cards = [("switch" if sideways else "left" if confirms else "right", "cards")] if frame.hand.able else []
        return [*moves, ("play right" if confirms else "play", decision.commit), *to_cards, *see, *back]
    able = [card for card in frame.hand.cards if frame.hand.may(card)]
    if not able:
        return [("play", str(frame.view.legal[0]) if frame.view.legal else "go on"), *see, *back]
    box = [("switch", frame.decision.commit if frame.hand.several else "choices")] if frame.decision else []
    together = [("choose", "choose")] if frame.hand.several else []
    enter = [("play", frame.commits.kind)] if frame.commits else []
    return [("left right", "card"), *together, *enter, *box, *see, *back]
