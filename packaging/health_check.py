#!/usr/bin/env python3
"""Puts a health check into the configuration of an image in an OCI archive: health_check.py ARCHIVE.oci.tar

The member is Docker's (`Healthcheck`); the OCI specification has none and lets it stand. Buildah leaves it out of OCI
images, so it is put in afterwards, and the manifest and the index get the new digests. The members of the archive get the
time of SOURCE_DATE_EPOCH and nobody's name, so that the same image is the same archive."""
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

SECOND = 1_000_000_000  # nanoseconds
PROBE = "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q ' 200 ' <&3"
CHECK = {
    "Test": ["CMD", "bash", "-c", PROBE],
    "Interval": 10 * SECOND, "Timeout": 3 * SECOND, "StartPeriod": 5 * SECOND, "Retries": 3,
}  # fmt: skip


def main():
    path = pathlib.Path(sys.argv[1])
    with tarfile.open(path) as archive:
        members = {member.name: (member, archive.extractfile(member).read() if member.isfile() else None) for member in archive}

    def blob(digest):
        return "blobs/" + digest.replace(":", "/")

    def replaced(descriptor, document):
        member, _ = members.pop(blob(descriptor["digest"]))
        content = json.dumps(document, separators=(",", ":")).encode()
        descriptor["digest"], descriptor["size"] = "sha256:" + hashlib.sha256(content).hexdigest(), len(content)
        member.name, member.size = blob(descriptor["digest"]), len(content)
        members[member.name] = (member, content)

    index_member, index_text = members["index.json"]
    index = json.loads(index_text)
    manifest = json.loads(members[blob(index["manifests"][0]["digest"])][1])
    configuration = json.loads(members[blob(manifest["config"]["digest"])][1])
    configuration["config"]["Healthcheck"] = CHECK
    replaced(manifest["config"], configuration)
    replaced(index["manifests"][0], manifest)
    content = json.dumps(index, separators=(",", ":")).encode()
    index_member.size = len(content)
    members["index.json"] = (index_member, content)
    with tarfile.open(path, "w") as archive:
        for name in sorted(members):
            member, content = members[name]
            member.mtime = int(os.environ["SOURCE_DATE_EPOCH"])
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            archive.addfile(member, io.BytesIO(content) if content is not None else None)


main()
