"""What the scripts about import, export and publish share: the program, a store of its own, a genuine MLflow server."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request


class Dailies:
    """The command line with a store of its own."""

    def __init__(self, program, store):
        self.program, self.store = program, store
        self.environment = dict(os.environ, DAILIES_STORE=store)

    def start(self, *words):
        return subprocess.Popen([self.program, *words], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def __call__(self, *words, status=0):
        process = self.start(*words, "--format", "json")
        out, err = process.communicate()
        if process.returncode != status:
            sys.exit(f"dailies {' '.join(words)} ended with {process.returncode}: {err}")
        return json.loads(out) if out else err


class Server:
    """`mlflow server` on a free port; the same port, database and artifacts when it is started again."""

    def __init__(self, folder, backend):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder, self.backend = folder, backend
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.log = open(f"{self.folder}/server.log", "ab")
        environment = dict(os.environ, MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_DISABLE_TELEMETRY="true")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(self.port), "--workers", "1",
             "--backend-store-uri", self.backend, "--artifacts-destination", f"{self.folder}/artifacts"],
            env=environment, stdout=self.log, stderr=self.log, start_new_session=True)
        deadline = time.monotonic() + 300
        while True:
            try:
                urllib.request.urlopen(self.address + "/health", timeout=5).read()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    sys.exit(f"mlflow server did not start: {open(self.log.name).read()[-2000:]}")
                time.sleep(0.2)

    def answers(self, path):
        """How many requests for this path it has answered since it was first started."""
        with open(self.log.name) as log:
            return sum(path in line for line in log)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # its workers too; the group is its own
        self.process.wait()
        self.log.close()
