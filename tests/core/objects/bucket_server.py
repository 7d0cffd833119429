"""An S3 store over a folder, for tests: ranged requests, pages of listings, ETags, uploads whole and in parts, and AWS Signature
Version 4 checked by its specification. bucket_server.py PORT FOLDER

FOLDER/buckets/BUCKET/KEY are the objects, FOLDER/parts/ID/NUMBER those of an upload that is not complete. FOLDER/requests.txt grows a
line a request that reads, FOLDER/writes.txt one that writes. FOLDER/faults.json, read at each request, makes it fail: {"busy": N}
answers the next N with 503, {"cut": N} ends the next N in the middle, {"lost": N} ends the next N writes without an answer, {"slow":
SECONDS} waits before each read, {"full": true} refuses what is written, {"partsLost": true} the second part of it, {"skewed": true},
{"noRanges": true}. The key is "test" with the secret "key-of-the-store"; without one, only the bucket "open" is read, to which "moved" leads.
"""
import functools
import hashlib
import hmac
import json
import os
import re
import shutil
import sys
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

folder = Path(sys.argv[2])
PAGE = 2


def faults():
    try:
        return json.loads((folder / "faults.json").read_text())
    except FileNotFoundError:
        return {}


def take(name):
    """Whether one of so many is left."""
    left = faults()
    if left.get(name, 0) <= 0:
        return False
    left[name] -= 1
    (folder / "faults.json").write_text(json.dumps(left))
    return True


@functools.cache
def etag(file, changed):
    return f"\"{hashlib.md5(file.read_bytes()).hexdigest()}\""


