"""The picker, the first page of the program, where sessions are resumed or begun."""
