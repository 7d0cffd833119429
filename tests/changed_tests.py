"""Which tests depend on what differs from a commit: their numbers, as `ctest -I` reads them from a file.

    python3 tests/changed_tests.py BUILD_FOLDER COMMIT OUT

A program depends on the files that its objects include, by ninja's own record of the last build; a script on itself and on the
programs it is given.
"""
import json
import os
import subprocess
import sys


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def included(build):
    """Object → the files that its compilation read, as absolute paths."""
    read = {}
    for line in lines("ninja", "-C", build, "-t", "deps"):
        if line.startswith("    "):
            files.add(os.path.normpath(os.path.join(build, line.strip())))
        elif ": #deps" in line:
            files = read.setdefault(line.split(": #deps")[0], set())
    return read


def main(build, commit, out):
    build = os.path.abspath(build)
    root = lines("git", "rev-parse", "--show-toplevel")[0]
    differ = lines("git", "diff", "--name-only", commit) + lines("git", "ls-files", "--others", "--exclude-standard")
    changed = {os.path.join(root, name) for name in differ}
    read = included(build)
    inputs = {}
    known = set()

    def affected(program):
        """The changed files that `program`, a path below the build folder, is made from."""
        if program not in inputs:
            made_from = set()
            for name in lines("ninja", "-C", build, "-t", "inputs", os.path.relpath(program, build)):
                made_from |= {os.path.normpath(os.path.join(build, name))} | read.get(name, set())
            inputs[program] = made_from & changed
        return inputs[program]

    tests = json.loads("\n".join(lines("ctest", "--test-dir", build, "--show-only=json-v1")))["tests"]
    chosen = []
    for number, test in enumerate(tests, 1):
        found = set()
        for word in map(os.path.normpath, test.get("command", [])):
            if word in changed:
                found.add(word)
            elif word.startswith(build + "/bin/") and os.path.isfile(word):
                found |= affected(word)
        known |= found
        if found:
            chosen.append(number)
    for name in sorted(os.path.relpath(file, root) for file in changed - known):
        print("no test program depends on", name, file=sys.stderr)
    with open(out, "w", encoding="utf-8") as file:
        file.write(",".join(["0", "0", "0", *map(str, chosen)]))
    print(f"{len(chosen)} of {len(tests)} tests depend on what differs from {commit}", file=sys.stderr)
    return 0 if chosen else 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
