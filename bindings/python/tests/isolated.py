"""Runs tests on a GPU so that one that breaks it does not break the others.

Each test prints PASS or FAIL with the end of its traceback. Tests run in one child process; one
that hangs or leaves the GPU in an error ends the child, and the next goes on in a new one.
"""

import os
import queue
import subprocess
import sys
import threading
import time
import traceback

LIMIT_S = 400  # for one test: the first may compile


def child(tests, names):
    """Runs tests one by one and prints their verdicts; ends at an error that stays on the GPU."""
    import torch

    torch.manual_seed(1)
    for name in names:
        print(f"BEGIN {name}", flush=True)
        start, error = time.monotonic(), ""
        try:
            tests[name]()
        except BaseException:  # a failed test must not end the others
            error = "\n".join(traceback.format_exc().strip().splitlines()[-6:])
        try:
            torch.cuda.synchronize()
            broken = False
        except Exception as e:
            error, broken = error or f"the GPU is left in an error: {e}", True
        seconds = time.monotonic() - start
        print(f"{'FAIL' if error else 'PASS'} {name} ({seconds:.1f} s)", flush=True)
        if error:
            print("     " + error.replace("\n", "\n     "), flush=True)
        if broken:
            os._exit(3)


def follow(process):
    """Yields the lines of a child, and kills it where a test takes longer than LIMIT_S."""
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    end = time.monotonic() + LIMIT_S
    while True:
        try:
            line = lines.get(timeout=max(0.1, end - time.monotonic()))
        except queue.Empty:
            process.kill()
            print(f"     no end after {LIMIT_S} s")
            break
        if line is None:
            break
        if line.startswith("BEGIN "):
            end = time.monotonic() + LIMIT_S
        yield line
    process.wait()


def run(program, names):
    """Runs a child over names and returns those that it did not come to, and its verdicts."""
    process = subprocess.Popen([sys.executable, program, "--child", *names], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    begun, verdicts = [], {}
    for line in follow(process):
        word, _, rest = line.partition(" ")
        if word == "BEGIN":
            begun.append(rest.strip())
            continue
        if word in ("PASS", "FAIL") and rest.split()[0] in names:
            verdicts[rest.split()[0]] = word
        print(line, end="", flush=True)
    for name in begun:
        if name not in verdicts:
            verdicts[name] = "FAIL"
            print(f"FAIL {name} (its process ended)", flush=True)
    return [name for name in names if name not in verdicts], verdicts


def main(tests, program, arguments):
    """Runs the tests that the arguments name, or all, and returns the exit status."""
    if arguments[:1] == ["--child"]:
        child(tests, arguments[1:])
        return 0
    unknown = [name for name in arguments if name not in tests]
    if unknown:
        print(f"no test {', '.join(unknown)}: there are {', '.join(tests)}", file=sys.stderr)
        return 2
    names = arguments or list(tests)
    left, verdicts, more = names, {}, True
    while left and more:  # a child that comes to no test ends it
        left, more = run(program, left)
        verdicts.update(more)
    passed = sum(v == "PASS" for v in verdicts.values())
    print(f"{passed} of {len(names)} tests passed")
    return 0 if passed == len(names) else 1
