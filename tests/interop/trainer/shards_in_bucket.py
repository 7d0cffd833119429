"""Our reader and writer of buckets beside boto3, on moto's S3 server, which checks every signature with botocore's own code: the same
objects listed, the same samples of a shard that Python's webdataset wrote, read by parts, and objects that boto3 reads as they were
written, whole and in parts.

shards_in_bucket.py WEBDATASET_TOOL
"""
import json
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import boto3
import webdataset as wds

tool = sys.argv[1]
folder = Path(tempfile.mkdtemp())
keys = ["set/000000.tar", "set/a b+ü&(1)'.tar", "set/=~!$@,;:.tar", "other/000001.tar"]
set_up = 4 + len(keys)  # requests that need no signature: a user, its policy and key, a bucket, its objects
os.environ |= {"INITIAL_NO_AUTH_ACTION_COUNT": str(set_up), "AWS_DEFAULT_REGION": "eu-west-1"}
from moto.server import ThreadedMotoServer  # noqa: E402, reads the environment

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
endpoint = "http://%s:%d" % server.get_host_and_port()


def client(service, key="none", secret="none"):
    return boto3.client(service, endpoint_url=endpoint, aws_access_key_id=key, aws_secret_access_key=secret)


iam = client("iam")
iam.create_user(UserName="trainer")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="trainer", PolicyName="read", PolicyDocument=json.dumps(policy))
access = iam.create_access_key(UserName="trainer")["AccessKey"]

shard = folder / "000000.tar"
with wds.TarWriter(str(shard)) as writer:
    for i in range(20):
        writer.write({"__key__": f"{i:04}", "txt": f"caption {i}", "mp4": os.urandom(10_000 + i)})
s3 = client("s3")
s3.create_bucket(Bucket="clips", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
for key in keys:
    s3.put_object(Bucket="clips", Key=key, Body=shard.read_bytes())

environment = os.environ | {"AWS_ACCESS_KEY_ID": access["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": access["SecretAccessKey"],
                            "AWS_ENDPOINT_URL": endpoint}  # fmt: skip


def ours(*words, **changes):
    return subprocess.run([tool, *words], capture_output=True, text=True, env=environment | changes)


signed = client("s3", access["AccessKeyId"], access["SecretAccessKey"])
theirs = [entry["Key"] for entry in signed.list_objects_v2(Bucket="clips", Prefix="set/")["Contents"]]
found = ours("objects", "s3://clips/set/")
assert found.stdout.splitlines() == sorted(f"s3://clips/{key}" for key in theirs), (found, theirs)
local = ours("list", str(shard)).stdout
for key in keys:
    listed = ours("list", f"s3://clips/{key}")
    assert listed.stdout == local and local.count("\n") == 20, (key, listed)
refused = ours("list", "s3://clips/set/000000.tar", AWS_SECRET_ACCESS_KEY="wrong")
assert refused.returncode != 0 and "403" in refused.stderr, refused
written = folder / "weights"
for size in (0, 1000, 13 << 20):
    written.write_bytes(os.urandom(size))
    key = f"runs/a b+ü&(1)'/{size}"
    sent = ours("upload", str(written), f"s3://clips/{key}")
    assert sent.returncode == 0, sent
    assert signed.get_object(Bucket="clips", Key=key)["Body"].read() == written.read_bytes(), key
assert signed.head_object(Bucket="clips", Key=key)["ETag"].endswith('-3"'), "in three parts"
assert not signed.list_multipart_uploads(Bucket="clips").get("Uploads")
assert ours("remove", f"s3://clips/{key}").returncode == 0
assert "Contents" not in signed.list_objects_v2(Bucket="clips", Prefix=key)
refused = ours("upload", str(written), f"s3://clips/{key}", AWS_SECRET_ACCESS_KEY="wrong")
assert refused.returncode != 0 and "403" in refused.stderr, refused
print(f"{len(keys)} objects, {len(theirs)} of them listed: as boto3 has them; signatures as botocore makes them, a wrong key is refused")
server.stop()
