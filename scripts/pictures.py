#!/usr/bin/env python3
"""Makes the pictures of docs/guide anew: scripts/pictures.py [PROGRAM]"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/guide/pictures"
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/halma"
SOLUTION = ROOT / "tests/solutions/p2-triangle-4-6move.toml"
JOB = ROOT / "configs/transfer-triangle-4-6move.toml"


def halma(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert done.returncode in (0, 10, 20), (args, done.returncode)
    return done.stdout


PICTURES.mkdir(parents=True, exist_ok=True)
for name, at in ("start", 0), ("ladder", 13):
    halma("replay", SOLUTION, "--svg", "--at", at, "--output", PICTURES / f"{name}.svg")

# The plot of a page as a file of its own: its style goes with it, and so does the legend, as colours of the text.
with tempfile.TemporaryDirectory() as folder:
    halma("compare", JOB, "--max-length", 26, "--prunings", "leading,narrowed", "--quiet", "--output-dir", folder)
    page = halma("report", folder)
style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
figure = next(f for f in re.findall(r'<figure class="plot">(.*?)</figure>', page, re.S) if "Level sizes" in f)
plot = re.search(r"<svg .*?</svg>", figure, re.S).group(0)
names = re.findall(r"</svg>([^<]+)</li>", figure)
keys = "".join(f'<g class="line s{i}"><text x="120" y="{40 + 18 * i}" style="fill: var(--c); text-anchor: start">{name}</text></g>'
               for i, name in enumerate(names))
plot = plot.replace("<svg ", f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" class="plot" ', 1)
plot = plot.replace("<desc>", f"<style>{style}</style><desc>", 1).replace("</svg>", keys + "</svg>")
(PICTURES / "levels.svg").write_text(plot + "\n")
