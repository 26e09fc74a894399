"""Shared parts of all pages: page, form, dialog, overlay, text input, settings, and the context of the pages."""
