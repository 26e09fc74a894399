"""Page of the settings, and page of what is wrong in the files."""
