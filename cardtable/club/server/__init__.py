"""Server of a club: endpoints for WebSocket, ssh and browsers, accounts, tables, and the sessions played at them."""
