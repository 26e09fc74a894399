"""Private parts of Textual that the program uses, which any version of Textual may change.

Of ``XTermParser`` they are ``feed``, ``parse_mouse_code`` and ``_sequence_to_key_events``, of ``ByteStream`` ``feed``.
"""

from textual._xterm_parser import XTermParser
from textual.drivers._byte_stream import ByteStream

__all__ = ["ByteStream", "XTermParser"]
