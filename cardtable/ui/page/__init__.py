"""What all pages share: header, footer, questions, and the room in which they are opened."""
