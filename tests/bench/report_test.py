# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
"""The page that bench/report makes of rows that are known, parsed again."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

REPORT = sys.argv.pop(1)


def peers_row(**changed):
    row = {"section": "peers", "kind": "reduce", "type": "float32", "op": "sum", "accuracy": "plain", "ranks": 1,
           "bytes": 1024, "time_us": 2.0, "rival": "cub", "rival_time_us": 3.0, "ratio": 1.5, "peak_share": 0.5,
           "wrong": 0, "graph": False, "gpu": "a GPU", "transport": "self", "date": "2026-01-31",
           "command": "rankfold-bench peers reduce"}
    return row | changed


def ladder_row(rung, **changed):
    row = {"section": "ladder", "kind": "scan", "rung": rung, "count": 4096, "bytes": 16384, "time_us": 5.0,
           "peak_share": 0.25, "gain": 1.0, "cold_time_us": 6.0, "cold_peak_share": 0.2, "wrong": 0, "mends": "",
           "claim": "", "gpu": "a GPU", "date": "2026-01-31", "command": "rankfold-bench ladder scan"}
    return row | changed


class Page(HTMLParser):
    """Counts elements, and keeps the text of table cells and captions."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.cells, self.captions = {}, [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)
        if self.open and self.open[-1] == "figcaption":
            self.captions.append(data)


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def results(self, rows, end="\n"):
        with open(self.path("rows.jsonl"), "w", encoding="utf-8") as file:
            file.write("\n".join(json.dumps(row) for row in rows) + end)
        return self.path("rows.jsonl")

    def run_report(self, *arguments):
        return subprocess.run([sys.executable, "-B", REPORT, *arguments], capture_output=True, text=True)

    def page_of(self, rows, end="\n"):
        done = self.run_report(self.results(rows, end), "-o", self.path("page.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("page.html"), encoding="utf-8") as file:
            return Page(file.read())

    def test_every_kind_of_run_has_its_figures_and_numbers(self):
        page = self.page_of([peers_row(), peers_row(bytes=4096, time_us=77.25), ladder_row("blelloch"),
                             ladder_row("lookback", time_us=3.0, gain=1.67)])

        self.assertEqual(page.captions, ["reduce, one GPU, eager: time of cub over Rankfold's",
                                         "reduce, one GPU, eager: share of the peak measured in the same run",
                                         "the climb: scan of 4,096 float32",
                                         "scan: every rung by size, L2 warm"])
        self.assertEqual(page.counts["svg"], 4)
        self.assertIn("77.2", page.cells)
        self.assertIn("lookback", page.cells)

    def test_rows_that_are_slower_come_first(self):
        page = self.page_of([peers_row(), peers_row(bytes=4096, ratio=0.9), peers_row(bytes=8192, ratio=0.5)])

        columns = 10
        self.assertEqual([page.cells[2], page.cells[2 + columns]], ["8192", "4096"])

    def test_errors_of_sums_have_a_table(self):
        row = {key: ladder_row("kahan")[key] for key in ("section", "rung", "count", "gpu", "date", "command")}
        page = self.page_of([row | {"kind": "reduce", "condition": 1e7, "relative_error": 1e-3}])

        self.assertIn("kahan", page.cells)
        self.assertIn("0.001", page.cells)

    def test_a_last_line_that_was_cut_off_is_left_out(self):
        done = self.run_report(self.results([peers_row()], '\n{"section":"pee'), "-o", self.path("page.html"))

        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertIn("rows.jsonl:2: cut off, left out", file.read())

    def test_bad_rows_are_refused_by_file_and_line(self):
        for row, complaint in [(peers_row(section="else"), "section is 'else'"), (peers_row(ratio="1"), "ratio is '1'"),
                               ({"section": "peers"}, "'kind' is missing"), ([1], "not an object")]:
            with self.subTest(complaint):
                done = self.run_report(self.results([peers_row(), row]), "-o", self.path("page.html"))

                self.assertEqual(done.returncode, 1)
                self.assertIn("rows.jsonl:2: ", done.stderr)
                self.assertIn(complaint, done.stderr)
                self.assertFalse(os.path.exists(self.path("page.html")))

    def test_files_that_exist_are_kept(self):
        results = self.results([peers_row()])
        with open(self.path("page.html"), "w", encoding="utf-8") as file:
            file.write("old")

        done = self.run_report(results, "-o", self.path("page.html"))

        self.assertEqual(done.returncode, 1)
        self.assertIn("--force", done.stderr)
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_all_rows_go_into_one_table(self):
        done = self.run_report(self.results([peers_row(), ladder_row("atomic")]), "-o", self.path("page.html"), "--csv",
                               self.path("rows.csv"))

        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("rows.csv"), newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([row["rung"] for row in table], ["", "atomic"])
        self.assertEqual(table[0]["ratio"], "1.5")


unittest.main()
