"""``python -m halma`` is the program."""

import os
import subprocess
import sys

from ._program import program

if __name__ == "__main__":
    command = [os.fspath(program()), *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)
