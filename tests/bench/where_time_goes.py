"""The two halves of where_time_goes.sh: a launcher that measures a test, and the report.

launch CPU.TSV PROGRAM ARGUMENTS…    runs the program; adds a line: seconds of wall clock, of CPU, the command
report TESTS.XML CPU.TSV BUILD       prints the tables
"""
import collections
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from summary import listed, properties, single_tests  # noqa: E402

PR_SET_CHILD_SUBREAPER = 36
LARGEST = 25


def launch(record, command):
    """Daemons that a test starts become children of this process, so that their CPU time counts, too."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    begin = time.monotonic()
    program = subprocess.Popen(command)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _: program.send_signal(received))
    cpu = 0.0
    status = None
    while status is None:
        child, ended, usage = os.wait4(-1, 0)
        cpu += usage.ru_utime + usage.ru_stime
        if child == program.pid:
            status = os.waitstatus_to_exitcode(ended)
    try:
        while (reaped := os.wait4(-1, os.WNOHANG))[0]:
            cpu += reaped[2].ru_utime + reaped[2].ru_stime
    except ChildProcessError:
        pass
    if "--gtest_list_tests" not in command:
        line = "\t".join([f"{time.monotonic() - begin:.3f}", f"{cpu:.3f}", *command]) + "\n"
        with open(record, "a", encoding="utf-8") as out:
            out.write(line)
    sys.exit(status if status >= 0 else 128 - status)


def table(title, rows):
    """Rows of (name, tests, wall, cpu); cpu None where it was not measured."""
    print(f"\n{title:<72} {'tests':>6} {'seconds':>8} {'CPU':>8} {'waiting':>8}")
    for name, tests, wall, cpu in sorted(rows, key=lambda row: -row[2])[:LARGEST]:
        measured = f"{cpu:8.1f} {max(0.0, wall - cpu):8.1f}" if cpu is not None else f"{'?':>8} {'?':>8}"
        print(f"{name[:72]:<72} {tests:6d} {wall:8.1f} {measured}")


def cpu_by_test(path):
    """CPU seconds by the name of ctest's test: of a whole program, of its shard, or of a single test (gtest's filter)."""
    found = {}
    if not os.path.exists(path):
        return found
    for line in open(path, encoding="utf-8"):
        _, cpu, program, *arguments = line.rstrip("\n").split("\t")
        name = os.path.basename(program)
        for argument in arguments:
            option, _, value = argument.partition("=")
            if option == "--gtest_filter":
                name = value
            elif option == "--gtest_output":
                name = os.path.basename(value).removesuffix(".xml")
        found[name] = (os.path.basename(program), float(cpu))
    return found


def add(sums, name, wall, cpu):
    tests, seconds, used = sums.get(name, (0, 0.0, 0.0))
    sums[name] = (tests + 1, seconds + wall, None if cpu is None or used is None else used + cpu)


def report(tests, record, build):
    cpus = cpu_by_test(record)
    label_of = {test["name"]: ", ".join(properties(test).get("LABELS", [])) for test in listed(build)}
    labels, programs, suites, singles = {}, {}, {}, []
    for case in xml.parse(tests).iter("testcase"):
        name, wall = case.get("name"), float(case.get("time"))
        program, cpu = cpus.get(name, (name, None))
        add(labels, label_of.get(name, "none"), wall, cpu)
        add(programs, program, wall, cpu)
        ran = [(test, seconds, None) for test, _, seconds in single_tests(build, name)]
        for test, seconds, used in ran or [(name, wall, cpu)]:
            add(suites, test.split(".")[0], seconds, used)
            singles.append((test, 1, seconds, used))
    table("label", [(name, *row) for name, row in labels.items()])
    table("program", [(name, *row) for name, row in programs.items()])
    table("suite", [(name, *row) for name, row in suites.items()])
    table("test", singles)
    short = [row for row in singles if row[2] < 1]
    print(f"\n{len(singles)} tests, {sum(row[2] for row in singles):.0f} s; "
          f"{len(short)} of them below a second, {sum(row[2] for row in short):.0f} s")

    seconds = collections.defaultdict(float)
    for line in open(os.path.join(build, ".ninja_log"), encoding="utf-8"):
        fields = line.split("\t")
        made = re.search(r"CMakeFiles/([^/]+)\.dir/.*\.(o|gch)$", fields[3]) if len(fields) == 5 else None
        if made:
            seconds[made[1]] += (int(fields[1]) - int(fields[0])) / 1000
    print(f"\n{'compiled':<72} {'CPU seconds':>15}")
    for name, value in sorted(seconds.items(), key=lambda row: -row[1])[:LARGEST]:
        print(f"{name:<72} {value:15.0f}")
    print(f"{'all':<72} {sum(seconds.values()):15.0f}")


if __name__ == "__main__":
    if sys.argv[1] == "launch":
        launch(sys.argv[2], sys.argv[3:])
    else:
        report(*sys.argv[2:])
