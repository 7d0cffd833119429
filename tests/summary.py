"""What single tests did in a run of ctest, whose own line counts programs: the failed ones, each with the command that runs it
alone, and how many passed.

    python3 tests/summary.py BUILD_FOLDER TESTS.XML      TESTS.XML: by ctest --output-junit
"""
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as xml


def properties(test):
    return {one["name"]: one["value"] for one in test.get("properties", [])}


def listed(build):
    """The tests as ctest knows them: command, environment, labels."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True).stdout
    return json.loads(shown)["tests"]


def commands(build):
    """Name of a test of ctest's → the words that run it, those of its environment first."""
    found = {}
    for test in listed(build):
        wanted = [one for one in properties(test).get("ENVIRONMENT", []) if one and not one.startswith("GTEST_")]
        words = [word for word in test.get("command", []) if not word.startswith("--gtest_output")]
        found[test["name"]] = wanted + [os.path.relpath(w) if os.path.isabs(w) and os.path.exists(w) else w for w in words]
    return found


def single_tests(build, name):
    """(name, "passed" | "failed" | "skipped", seconds) of each test in the report that a program left; none without one."""
    report = os.path.join(build, "Testing/gtest", name + ".xml")
    if not os.path.exists(report):
        return
    for case in xml.parse(report).iter("testcase"):
        if case.get("status") == "notrun":
            continue
        outcome = "skipped" if case.get("result") == "skipped" else "passed"
        if case.find("failure") is not None:
            outcome = "failed"
        yield case.get("classname") + "." + case.get("name"), outcome, float(case.get("time"))


def main(build, tests):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    alone = commands(build)
    failures = []
    for case in xml.parse(tests).iter("testcase"):
        name, status = case.get("name"), case.get("status")
        ended = "passed" if status == "run" else "failed" if status == "fail" else "skipped"
        ran = list(single_tests(build, name))
        failed = [test for test, outcome, _ in ran if outcome == "failed"]
        for _, outcome, _ in ran or [(name, ended, 0)]:
            counts[outcome] += 1
        if ended != "failed":
            continue
        if not failed and ran:
            counts["failed"] += 1  # all its tests passed, and then it did not end well
        if not failed:
            begun = re.findall(r"\[ RUN      \] (\S+)", case.findtext("system-out") or "")
            failed = begun[-1:]
        for test in failed or [None]:
            words = alone.get(name, []) + ([f"--gtest_filter={test}"] if test and test != name else [])
            failures.append((test or name, shlex.join(words)))
    if failures:
        print("\nFailed, and how to run each alone:")
        for test, command in failures:
            print(f"  {test}\n      {command}")
    print("\n{passed} passed, {failed} failed, {skipped} skipped".format(**counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
