"""``python -m bosco.cli`` is ``bosco``."""

from bosco.cli import main

main()
