"""Files: the only package that reads and writes the disk (journals, archive index, settings, profiles, clubs,
credits).
"""
