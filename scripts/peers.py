"""The tools that scripts/rivals and scripts/export-peers ask, installed where they are not, and how each is called."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

# From PyPI.
WHEELS = {"up-fast-downward": "1.0.0", "up-symk": "1.6.0", "clingo": "5.8.3"}
# The scripts of the planners: the module that has it, and where it is in there.
FAST_DOWNWARD = "up_fast_downward", "downward/fast-downward.py"
SYMK = "up_symk", "symk/fast-downward.py"


def virtual_environment(folder, wheels):
    """Makes a virtual environment in a folder, with these of WHEELS; returns its Python."""
    python = Path(folder) / "venv/bin/python"
    subprocess.run([sys.executable, "-m", "venv", Path(folder) / "venv"], check=True)
    pinned = [f"{name}=={WHEELS[name]}" for name in wheels]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *pinned], check=True)
    return python


def planner(python, place):
    """The script of a planner. It is there to be run; imported, it would ask for the rest of its framework."""
    module, script = place
    where = f"import importlib.util as i; print(i.find_spec('{module}').submodule_search_locations[0])"
    found = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True)
    return Path(found.stdout.strip()) / script


def install(*packages):
    """Installs those packages of Debian whose programs are not there."""
    for name in packages:
        if not shutil.which(name):
            subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["apt-get", "install", "-y", "-qq", name], check=True, stdout=subprocess.DEVNULL)


def planner_command(python, script, folder, name, search):
    """Asks for a plan for the task `name` in the folder."""
    return [python, script, folder / f"{name}-domain.pddl", folder / f"{name}-problem.pddl", "--search", search]


def plan_cost(text):
    """The cost of the plan that a planner found; None if it says of none."""
    cost = re.search(r"[Pp]lan cost: (\d+)", text)
    return int(cost[1]) if cost else None


def clingo_command(python, file, moves):
    """Asks whether a solution of so many moves exists."""
    return [python, "-m", "clingo", "-c", f"n={moves}", "--quiet=2", file]


def is_satisfiable(text):
    """What clingo says; None if it does not say."""
    said = re.search("^(UN)?SATISFIABLE", text, re.M)
    return said and not said[1]


def with_limit(model, moves):
    """A Murphi model in which the limit of moves is this one."""
    return re.sub(r"(  limit:) \d+", rf"\1 {moves}", model)


def make_checker(folder, model, *options):
    """Makes the program `checked` in the folder, which checks a Murphi model there."""
    fixed = ["--deadlock-detection", "off", "--threads", "1", *options]
    subprocess.run(["rumur", *fixed, "--output", "checked.c", model], cwd=folder, check=True)
    # One function has all rules: at -O3 compiling takes longer than the search.
    command = ["cc", "-std=c11", "-O1", "-mcx16", "-w", "-o", "checked", "checked.c", "-latomic", "-lpthread"]
    subprocess.run(command, cwd=folder, check=True)
