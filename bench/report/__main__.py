# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
"""python3 bench/report RESULTS.jsonl ... -o report.html [--csv rows.csv]: one page that needs nothing else."""
import argparse
import csv
import os
import sys

import rows


def write(path, text, force):
    """Refuses to write over a file, and never leaves half a one."""
    if os.path.exists(path) and not force:
        sys.exit(f"report: {path} exists; give --force to write over it")
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def write_csv(path, table, force):
    if os.path.exists(path) and not force:
        sys.exit(f"report: {path} exists; give --force to write over it")
    keys = list(dict.fromkeys(key for row in table for key in row))
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, keys)
        out.writeheader()
        out.writerows(table)


def main():
    parser = argparse.ArgumentParser(prog="report", description=__doc__)
    parser.add_argument("results", nargs="+", help="files of JSON lines written by rankfold-bench")
    parser.add_argument("-o", "--output", required=True, help="the page")
    parser.add_argument("--csv", help="all rows as one table")
    parser.add_argument("--force", action="store_true", help="write over files that exist")
    asked = parser.parse_args()
    try:
        found = rows.read(asked.results)
    except (rows.BadRow, OSError) as error:
        sys.exit(f"report: {error}")
    if not found.rows:
        sys.exit("report: no rows in " + ", ".join(asked.results))
    try:
        import page  # needs matplotlib
    except ImportError as error:
        sys.exit(f"report: {error}; the plots need matplotlib (Debian: python3-matplotlib)")
    write(asked.output, page.page(found.rows, found.notes), asked.force)
    if asked.csv:
        write_csv(asked.csv, found.rows, asked.force)


if __name__ == "__main__":
    main()
