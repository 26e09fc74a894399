"""What all pages share: page, form, dialog, overlay, text input, settings, and the context of the pages."""
