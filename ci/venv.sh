#!/bin/bash
# venv.sh FOLDER PACKAGE...: makes a virtual environment with packages of PyPI. uv installs them in a third of pip's processor time.
set -e
[ -x "$1/bin/uv" ] || { python3 -m venv "$1" && "$1/bin/pip" install -q --no-compile uv; }
"$1/bin/uv" pip install -q --no-cache --python "$1/bin/python" "${@:2}"
