"""`python -m tests.bench [NAME …]`: run the benchmarks, each in a process of its own, and print a line a figure.

Run by hand on a quiet machine; every figure is a ratio against a peer in the same run, or a count.
"""

import importlib
import subprocess
import sys

NAMES = ("calls", "cancelled", "slash", "turn", "tasks", "cards", "outbox", "start", "imports")


def main() -> int:
    """Exit status 1 when a figure is short."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        figures = importlib.import_module(f"tests.bench.{sys.argv[2]}").run()
        print("\n".join(figure.line() for figure in figures), flush=True)
        return 0 if all(figure.ok for figure in figures) else 1
    names = sys.argv[1:] or NAMES
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    runs = [
        subprocess.run([sys.executable, "-m", "tests.bench", "--one", name], check=False) for name in names
    ]
    return max(run.returncode for run in runs)


if __name__ == "__main__":
    sys.exit(main())
