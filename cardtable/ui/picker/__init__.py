"""The picker, the start page: resumes or begins sessions."""
