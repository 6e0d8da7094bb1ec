#!/bin/bash
# Builds the Go programs that live tests trace, for these tests and for VMs. Building takes minutes of processor time, so the
# tree keeps what was built in build/live-programs until a source or Go changes.
#
#   ci/programs.sh OUT [WORKLOAD...]      OUT/programs: fixtures/programs. OUT/workloads: WORKLOADs of experiments/workloads
set -u
[ $# -gt 0 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$(realpath -m "$1")
shift
top=$(cd "$(dirname "$0")/.." && pwd)
kept=$top/build/live-programs
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
mkdir -p "$out" "$kept" && exec 9>"$kept.lock" && flock 9 || exit

key=$(go version && cd "$top" && find fixtures/programs experiments/workloads -type f -print0 | sort -z | xargs -0 sha256sum) || exit
if [ "$key" != "$(cat "$kept/key" 2>/dev/null)" ]; then
	rm -rf "$kept" && mkdir "$kept" && "$top/fixtures/programs/build.sh" "$kept/programs" && echo "$key" >"$kept/key" || exit
fi
for workload; do
	[ -e "$kept/workloads/$workload" ] || "$top/experiments/workloads/build.sh" "$kept/workloads" "$workload" || exit
done
cp -a "$kept/programs" "$out/" || exit
[ $# = 0 ] || cp -a "$kept/workloads" "$out/"
