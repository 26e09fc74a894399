"""Score tables for games with real cards, in plain text: setting them up and entering rounds."""
