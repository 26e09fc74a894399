"""The archive: every session, and the forms in which one goes elsewhere."""
