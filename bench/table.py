"""The figures as text: a line per library, its ratio to ours, the target, and whether it is met."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.cases import Case

Results = dict[str, Any]


@dataclass(frozen=True)
class Claim:
    """Something aimed at: what was measured, the least (or most) it may be, and if it is so."""

    what: str
    got: float
    limit: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.got <= self.limit if self.at_most else self.got >= self.limit

    def __str__(self) -> str:
        sign, word = "≤" if self.at_most else "≥", "met" if self.met else "NOT MET"
        return f"{self.what} {self.got:.4g}, aim {sign} {self.limit:g}: {word}"


def time_of(result: Results, key: str) -> float | None:
    return result.get("predict", {}).get(key.split()[1]) if key != "fit" else result.get("fit")


def claims(case: Case, results: Results) -> Iterator[Claim]:
    """List everything a case aims at, as far as it was measured."""
    ours = results["bosco"]
    aims = [("fit", case.peers), ("predict 2", case.predict)]
    if "onnxruntime" in case.predict:
        aims.append(("predict 1", {"onnxruntime": case.predict["onnxruntime"]}))
    for key, peers in aims:
        mine = time_of(ours, key)
        for peer, aim in peers.items():
            theirs = time_of(results[peer], key)
            if mine and theirs and aim is not None:
                yield Claim(f"{key}: {peer} / bosco", theirs / mine, aim)
    if case.seconds is not None and "fit" in ours:
        yield Claim("fit: seconds", ours["fit"], case.seconds, at_most=True)
    if case.bytes_per_cell is not None and "peak" in ours:
        yield Claim("bytes a cell", ours["peak"] / ours["cells"], case.bytes_per_cell, at_most=True)
    if case.as_accurate and "score" in ours:
        best = max(results[p].get("score", 0.0) for p in case.peers)
        yield Claim("accuracy", ours["score"], round(best, 4))


def seconds(t: float | None) -> str:
    if t is None:
        return ""
    return f"{t:.2f} s" if t >= 1 else f"{t * 1e3:.1f} ms" if t >= 0.01 else f"{t * 1e3:.2f} ms"


def row(*cells: str) -> str:
    widths = (16, 10, 9, 9, 13, 13, 11, 5)
    return "  ".join(
        c.ljust(w) if i == 0 else c.rjust(w)
        for i, (c, w) in enumerate(zip(cells, widths, strict=True))
    )


def heading(machine: Results) -> str:
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
    return f"{machine['processor']}, {machine['threads']} threads; {versions}"


def lines(case: Case, results: Results) -> str:
    """Show a case."""
    out = [
        f"\n{case.name}",
        row(
            "", "fit", "÷ bosco", "score", "predict 1 thr", "predict 2 thr", "peak beyond X", "runs"
        ),
    ]
    ours = results["bosco"].get("fit")
    for library, r in results.items():
        if "error" in r:
            out.append(f"{library:16}  {r['error']}")
            continue
        fit = r.get("fit")
        out.append(
            row(
                library,
                seconds(fit),
                f"{fit / ours:.1f}×" if fit and ours else "",
                f"{r['score']:.4f}" if "score" in r else "",
                seconds(time_of(r, "predict 1")),
                seconds(time_of(r, "predict 2")),
                f"{r['peak'] / 2**20:.0f} MB" if "peak" in r else "",
                str(r.get("runs", "")),
            )
        )
    out += [f"  {claim}" for claim in claims(case, results)]
    return "\n".join(out)


def verdict(cases: list[Case], results: Results) -> str:
    """Count what is met, and name what is not."""
    all_claims = [
        (c.name, x) for c in cases if c.name in results for x in claims(c, results[c.name])
    ]
    missed = [f"  {name}: {x}" for name, x in all_claims if not x.met]
    return "\n".join([f"\n{len(all_claims) - len(missed)} of {len(all_claims)} aims met", *missed])


def growth(series: Results) -> str:
    """Show how the cost grows."""
    out = []
    for axis, curves in series.items():
        out.append(f"\ngrowth with {axis}")
        for name, points in curves.items():
            out.append(f"  {name:10}" + "  ".join(f"{n:,}: {seconds(t)}" for n, t in points))
    return "\n".join(out)
