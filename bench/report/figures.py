# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plots as SVG that take their colours from the page: readable light, dark, printed and without colour."""
import io
import re

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "rankfold", "font.size": 10, "font.family": "sans-serif",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
    "figure.figsize": (7.2, 3.8), "figure.constrained_layout.use": True,
    "savefig.transparent": True, "legend.frameon": False,
})
INK = "#123456"  # stands for the colour of the page's text
for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color"):
    matplotlib.rcParams[name] = INK
# Okabe and Ito's colours for those who see colours differently, each with a marker and a dash of its own.
STYLES = [("#0072B2", "o", "-"), ("#D55E00", "s", "--"), ("#009E73", "^", "-."), ("#CC79A7", "D", ":"),
          ("#E69F00", "v", "-"), ("#56B4E9", "P", "--"), ("#8C6D1F", "X", "-."), ("#7F7F7F", "*", ":")]


def svg_of(figure, title):
    """The figure as an <svg> element with a title for screen readers."""
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    plt.close(figure)
    text = out.getvalue().decode()
    text = text[text.index("<svg"):].replace(INK, "currentColor")
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return re.sub(r"(<svg[^>]*>)", rf'\1<title>{title}</title>', text, count=1)


def bytes_text(value, _=None):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:g} {unit}"
        value /= 1024
    return ""


def lines(series, title, xlabel, ylabel, level=None, log_y=False, ticks=None):
    """series: name -> [(x, y)]. level: (value, text) of a line across."""
    figure, axes = plt.subplots()
    for (name, points), (colour, marker, dash) in zip(series.items(), STYLES * 4):
        points = sorted(points)
        axes.plot([x for x, _ in points], [y for _, y in points], dash, color=colour, marker=marker,
                  markersize=5, linewidth=1.6, label=name)
    axes.set_xscale("log", base=2)
    if log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    if level:
        axes.axhline(level[0], color=INK, linewidth=1, linestyle=(0, (1, 1)))
        axes.annotate(level[1], (0.01, level[0]), xycoords=("axes fraction", "data"), va="bottom")
    if ticks:
        axes.xaxis.set_major_formatter(ticks)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
    return svg_of(figure, title)


def bars(names, values, title, xlabel, labels):
    """Horizontal bars on a logarithmic axis, the first on top."""
    figure, axes = plt.subplots(figsize=(7.2, 0.34 * len(names) + 1.0))
    places = range(len(names))
    axes.barh(places, values, color=STYLES[0][0], height=0.7)
    for place, value, label in zip(places, values, labels):
        axes.annotate(label, (value, place), xytext=(4, 0), textcoords="offset points", va="center")
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(right=max(values) * 6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(xlabel)
    return svg_of(figure, title)
