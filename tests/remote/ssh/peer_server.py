"""An SSH server on loopback that asks questions and tells lies. Prints its port, then serves until it is ended.

The user's name says what happens at sign-in: "password", "questions" (a password and a code, one after the other), "pair"
(both at once), "empty" (a round without questions, then success), "telephone" (silence of four seconds after the answer),
"endless" (question after question), "crowd" (a thousand questions at once), "key-then-code" (any key, then a code), "hostile"
(escape sequences in the question), "anybody" and "liar" (no sign-in at all). Its SFTP lists names that no file may have. To
"liar" it also sends, whatever was asked for, listings and tars of names that lie elsewhere, links, devices and pipes.
"""

import hashlib
import io
import os
import socket
import subprocess
import sys
import tarfile
import threading
import time

import paramiko
from paramiko import AUTH_FAILED, AUTH_PARTIALLY_SUCCESSFUL, AUTH_SUCCESSFUL, InteractiveQuery

SILENCE = 4
# from a file, where neither a command line nor an environment shows it
RIGHT = open(sys.argv[1]).read() if sys.argv[1:] and sys.argv[1] else "right"
LIES = ["honest", "../outside", "/etc/passwd", "..", ".", "", "a/b", "back/../../outside", "nul\0byte", "esc\x1b]0;x\x07"]


class Server(paramiko.ServerInterface):
    def __init__(self):
        self.key_shown = False
        self.round = 0

    def get_allowed_auths(self, user):
        if user == "key-then-code":
            return "keyboard-interactive" if self.key_shown else "publickey"
        return "password" if user == "password" else "keyboard-interactive"

    def check_auth_none(self, user):
        self.user = user
        return AUTH_SUCCESSFUL if user in ("anybody", "liar") else AUTH_FAILED

    def check_auth_password(self, user, password):
        return AUTH_SUCCESSFUL if user == "password" and password == RIGHT else AUTH_FAILED

    def check_auth_publickey(self, user, key):
        if user != "key-then-code":
            return AUTH_FAILED
        self.key_shown = True
        return AUTH_PARTIALLY_SUCCESSFUL

    def check_auth_interactive(self, user, submethods):
        self.user = user
        self.round = 0
        if user == "key-then-code" and not self.key_shown:
            return AUTH_FAILED
        if user in ("questions", "telephone"):
            return InteractiveQuery("lab", "Welcome to the lab", ("Password: ", False))
        if user == "pair":
            return InteractiveQuery("", "", ("Password: ", False), ("Code: ", True))
        if user == "empty":
            return InteractiveQuery("", "Nothing to ask")
        if user == "crowd":
            return InteractiveQuery("", "", *[(f"{i}? ", True) for i in range(1000)])
        if user == "hostile":
            return InteractiveQuery("\x1b]52;c;eA==\x07", "\x1b[2J" + "x" * 100000, ("\x1b[31mPassword:\u202e ", False))
        return InteractiveQuery("", "", ("Code: ", True))

    def check_auth_interactive_response(self, answers):
        self.round += 1
        if self.user == "endless":
            return InteractiveQuery("", "", ("And then? ", True))
        if self.user == "questions" and self.round == 1:
            return InteractiveQuery("", "", ("Verification code: ", True)) if answers == [RIGHT] else AUTH_FAILED
        if self.user == "telephone":
            time.sleep(SILENCE)
        expected = {"questions": ["123456"], "pair": [RIGHT, "123456"], "empty": [], "telephone": [RIGHT],
                    "key-then-code": ["123456"], "hostile": [RIGHT]}
        return AUTH_SUCCESSFUL if answers == expected.get(self.user) else AUTH_FAILED

    def check_channel_request(self, kind, channel):
        return paramiko.OPEN_SUCCEEDED

    def check_channel_exec_request(self, channel, command):
        threading.Thread(target=execute, args=(channel, command, self.user == "liar"), daemon=True).start()
        return True


def lying_tar():
    """Whoever unpacked it would have files outside, a link to lead later ones astray, and a pipe to hang at."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:

        def add(name, content=b"evil", **members):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in members.items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(content))

        for name in ("../outside", "./../outside", "/tmp/dailies-outside", "./a/../../outside", "unasked", "./unasked", "..", "."):
            add(name)
        add("./link", b"", type=tarfile.SYMTYPE, linkname="/etc")
        add("./link/passwd")
        add("./hard", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd")
        add("./pipe", b"", type=tarfile.FIFOTYPE)
        add("./device", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=5)
        add("./folder", b"", type=tarfile.DIRTYPE)
        add("./short", b"evi")
        add("./long", b"evil and more")
        add("./twice", b"good")
        add("./twice", b"evil")
        add("./wrong", b"evil")
        add("./honest", b"good")
    return out.getvalue()


def mark_of(script):
    """What stands around a script's output on both streams; empty for what is no script of Session::run."""
    lines = [line for line in script.decode(errors="replace").split("\n") if line.startswith("printf '%s' '")]
    return lines[0].split("'")[3].encode() if lines else b""


def lie(script):
    """The answer to a script that lists, packs or hashes."""
    good = hashlib.sha256(b"good").hexdigest()
    mark = mark_of(script)
    if b"tar --null" in script:
        return b"dailies-transfers\n" + lying_tar()
    if b"xargs -0 sha256sum" in script:
        return "".join(f"{good}  ./{name}\n" for name in ("twice", "wrong", "honest", "../outside", "unasked")).encode()
    if b"xargs -0 stat" in script or b"find -L" in script:
        names = [b"./honest", b"./../outside", b"/etc/passwd", b"./a/../../outside", b"./", b"./.", b"..", b"no dot", b"./a//b"]
        entries = b"".join(b"4 1700000000 81a4 " + name + b"\0" for name in names)
        entries += b"x y z ./nonsense\0" + b"99999999999999999999999 0 81a4 ./huge\0" + b"4 0 81a4\0"
        return mark + entries + mark
    return mark * 2


def execute(channel, command, lying):
    script = b""
    while piece := channel.recv(65536):
        script += piece
    if lying:
        channel.sendall(lie(script))
        channel.sendall_stderr(mark_of(script) * 2)
        channel.send_exit_status(0)
        channel.close()
        return
    done = subprocess.run(command, shell=True, input=script, capture_output=True)
    channel.sendall(done.stdout)
    channel.sendall_stderr(done.stderr)
    channel.send_exit_status(done.returncode)
    channel.close()


class Files(paramiko.SFTPServerInterface):
    def list_folder(self, path):
        entries = []
        for name in LIES:
            attributes = paramiko.SFTPAttributes()
            attributes.filename = name
            attributes.st_mode = 0o100644
            attributes.st_size = 1
            entries.append(attributes)
        return entries


def serve(client, key):
    transport = paramiko.Transport(client)
    transport.add_server_key(key)
    transport.set_subsystem_handler("sftp", paramiko.SFTPServer, Files)
    try:
        transport.start_server(server=Server())
    except (paramiko.SSHException, EOFError):
        return
    while transport.is_active():
        time.sleep(0.1)


def main():
    key = paramiko.ECDSAKey.generate()
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], f"{key.get_name()} {key.get_base64()}", flush=True)
    parent = os.getppid()
    listener.settimeout(1)
    while os.getppid() == parent:  # a test that was killed leaves nothing behind
        try:
            client, _ = listener.accept()
        except TimeoutError:
            continue
        threading.Thread(target=serve, args=(client, key), daemon=True).start()


sys.exit(main())
