"""The host of a club: doors for WebSocket, ssh and browsers, accounts, tables and the sessions played at them."""
