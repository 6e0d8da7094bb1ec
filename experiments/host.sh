#!/bin/bash
# Everything that is measured here, on a machine of yours: runs all experiments into a folder of its own, and packs rows and
# environments into one file.
#
#   sudo experiments/host.sh        or: sudo make experiments-host
#
# HOST=DIR   the folder, build/host/RUN-ID; beside it DIR.tar.zst, or DIR.tar.gz where there is no zstd
# QUICK, EXPERIMENTS, WITHOUT, LONG, FORCE: see all.sh
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
build=${O:-build}
say() { echo "experiments-host: $*" >&2; }
[ "$(id -u)" = 0 ] || { say "tracing needs root; run: sudo make experiments-host"; exit 1; }
GOTRACE=$(realpath -m "${GOTRACE:-$build/gotrace}")
[ -x "$GOTRACE" ] || { say "$GOTRACE is missing; run: make"; exit 1; }
doctor=$("$GOTRACE" doctor 2>&1) ||
	{ say "gotrace cannot trace here; run: $GOTRACE doctor"; exit 1; }
folder=$(realpath -m "${HOST:-$build/host/$(date -u +%Y%m%dT%H%M%SZ)}")
mkdir -p "${folder%/*}" && mkdir "$folder" || exit 1
echo "$doctor" >"$folder/doctor.txt"
lscpu >"$folder/lscpu.txt" 2>&1
say "into $folder; hours, unless QUICK=1"
RESULTS_TOP=$folder experiments/all.sh | tee "$folder/outcome.txt"
status=${PIPESTATUS[0]}
if command -v zstd >/dev/null; then pack=(--zstd) packed=$folder.tar.zst; else pack=(-z) packed=$folder.tar.gz; fi
tar -C "${folder%/*}" "${pack[@]}" -cf "$packed" "${folder##*/}" || exit 1
say "packed into $packed"
exit "$status"
