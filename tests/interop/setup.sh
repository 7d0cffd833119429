#!/usr/bin/env bash
# Makes build/interop: a Python environment with the genuine MLflow, for the tests labelled interop. About a minute; does
# nothing when it is there already.
set -euo pipefail
cd "$(dirname "$0")/../.."
requirements=tests/interop/requirements.txt
environment=build/interop
if cmp -s "$requirements" "$environment/installed.txt"; then exit 0; fi
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
cp "$requirements" "$environment/installed.txt"
