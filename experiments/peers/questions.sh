# The questions: what is true, what is typed to each tool, and how what it says becomes an answer; sourced by run.sh in the
# folder that has ./shop, ./shop_c and shop.go.
# shellcheck shell=bash disable=SC2034 # read by name

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
answer_gotrace_callers() { awk '$1 ~ /%$/ && $NF ~ /^main\.(render|tick)$/ { sub(/main\./, "", $NF); print $NF, $(NF - 1) }' | sort; }

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
# It prints addresses, not names, of a program that has ended.
typed_bpftrace_callers="bpftrace -c ./shop -e 'uprobe:./shop:main.lookup { printf(\"%llx\\n\", *(uint64 *)reg(\"sp\")); }' | addr2line -fe ./shop | grep ^main | sort | uniq -c"
answer_bpftrace_callers() { sed -n 's/^ *\([0-9]*\) main\.\(.*\)/\2 \1/p'; }

# perf has a probe's registers in its events, and no memory of its own: what takes two events is awk's. Strings of Go have no
# end, and are cut behind their length.
rets=$(objdump -d --disassemble=main.handle shop | awk -v start="$(entry_of main.handle)" '$NF == "ret" { sub(/:/, "", $1); print $1, start }' |
	while read -r a b; do echo $((0x$a - 0x$b)); done)
ret_probes() { for off in $rets; do printf " -a 'ret%s=main.handle+%s%s'" "$off" "$off" "$1"; done; } # ARGUMENTS
perf_ends="perf probe -qx ./shop -a 'handle=main.handle g=%r14'$(ret_probes ' g=%r14')"
typed_perf_arguments="perf probe -qx ./shop 'handle=main.handle len=%bx:u64 n=%cx:u64 path=+0(%ax):string'; perf record -qe probe_shop:handle ./shop; perf script"
answer_perf_arguments() {
	awk 'match($0, /len=[0-9]+ n=[0-9]+ path="/) {
		split(substr($0, RSTART, RLENGTH), f, /[= ]/)
		print substr($0, RSTART + RLENGTH, f[2]), f[4]
	}'
}
typed_perf_results="perf probe -qx ./shop$(ret_probes ' value=%ax:u64 err=%bx'); perf record -qe 'probe_shop:*' ./shop; perf script"
answer_perf_results() { sed -n -e 's/.*value=\([0-9]*\) err=0x0$/\1/p' -e 's/.*value=[0-9]* err=0x.*/error/p'; }
typed_perf_slow="$perf_ends; perf record -qe 'probe_shop:*' ./shop; perf script -F time,event,trace | awk '/:handle:/ { at[\$NF] = \$1 } /:ret/ && \$1 - at[\$NF] >= 0.02 { n++ } END { print n }'"
answer_perf_slow() { sed -n '/^[0-9]*$/p'; }
typed_perf_inside="$perf_ends -a 'lookup=main.lookup g=%r14'; perf record -qe 'probe_shop:*' ./shop; perf script -F event,trace | awk '/:handle:/ { in_it[\$NF] = 1 } /:ret/ { in_it[\$NF] = 0 } /:lookup:/ { n += in_it[\$NF] } END { print n }'"
answer_perf_inside() { sed -n '/^[0-9]*$/p'; }
typed_perf_callers="perf probe -qx ./shop 'lookup=main.lookup by=+0(%sp)'; perf record -qe probe_shop:lookup ./shop; perf script | sed 's/.*by=//' | addr2line -fe ./shop | grep ^main | sort | uniq -c"
answer_perf_callers() { sed -n 's/^ *\([0-9]*\) main\.\(.*\)/\2 \1/p'; }

# Go's own. The execution trace knows of calls only what regions say that are written into the program, here by sed; arguments and
# results would have to be logged by hand, too.
traced_go() { # FUNCTION...
	local f
	# shellcheck disable=SC2016 # for sed
	printf '%s' 'sed '"'"'s/^import (/&\n"context"\n"os"\n"runtime\/trace"/; s/^func main.*/&\ntrace.Start(os.Stdout)\ndefer trace.Stop()/'
	for f; do printf '; s/^func %s(.*/&\\ndefer trace.StartRegion(context.Background(), "%s").End()/' "$f" "$f"; done
	printf '%s' "' shop.go >traced.go; go run traced.go >trace.out; go tool trace -d=parsed trace.out"
}
typed_exectrace_arguments=
typed_exectrace_results=
typed_exectrace_slow="$(traced_go handle) | sed -n 's/.* G=\(.*\) Region\(.*\) Time=\([0-9]*\) .*/\1 \2 \3/p' | awk '\$2 == \"Begin\" { at[\$1] = \$3 } \$2 == \"End\" && \$3 - at[\$1] >= 2e7 { n++ } END { print n }'"
answer_exectrace_slow() { sed -n '/^[0-9]*$/p'; }
typed_exectrace_inside="$(traced_go handle lookup) | sed -n 's/.* G=\(.*\) Region\(.*\) Time=.*Type=\(.*\)/\1 \2 \3/p' | awk '/handle/ { in_it[\$1] = \$2 == \"Begin\" } /Begin \"lookup/ { n += in_it[\$1] } END { print n }'"
answer_exectrace_inside() { sed -n '/^[0-9]*$/p'; }
typed_exectrace_callers="$(traced_go lookup) | grep -A4 RegionBegin | grep -o 'main\.[a-z]* ' | grep -v lookup | sort | uniq -c"
answer_exectrace_callers() { sed -n 's/^ *\([0-9]*\) main\.\([a-z]*\) *$/\2 \1/p'; }
# The CPU profile has the stacks of a hundred samples a second of processor time: it can be asked who calls, and knows it by samples.
typed_cpuprofile_arguments=
typed_cpuprofile_results=
typed_cpuprofile_slow=
typed_cpuprofile_inside=
typed_cpuprofile_callers="sed 's/^import (/&\n\"os\"\n\"runtime\/pprof\"/; s/^func main.*/&\npprof.StartCPUProfile(os.Stdout)\ndefer pprof.StopCPUProfile()/' shop.go >profiled.go; go run profiled.go >cpu.prof; go tool pprof -peek main.lookup cpu.prof"
answer_cpuprofile_callers() { awk '/\| +main\./ { print }'; }
