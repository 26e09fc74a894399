"""Program of a worker process that tells how its robots run."""

from cardtable.installation import describe_build


def main():
    print(describe_build())
