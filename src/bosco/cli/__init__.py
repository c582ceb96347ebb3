"""The command line. ``bosco --help`` lists the verbs; each has a file in `verbs`."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run ``bosco`` with the arguments of the process."""
    try:
        try:
            from bosco.cli.app import app
        except ImportError as error:
            raise SystemExit(
                f"bosco: the command line needs {error.name}, which is not installed. "
                f"Hint: pip install {error.name}."
            ) from None
        app()
    except KeyboardInterrupt:  # while all is loaded; then the program says so itself
        sys.stderr.write("bosco: interrupted; nothing was begun\n")
        raise SystemExit(130) from None
