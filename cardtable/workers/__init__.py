"""The program's other processes: how they are asked, and how they answer."""
