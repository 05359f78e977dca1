# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
"""The page: what it says first, a figure and its table for each question, machine and commands at the end."""
from collections import defaultdict
from html import escape

import figures

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --soft: #6667; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #16181c; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
       max-width: 60rem; padding: 1rem; }
svg { width: 100%; height: auto; color: var(--ink); }
figure { margin: 1.5rem 0; break-inside: avoid; } figcaption { font-weight: 600; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.85rem; }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--soft); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
code { overflow-wrap: anywhere; }
@page { size: A4; margin: 15mm; } @media print { body { max-width: none; } details > summary { display: none; } }
"""


def text_of(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "graph" if value else "eager"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1e4 else f"{value:.0f}"
    return str(value)


def table(rows, columns):
    """columns: heading -> key, or a function of a row."""
    out = ["<div class=wide><table><thead><tr>", *(f"<th>{escape(c)}</th>" for c in columns), "</tr></thead><tbody>"]
    for row in rows:
        cells = (key(row) if callable(key) else row.get(key) for key in columns.values())
        out += ["<tr>", *(f"<td>{escape(text_of(c))}</td>" for c in cells), "</tr>"]
    return "".join(out + ["</tbody></table></div>"])


def figure(caption, svg, rows, columns):
    return (f"<figure><figcaption>{escape(caption)}</figcaption>{svg}"
            f"<details><summary>the numbers</summary>{table(rows, columns)}</details></figure>")


def what(row):
    return f"{row['kind']} {row['op']} {row['type']}"


PEERS = {"what": what, "ranks": "ranks", "bytes": "bytes", "mode": "graph", "own, us": "time_us", "rival": "rival",
         "rival, us": "rival_time_us", "ratio": "ratio", "share of peak": "peak_share", "wrong": "wrong"}


def losses(rows):
    lost = sorted((r for r in rows if r["section"] == "peers" and r["ratio"] < 1), key=lambda r: r["ratio"])
    if not lost:
        return "<p>No row is slower than its rival.</p>"
    return table(lost, PEERS)


def peers(rows):
    groups = defaultdict(list)
    for row in rows:
        if row["section"] == "peers":
            groups[row["ranks"], row["kind"], row["graph"], row["rival"]].append(row)
    for (ranks, kind, graph, rival), group in sorted(groups.items()):
        mode = "in a graph" if graph else "eager"
        gpus = "one GPU" if ranks == 1 else f"{ranks} GPUs"
        series = defaultdict(list)
        for row in group:
            series[f"{row['type']} {row['op']}"].append((row["bytes"], row["ratio"]))
        caption = f"{kind}, {gpus}, {mode}: time of {rival} over Rankfold's"
        yield figure(caption, figures.lines(series, caption, "bytes of a rank's piece", "ratio",
                                            (1, "as fast"), ticks=figures.bytes_text), group, PEERS)
        share = defaultdict(list)
        for row in group:
            if row.get("peak_share") is not None:
                share[f"{row['type']} {row['op']}"].append((row["bytes"], row["peak_share"]))
        if share:
            caption = f"{kind}, {gpus}, {mode}: share of the peak measured in the same run"
            level = "read peak" if kind == "reduce" else "copy"
            yield figure(caption, figures.lines(share, caption, "bytes of a rank's piece", "share", (1, level),
                                                ticks=figures.bytes_text), group, PEERS)


LADDER = {"rung": "rung", "elements": "count", "warm, us": "time_us", "share of peak": "peak_share", "gain": "gain",
          "cold, us": "cold_time_us", "share, cold": "cold_peak_share", "wrong": "wrong",
          "the article says": "claim", "what changes": "mends"}


def ladder(rows):
    for kind in ("reduce", "scan"):
        timed = [r for r in rows if r["section"] == "ladder" and r["kind"] == kind and "time_us" in r]
        if timed:
            count = max(r["count"] for r in timed)
            top = [r for r in timed if r["count"] == count]
            caption = f"the climb: {kind} of {count:,} float32"
            yield figure(caption, figures.bars([r["rung"] for r in top], [r["time_us"] for r in top], caption,
                                               "microseconds (logarithmic)",
                                               [f"{r['time_us']:.0f} us, {r['gain']:.2f}x" for r in top]), top, LADDER)
            series = defaultdict(list)
            for row in timed:
                series[row["rung"]].append((row["count"], row["time_us"]))
            caption = f"{kind}: every rung by size, L2 warm"
            yield figure(caption, figures.lines(series, caption, "elements", "microseconds", log_y=True), timed, LADDER)
    errors = [r for r in rows if r["section"] == "ladder" and "relative_error" in r]
    if errors:
        yield ("<figure><figcaption>errors of sums that cancel</figcaption>" + table(
            errors, {"rung": "rung", "elements": "count", "condition": "condition",
                     "relative error": "relative_error"}) + "</figure>")


def page(rows, notes):
    runs = sorted({(r["gpu"], r["date"], r["command"]) for r in rows})
    wrong = sum(r.get("wrong", 0) for r in rows)
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Rankfold, measured</title>",
        '<meta name=viewport content="width=device-width, initial-scale=1">', f"<style>{STYLE}</style></head><body>",
        "<h1>Rankfold, measured</h1>",
        f"<p>{len(rows)} rows; every result was compared in the run that timed it, {wrong} bytes were wrong. "
        "Times are medians, of the slowest rank; a ratio above 1 means that Rankfold is faster.</p>",
        *(f"<p>Note: {escape(n)}</p>" for n in notes),
        "<h2>Where Rankfold is slower</h2>", losses(rows),
        "<h2>Beside its rivals</h2>", *peers(rows),
        "<h2>From naive to fast</h2>", *ladder(rows),
        "<h2>Machine, date, command</h2>",
        "<ul>", *(f"<li>{escape(g)}, {escape(d)}: <code>{escape(c)}</code></li>" for g, d, c in runs), "</ul>",
        "</body></html>"]
    return "\n".join(parts)
