#!/bin/bash
# The same five questions put to gotrace, uftrace (of the same program in C), Delve and bpftrace: what
# has to be typed, and whether the answer is right.
#
#   sudo experiments/peers/run.sh      ci/deps.sh peers installs the tools
#
# GOTRACE=   the command, build/gotrace
# RESULTS=   where to put the results, results/peers
#
# Writes a folder: answers.csv (a row for each tool and question), typed/ (the commands), said/ (what the
# tools printed), environment.txt, and summary.md derived from them.
set -euo pipefail
unset SUDO_UID SUDO_GID
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
RESULTS=${RESULTS:-$top/results/peers}
DELVE=v1.27.2
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure peers
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-peers.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
ulimit -l unlimited 2>/dev/null || true
begin_run
mkdir -p "$out/typed" "$out/said"
GOBIN=$scratch go install "github.com/go-delve/delve/cmd/dlv@$DELVE"
export PATH=$scratch:$(dirname "$GOTRACE"):$PATH
(cd "$here" && go build -o "$scratch/shop" shop.go && "${CC:-cc}" -O1 -g -pg -pthread shop.c -o "$scratch/shop_c")
cd "$scratch"

# ---- what is true, a line for each answer
truth_arguments() { for n in $(seq 0 19); do echo "$([ $((n % 5)) = 0 ] && echo /slow || echo "/item/$n") $n"; done; }
truth_results() { # in Go the error as well
	for n in $(seq 0 19); do
		path=$([ $((n % 5)) = 0 ] && echo /slow || echo "/item/$n")
		if [ "$n" = 7 ]; then echo error; else echo $((${#path} + 3 * n)); fi
	done
}
truth_slow() { echo 4; }
truth_inside() { echo 19; } # calls of lookup that handle makes
truth_callers() { printf '%s\n' 'render 19' 'tick 50'; }

# ---- what is typed for each question, and how an answer becomes the lines above
typed_gotrace_arguments="gotrace record --args 'main.handle(path, n)' -f main.handle -- ./shop; gotrace report --by=call"
answer_gotrace_arguments() { sed -n 's/.*main\.handle  path="\([^"]*\)" n=\([0-9]*\)$/\1 \2/p'; }
typed_gotrace_results="gotrace record --ret main.handle -f main.handle -- ./shop; gotrace report --by=call"
answer_gotrace_results() { sed -n -e 's/.*main\.handle  -> 0=\([0-9]*\) 1=nil$/\1/p' -e 's/.*main\.handle  -> .*errorString$/error/p'; }
typed_gotrace_slow="gotrace record --min-duration 20ms -f main.handle -- ./shop; gotrace report --by=call"
answer_gotrace_slow() { grep -c 'main\.handle'; }
typed_gotrace_inside="gotrace record --trigger main.handle -- ./shop; gotrace report"
answer_gotrace_inside() { awk '$NF == "main.lookup" { for (i = 1; i < NF; i++) if ($i ~ /^[0-9]+$/) { print $i; exit } }'; }
typed_gotrace_callers="gotrace record -- ./shop; gotrace report --callers main.lookup"
answer_gotrace_callers() { awk '$1 ~ /%$/ && $NF ~ /^main\.(render|tick)$/ { sub(/main\./, "", $NF); print $NF, $4 }' | sort; }

typed_uftrace_arguments="uftrace record -A 'handle@arg1/s,arg2' ./shop_c; uftrace replay -F handle -D 1"
answer_uftrace_arguments() { sed -n 's/.* handle("\([^"]*\)", \([0-9]*\)).*/\1 \2/p'; }
typed_uftrace_results="uftrace record -R handle@retval ./shop_c; uftrace replay -F handle -D 1"
answer_uftrace_results() { sed -n -e 's/.*handle() = -1.*/error/p' -e 's/.*handle() = \([0-9]*\);.*/\1/p' -e 's/.*} = -1;.*/error/p' -e 's/.*} = \([0-9]*\);.*/\1/p'; }
typed_uftrace_slow="uftrace record -t 20ms ./shop_c; uftrace replay"
answer_uftrace_slow() { grep -cE '(^| )handle\(\)'; }
typed_uftrace_inside="uftrace record -F handle ./shop_c; uftrace report"
answer_uftrace_inside() { awk '$NF == "lookup" { print $(NF - 1) }'; }
typed_uftrace_callers="uftrace record ./shop_c; uftrace graph lookup"
answer_uftrace_callers() {
	awk '/hit [0-9]+/ { hits = $4 + 0 } /\[[0-9]+\] lookup/ { print before, hits } /\[[0-9]+\]/ { before = $2 }' | sort
}

typed_delve_arguments="dlv trace --exec ./shop main.handle"
answer_delve_arguments() { sed -n 's/^> .*main\.handle("\([^"]*\)", \([0-9]*\))$/\1 \2/p'; }
typed_delve_results=$typed_delve_arguments
answer_delve_results() { sed -n -e 's/^>> .*=> (\([0-9]*\),.*nil.*/\1/p' -e 's/^>> .*no such item.*/error/p'; }
typed_delve_slow=
typed_delve_inside=
typed_delve_callers="dlv trace --stack 1 --exec ./shop main.lookup"
answer_delve_callers() { # its stack follows each call and each return
	sed 's/\x1b\[[0-9;]*m//g' | awk '/^> / { here = 1 } /^>> / { here = 0 } here && $1 == 1 { sub(/main\./, "", $4); n[$4]++ } END { for (f in n) print f, n[f] }' | sort
}

typed_bpftrace_arguments="bpftrace -c ./shop -e 'uprobe:./shop:main.handle { printf(\"%s %d\\n\", str(reg(\"ax\"), reg(\"bx\")), reg(\"cx\")); }'"
answer_bpftrace_arguments() { grep -E '^/(item/[0-9]+|slow) [0-9]+$'; }
# RETs by hand, as a return probe crashes Go programs whose stacks move; in a copy without symbols, as bpftrace
# refuses places inside a function that it knows.
objcopy --strip-all shop shop_s
at() { echo "uprobe:./shop_s:$((0x$1 - 0x400000))"; } # offset in the file
entry_of() { nm shop | awk -v f="$1" '$3 == f { print $1 }'; }
handle=$(at "$(entry_of main.handle)") lookup=$(at "$(entry_of main.lookup)")
ret=$(objdump -d --disassemble=main.handle shop | awk '$NF == "ret" { sub(/:/, "", $1); print $1 }' |
	while read -r a; do at "$a"; done | paste -sd,)
typed_bpftrace_results="bpftrace --unsafe -c ./shop_s -e '$ret { if (reg(\"bx\")) { printf(\"error\\n\"); } else { printf(\"%d\\n\", reg(\"ax\")); } }'"
answer_bpftrace_results() { grep -E '^([0-9]+|error)$'; }
typed_bpftrace_slow="bpftrace --unsafe -c ./shop_s -e '$handle { @at[reg(\"r14\")] = nsecs; } $ret /nsecs - @at[reg(\"r14\")] >= 20000000/ { @slow++; }'"
answer_bpftrace_slow() { sed -n 's/^@slow: //p'; }
typed_bpftrace_inside="bpftrace --unsafe -c ./shop_s -e '$handle { @in[reg(\"r14\")] = 1; } $ret { delete(@in[reg(\"r14\")]); } $lookup /@in[reg(\"r14\")]/ { @lookups++; }'"
answer_bpftrace_inside() { sed -n 's/^@lookups: //p'; }
typed_bpftrace_callers="BPFTRACE_CACHE_USER_SYMBOLS=1 bpftrace -c ./shop -e 'uprobe:./shop:main.lookup { @[usym(*(uint64 *)reg(\"sp\"))] = count(); }'"
answer_bpftrace_callers() { sed -n 's/^@\[main\.\(render\|tick\)\(+[0-9]*\)*\]: /\1 /p' | sort; }

echo tool,question,characters,answer >"$out/answers.csv"
for question in arguments results slow inside callers; do
	"truth_$question" >truth
	for tool in gotrace uftrace delve bpftrace; do
		typed=typed_${tool}_$question
		answer=none
		if [ -n "${!typed}" ]; then
			rm -rf uftrace.data* gotrace.out*
			echo "${!typed}" >"$out/typed/$question.$tool"
			timeout 120 bash -c "${!typed}" >said 2>&1 || true
			sed "s|$scratch|SCRATCH|g; s|$top/||g" said >"$out/said/$question.$tool"
			"answer_${tool}_$question" <said >answer || true
			answer=wrong
			if cmp -s truth answer; then answer=right; elif [ -s answer ] && [ "$(wc -l <answer)" -lt "$(wc -l <truth)" ]; then answer=part; fi
		fi
		echo "$tool,$question,$(printf %s "${!typed}" | wc -c),$answer" | tee -a "$out/answers.csv"
	done
done
note uftrace "$(uftrace --version | sed 's/ (.*//')"
note bpftrace "$(bpftrace --version)"
note delve "$DELVE"
end_run
{
	echo "# Five questions, four tools"
	echo
	echo "Characters to type, and the answer. uftrace is asked about the same program in C, compiled for it with \`-pg\`."
	echo
	echo "| question | gotrace | uftrace (C) | Delve | bpftrace |"
	echo "|---|---|---|---|---|"
	awk -F, 'NR > 1 { c[$2, $1] = $4 == "none" ? "cannot be asked" : $3 ", " $4; if (!seen[$2]++) q[++n] = $2 }
		END { for (i = 1; i <= n; i++) printf "| %s | %s | %s | %s | %s |\n", q[i], c[q[i], "gotrace"], c[q[i], "uftrace"], c[q[i], "delve"], c[q[i], "bpftrace"] }' "$out/answers.csv"
} >"$out/summary.md"
cat "$out/summary.md"
