"""An OpenAI-compatible server that keeps what it is asked: caption_server.py PORT FOLDER

A request for a chat completion lands in FOLDER/request-N.json. FOLDER/answers.json, where there is one, is a list of what to
answer with, the first request first: "status", "text", "finish" and "seconds" before it. Later ones are described by how many pictures they have.
"""

import http.server
import json
import os
import pathlib
import sys
import threading
import time

PORT, FOLDER = int(sys.argv[1]), pathlib.Path(sys.argv[2])
LOCK = threading.Lock()
answers = json.loads((FOLDER / "answers.json").read_text()) if (FOLDER / "answers.json").exists() else []
asked = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        if self.path == "/v1/models":
            self.reply(200, {"object": "list", "data": [{"id": "describer", "object": "model"}]})
        else:
            self.reply(404, {"error": {"message": "no such page"}})

    def do_POST(self):
        global asked
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with LOCK:
            answer = answers[asked] if asked < len(answers) else {}
            number = asked
            asked += 1
        kept = {"path": self.path, "authorization": self.headers.get("Authorization"), "body": body}
        (FOLDER / f"request-{number}.part").write_text(json.dumps(kept))
        (FOLDER / f"request-{number}.part").rename(FOLDER / f"request-{number}.json")
        time.sleep(answer.get("seconds", 0))
        status = answer.get("status", 200)
        if status != 200:
            self.reply(status, {"error": {"message": answer.get("text", "no")}})
            return
        pictures = sum(part["type"] == "image_url" for part in body["messages"][0]["content"])
        text = answer.get("text", f"A camera moves over a place, in {pictures} pictures.")
        self.reply(200, {
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": answer.get("finish", "stop")}],
            "usage": {"prompt_tokens": 100, "completion_tokens": len(text.split())},
        })


def end_with(parent):
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
http.server.ThreadingHTTPServer.daemon_threads = True
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
