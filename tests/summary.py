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


def commands(build):
    """Name of a test of ctest's → the words that run it, those of its environment first."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True).stdout
    found = {}
    for test in json.loads(listed)["tests"]:
        environment = next((p["value"] for p in test["properties"] if p["name"] == "ENVIRONMENT"), [])
        wanted = [word for word in environment if word and not word.startswith("GTEST_")]
        words = [word for word in test.get("command", []) if not word.startswith("--gtest_output")]
        found[test["name"]] = wanted + [os.path.relpath(w) if os.path.isabs(w) and os.path.exists(w) else w for w in words]
    return found


def single_tests(report):
    """(name, "passed" | "failed" | "skipped") of each test in a report of GoogleTest's."""
    for case in xml.parse(report).iter("testcase"):
        if case.get("status") == "notrun":
            continue
        name = case.get("classname") + "." + case.get("name")
        if case.find("failure") is not None:
            yield name, "failed"
        else:
            yield name, "skipped" if case.get("result") == "skipped" else "passed"


def main(build, tests):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    alone = commands(build)
    failures = []
    for case in xml.parse(tests).iter("testcase"):
        name, status = case.get("name"), case.get("status")
        ended = "passed" if status == "run" else "failed" if status == "fail" else "skipped"
        report = os.path.join(build, "Testing/gtest", name + ".xml")
        ran = list(single_tests(report)) if os.path.exists(report) else []
        failed = [test for test, outcome in ran if outcome == "failed"]
        for _, outcome in ran or [(name, ended)]:
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
