# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the JSON lines that rankfold-bench writes, and refuses what it does not understand, by file and line."""
import json
from dataclasses import dataclass

# What a row of a section must hold, and of which type. Numbers may be null where a figure does not apply.
NUMBER = (int, float)
COMMON = {"section": str, "kind": str, "gpu": str, "date": str, "command": str}
SECTIONS = {
    "peers": {"type": str, "op": str, "ranks": int, "bytes": int, "time_us": NUMBER, "rival": str,
              "rival_time_us": NUMBER, "ratio": NUMBER, "wrong": int, "graph": bool, "transport": str},
    "ladder": {"rung": str, "count": int},
}
LADDER_TIMES = {"bytes": int, "time_us": NUMBER, "cold_time_us": NUMBER, "gain": NUMBER, "wrong": int}
LADDER_ERRORS = {"condition": NUMBER, "relative_error": NUMBER}


class BadRow(Exception):
    """A row that is not what this program reads."""


@dataclass
class Rows:
    rows: list
    notes: list  # what was left out, and why


def check(row):
    """Raises BadRow with the key that is wrong."""
    if not isinstance(row, dict):
        raise BadRow("not an object")
    wanted = dict(COMMON)
    section = row.get("section")
    if section not in SECTIONS:
        raise BadRow(f"section is {section!r}, must be one of {', '.join(SECTIONS)}")
    wanted |= SECTIONS[section]
    if section == "ladder":
        wanted |= LADDER_ERRORS if "relative_error" in row else LADDER_TIMES
    for key, kind in wanted.items():
        if key not in row:
            raise BadRow(f"key {key!r} is missing")
        if not isinstance(row[key], kind) or (isinstance(row[key], bool) and kind is not bool):
            raise BadRow(f"{key} is {row[key]!r}, which is of the wrong type")


def read(paths):
    """All rows of all files. A last line that was cut off by an interrupted write is left out, and told."""
    result = Rows([], [])
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                if number == len(lines):  # no line end behind it
                    result.notes.append(f"{path}:{number}: cut off, left out")
                    continue
                raise BadRow(f"{path}:{number}: not JSON: {error}") from None
            try:
                check(row)
            except BadRow as error:
                raise BadRow(f"{path}:{number}: {error}") from None
            result.rows.append(row)
    return result
