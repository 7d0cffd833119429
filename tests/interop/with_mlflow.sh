#!/bin/sh
# Runs a Python script in the environment that has MLflow.
python="$(dirname "$0")/../../build/interop/bin/python"
if [ ! -x "$python" ]; then
    echo "MLflow is not installed. Run: bash tests/interop/setup.sh" >&2
    exit 1
fi
exec "$python" "$@"