def signature(request, terms):
    """What a client that knows the secret signs (AWS, Signature Version 4 for S3)."""
    parts = urlsplit(request.path)
    signed = terms["SignedHeaders"].split(";")
    canonical = "\n".join([
        request.command,
        parts.path,  # as it was sent: S3 encodes once
        "&".join(f"{quote(key, safe='-_.~')}={quote(value, safe='-_.~')}"
                 for key, value in sorted(parse_qsl(parts.query, keep_blank_values=True))),
        *(f"{name}:{' '.join(request.headers[name].split())}" for name in signed),
        "",
        terms["SignedHeaders"],
        request.headers["x-amz-content-sha256"],
    ])  # fmt: skip
    key_id, *scope = terms["Credential"].split("/")
    text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], "/".join(scope),
                      hashlib.sha256(canonical.encode()).hexdigest()])  # fmt: skip
    key = b"AWS4key-of-the-store"
    for part in scope:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are written apart

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, message):
        self.answer(status, f"<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>".encode())

    def permitted(self, bucket):
        given = self.headers.get("Authorization")
        if given is None:
            return bucket == "open"
        terms = dict(re.findall(r"(\w+)=([^,\s]+)", given))
        scope = terms["Credential"].split("/")
        named = set(terms["SignedHeaders"].split(";"))
        required = {"host", "x-amz-content-sha256", *(name.lower() for name in self.headers if name.lower().startswith("x-amz-"))}
        return (scope[0] == "test" and scope[2:4] == ["us-east-1", "s3"] and required <= named
                and terms["Signature"] == signature(self, terms))  # fmt: skip

    def do_PUT(self):
        self.write()

    do_POST = do_DELETE = do_PUT

    def write(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urlsplit(self.path)
        with open(folder / "writes.txt", "a") as log:
            log.write(f"{self.command} {self.path}\n")
        if take("busy") or faults().get("partsLost") and "partNumber=2" in parts.query:
            return self.refuse(503, "SlowDown", "Please reduce your request rate.")
        bucket, key = unquote(parts.path)[1:].split("/", 1)
        if self.headers.get("Authorization") is None or not self.permitted(bucket):
            return self.refuse(403, "SignatureDoesNotMatch", "The request signature does not match.")
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return self.refuse(400, "XAmzContentSHA256Mismatch", "The content is not what was signed.")
        if not (folder / "buckets" / bucket).is_dir():
            return self.refuse(404, "NoSuchBucket", "The specified bucket does not exist.")
        if faults().get("full") and self.command != "DELETE":
            return self.refuse(403, "QuotaExceeded", "The bucket is full.")
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        status, answer, headers = self.written(folder / "buckets" / bucket / key, asked, body)
        if take("lost"):
            self.close_connection = True
        else:
            self.answer(status, answer, headers)

    def written(self, file, asked, body):
        upload = folder / "parts" / asked.get("uploadId", uuid.uuid4().hex)
        if "uploads" in asked:
            upload.mkdir(parents=True)
            return 200, f"<Result><UploadId>{upload.name}</UploadId></Result>".encode(), []
        if self.command == "DELETE":
            shutil.rmtree(upload, ignore_errors=True)
            if "uploadId" not in asked:
                file.unlink(missing_ok=True)
            return 204, b"", []
        if self.command == "POST":
            if not upload.is_dir():
                return 404, b"<Error><Code>NoSuchUpload</Code><Message>It is complete, or was given up.</Message></Error>", []
            body = b"".join((upload / number).read_bytes() for number in re.findall(r"<PartNumber>(\d+)<", body.decode()))
            shutil.rmtree(upload)
        elif "uploadId" in asked:
            file = upload / asked["partNumber"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        return 200, b"<Result/>" if self.command == "POST" else b"", [("ETag", etag(file, file.stat().st_mtime_ns))]

    def do_GET(self):
        with open(folder / "requests.txt", "a") as log:
            log.write(f"{self.path} {self.headers.get('Range', '')} {self.headers.get('x-amz-security-token', '')}\n")
        time.sleep(faults().get("slow", 0))
        if take("busy"):
            return self.refuse(503, "SlowDown", "Please reduce your request rate.")
        if faults().get("skewed"):
            return self.refuse(403, "RequestTimeTooSkewed", "The difference between the request time and the server's is too large.")
        parts = urlsplit(self.path)
        _, bucket, key = unquote(parts.path).split("/", 2)
        if bucket == "moved":
            return self.answer(302, b"", [("Location", f"/open/{key}")])
        if not self.permitted(bucket):
            return self.refuse(403, "SignatureDoesNotMatch", "The request signature does not match.")
        if not key:
            return self.list(bucket, dict(parse_qsl(parts.query)))
        file = folder / "buckets" / bucket / key
        if not file.is_file():
            return self.refuse(404, "NoSuchKey", "The specified key does not exist.")
        size = file.stat().st_size
        headers = [("ETag", etag(file, file.stat().st_mtime_ns))]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not wanted or faults().get("noRanges"):
            return self.answer(200, file.read_bytes(), headers)
        first, last = int(wanted[1]), min(int(wanted[2]), size - 1)
        if first >= size:
            return self.answer(416, b"", headers)
        with open(file, "rb") as opened:
            opened.seek(first)
            part = opened.read(last + 1 - first)
        headers.append(("Content-Range", f"bytes {first}-{last}/{size}"))
        if not take("cut"):
            return self.answer(206, part, headers)
        self.send_response(206)
        for name, value in [*headers, ("Content-Length", str(last + 1 - first))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(part[:len(part) // 2])
        self.close_connection = True

    def list(self, bucket, asked):
        root = folder / "buckets" / bucket
        keys = sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file())
        keys = [key for key in keys if key.startswith(asked.get("prefix", "")) and key > asked.get("continuation-token", "")]
        page = ""
        for key in keys[:PAGE]:
            facts = (root / key).stat()
            page += (f"<Contents><Key>{escape(key)}</Key><ETag>{escape(etag(root / key, facts.st_mtime_ns), {chr(34): '&quot;'})}</ETag>"
                     f"<Size>{facts.st_size}</Size></Contents>")  # fmt: skip
        more = len(keys) > PAGE
        token = f"<NextContinuationToken>{escape(keys[PAGE - 1])}</NextContinuationToken>" if more else ""
        self.answer(200, f"<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>"
                         f"{page}{token}</ListBucketResult>".encode())  # fmt: skip


ThreadingHTTPServer.request_queue_size = 64  # readers connect all at once
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Store)
ready = folder / "ready"
ready.with_suffix(".new").write_text(str(server.server_port))
os.replace(ready.with_suffix(".new"), ready)
server.serve_forever()
