"""Server of a club, with endpoints for WebSocket, ssh and browsers, accounts, tables and hosted sessions."""
