# The tools, one function each; sourced by run.sh.
#
#   run_TOOL PROGRAM ARG...
#
# runs the program with the tool on all functions of package main, leaves what the
# program printed in $work/printed, its status in $status ("" when the tool does
# not tell), and what the tool reported in $work/reported, a line a function:
#
#   FUNCTION<tab>calls<tab>returned<tab>durations<tab>foreign<tab>unwound<tab>unfinished<tab>suspect
#
# with - for what the tool has no notion of. foreign: durations from the entry of
# one call to the exit of another. $work/refused names functions that the tool says it cannot
# trace, and $refusal why. Returns 1 with $verdict and $reason where there is nothing to compare.
# shellcheck shell=bash disable=SC2034,SC2154

gives() { # VERDICT REASON
	verdict=$1 reason=$2
}

# ---- gotrace

run_gotrace() { with_gotrace auto "$@"; } # inline stubs and states
run_gotrace_springboard() { with_gotrace springboard "$@"; }
run_gotrace_emulated() { with_gotrace emulated "$@"; }
run_gotrace_thesis() { with_gotrace thesis "$@"; }

with_gotrace() { # STRATEGY PROGRAM ARG...
	local record=("$GOTRACE" record --max-cost=off -o "$work/trace" --probe="$1") program=$bin/$2
	shift 2
	status=0
	if [ "${program##*/}" = phases ]; then
		around_phases "$program" "" "${record[@]}" --traps --pid TARGET || return 1
	else
		timeout -k 5 "$LIMIT" "${record[@]}" -- "$program" "$@" >"$work/printed" 2>"$work/err" || status=$?
	fi
	case $status in 126 | 127) cannot "$GOTRACE cannot be run: $(head -n 1 "$work/err")" ;; esac
	if [ "$status" = 125 ]; then
		gives refused "$(head -n 1 "$work/err")"
		return 1
	fi
	"$GOTRACE" report "$work/trace" --by=function --format=csv >"$work/report.csv" 2>>"$work/err" || {
		gives wrong "no trace: $(tail -n 1 "$work/err")"
		return 1
	}
	# A finished call has a duration, and the report knows of no call that it would be another's.
	awk '
	NR > 1 {
		if (match($0, /^"([^"]|"")*"/)) {
			name = substr($0, 2, RLENGTH - 2)
			split("x" substr($0, RLENGTH + 1), column, ",")
		} else {
			split($0, column, ",")
			name = column[1]
		}
		returned = column[2] - column[9] - column[10] - column[11]
		printf "%s\t%d\t%d\t%d\t0\t%d\t%d\t%d\n", name, column[2], returned, returned,
			column[10], column[9], column[11]
	}' "$work/report.csv" >"$work/reported"
}

# ---- bpftrace

# Lines "KIND FILE_OFF FUNCTION" of every entry and RET that the thesis's plan names, once for each binary.
sites_of() { # BINARY; writes $work/sites and, each function once, $work/names
	local kept
	kept=$work/sites.$(tr / _ <<<"$1")
	[ -s "$kept" ] || plan_sites "$1" >"$kept"
	cp "$kept" "$work/sites"
	cut -d' ' -f3- "$work/sites" | LC_ALL=C sort -u >"$work/names"
}
plan_sites() { # BINARY
	"$GOTRACE" plan --probe=thesis --format=json "$1" | awk '
	/^ *"runtime_sites"/ { exit }
	/^ *"name":/ { sub(/^ *"name": "/, ""); sub(/",?$/, ""); name = $0 }
	/^ *"kind":/ { gsub(/[",]/, ""); kind = $2 }
	/^ *"file_off":/ && kind != "morestack" { gsub(/,/, ""); print kind, $2, name }'
}

# The script that users write: count, and pair by KEY (thread, or goroutine: its g is in R14) and
# function. Functions are numbers here, long names do not fit. What @was holds takes no part in the
# pairing: it says afterwards whether both ends were one frame's.
bpftrace_script() { # BINARY KEY; sites on stdin
	awk -v binary="$1" -v key="$2" -v names="$work/names" '
	BEGIN {
		while ((getline line < names) > 0) number[line] = ++n
		frame = "*(uint64*)(reg(\"r14\") + 8) - reg(\"sp\")"
		print "BEGIN { printf(\"ready\\n\"); }"
	}
	{
		f = number[substr($0, length($1 $2) + 3)]
		probe = "uprobe:" binary ":" $2
		at = "[" key ", " f "]"
	}
	$1 ~ /^entry/ {
		print probe " { @calls[" f "]++; @start" at " = nsecs; @was" at " = " frame "; @whose" at " = reg(\"r14\"); }"
	}
	$1 ~ /^exit$|\+exit$/ {
		print probe " { @returned[" f "]++; if (@start" at ") { @durations[" f "]++;"
		print "if (@whose" at " != reg(\"r14\") || @was" at " != " frame ") { @foreign[" f "]++; } delete(@start" at "); } }"
	}
	END { print "END { clear(@start); clear(@was); clear(@whose); }" }'
}

run_bpftrace() { with_bpftrace tid "$@"; }
run_bpftrace_r14() { with_bpftrace 'reg("r14")' "$@"; }

# Debian's bpftrace places no probe inside a function that it can see the bounds of.
with_bpftrace() { # KEY PROGRAM ARG...
	local key=$1 program=$stripped/$2
	shift 2
	sites_of "$program"
	bpftrace_script "$program" "$key" <"$work/sites" >"$work/script.bt"
	beside_bpftrace "$program" "$@" -- --unsafe "$work/script.bt"
}

# The same with the tool's own way to catch a return.
run_bpftrace_uretprobe() { # PROGRAM ARG...
	local program=$bin/$1
	shift
	sites_of "$program"
	{
		printf '%s\n' 'BEGIN { printf("ready\n"); }'
		n=0
		while read -r name; do
			n=$((n + 1))
			echo "uprobe:$program:\"$name\" { @calls[$n]++; @start[tid, $n] = nsecs; }"
			echo "uretprobe:$program:\"$name\" { @returned[$n]++;
				if (@start[tid, $n]) { @durations[$n]++; delete(@start[tid, $n]); } }"
		done <"$work/names"
		echo 'END { clear(@start); }'
	} >"$work/script.bt"
	beside_bpftrace "$program" "$@" -- "$work/script.bt"
}

beside_bpftrace() { # PROGRAM ARG... -- BPFTRACE-ARG...
	local command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	bpftrace_command=(bpftrace "$@")
	status=0
	if [ "${command[0]##*/}" = phases ]; then
		target_phases "${command[0]}" start_bpftrace stop_started
		[ -n "$tracer" ] || return 1
	else
		start_bpftrace || return 1
		timeout -k 5 "$LIMIT" "${command[@]}" >"$work/printed" 2>"$work/err.target" || status=$?
	fi
	stop_tool "$tracer"
	awk -v names="$work/names" '
	BEGIN { while ((getline line < names) > 0) name[++n] = line }
	match($0, /^@[a-z]+\[[0-9]+\]: /) {
		split($0, part, /[@\[\]: ]+/)
		value[part[2], part[3]] = part[4]
	}
	END {
		for (i = 1; i <= n; i++)
			if (value["calls", i] || value["returned", i])
				printf "%s\t%d\t%d\t%d\t%s\t-\t-\t-\n", name[i], value["calls", i], value["returned", i],
					value["durations", i], value["foreign", i] + 0
	}' "$work/out" >"$work/reported"
}

start_bpftrace() { # sets tracer: its pid, or "" with $reason when it gives up
	local i
	"${bpftrace_command[@]}" >"$work/out" 2>"$work/err" &
	tracer=$!
	for ((i = 0; i < 10 * LIMIT; i++)); do
		! grep -qs ready "$work/out" || return 0
		kill -0 "$tracer" 2>/dev/null || break
		sleep 0.1
	done
	stop_tool "$tracer"
	tracer=
	gives refused "not attached: $(grep -v RLIMIT_MEMLOCK "$work/err" | grep -i -m 1 error | cut -c 1-120)"
	return 1
}

# Interrupts a tool, as Ctrl-C does, and waits for what it prints then.
stop_tool() { # PID
	local i
	kill -INT "$1" 2>/dev/null || true
	for ((i = 0; i < 300; i++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

# ---- perf

# Probes at the entries and RETs that bpftrace gets, too, counted by perf stat. perf probe cannot name
# them: it makes of each function of package main an event "main".
run_perf() { # PROGRAM ARG...
	local program=$bin/$1 stat=(perf stat -x ' ' -o "$work/counts" -e "$perf_group:*")
	shift
	status=0
	sites_of "$program"
	rm -f "$work/counts"
	perf_unprobe
	awk -v group="$perf_group" -v binary="$program" '{ printf "p:%s/at_%d %s:%s\n", group, NR, binary, $2 }' "$work/sites" >"$work/probes"
	cat "$work/probes" 2>"$work/err" >>"$tracefs/uprobe_events" || { # in one write: awk would cut lines
		gives refused "no probes: $(tail -n 1 "$work/err")"
		return 1
	}
	if [ "${program##*/}" = phases ]; then
		around_phases "$program" 1 "${stat[@]}" -p TARGET || return 1
	else
		timeout -k 5 "$LIMIT" "${stat[@]}" -- "$program" "$@" >"$work/printed" 2>"$work/err" || status=$?
	fi
	perf_unprobe
	[ -s "$work/counts" ] || { gives refused "$(head -n 1 "$work/err")"; return 1; }
	awk '
	NR == FNR { kind[NR] = $1; name[NR] = substr($0, length($1 $2) + 3); next }
	match($0, /:at_[0-9]+/) {
		n = substr($0, RSTART + 4, RLENGTH - 4)
		seen[name[n]]
		if (kind[n] ~ /^entry/) calls[name[n]] += $1
		if (kind[n] ~ /^exit$|\+exit$/) returned[name[n]] += $1
	}
	END {
		for (f in seen)
			if (calls[f] || returned[f])
				printf "%s\t%d\t%d\t-\t-\t-\t-\t-\n", f, calls[f], returned[f]
	}' "$work/sites" "$work/counts" >"$work/reported"
}
tracefs=/sys/kernel/tracing perf_group=gotrace_correctness_$$
perf_unprobe() { # this group's alone
	local event
	sed -n "s|^p:\\($perf_group/[^ ]*\\).*|-:\\1|p" "$tracefs/uprobe_events" 2>/dev/null >"$work/unprobe"
	while read -r event; do echo "$event" >>"$tracefs/uprobe_events"; done <"$work/unprobe"
}
perf_reason() { # why perf is not run, or nothing
	command -v perf >/dev/null || { echo "perf is not installed; run: ci/deps.sh correctness"; return; }
	[ -w "$tracefs/uprobe_events" ] || mount -t tracefs tracefs "$tracefs" 2>/dev/null
	[ -w "$tracefs/uprobe_events" ] || echo "this kernel's tracefs has no uprobe_events"
}

# ---- Delve

run_delve() { with_delve trace "$@"; } # stops the program at each call and return
run_delve_ebpf() { with_delve 'trace --ebpf' "$@"; }

# In the build that Delve makes itself: in an optimised one it refuses functions with arguments.
with_delve() { # COMMAND PROGRAM ARG...
	local program=$debug/$2 got=0 verb
	read -ra verb <<<"$1"
	shift 2
	status= # it does not tell
	sites_of "$program"
	if [ "${program##*/}" = phases ]; then
		around_phases "$program" 3 dlv "${verb[@]}" --pid TARGET '^main\.' || return 1
	else
		# The program's arguments come after the pattern.
		timeout -k 5 "$SLOW_LIMIT" dlv "${verb[@]}" --exec "$program" '^main\.' -- "$@" \
			</dev/null >"$work/printed" 2>"$work/err" || got=$?
	fi
	if [ $got = 124 ] || [ $got = 137 ]; then
		gives "no end" "not within $SLOW_LIMIT s"
		return 1
	fi
	sed -n 's/^unable to set tracepoint on function \(.*\): "\(.*\)"$/\1\t\2/p' "$work/err" >"$work/unset"
	cut -f1 "$work/unset" >"$work/refused"
	refusal=$(cut -f2 "$work/unset" | sed 's/.*: //' | LC_ALL=C sort -u | tr -d , | paste -sd/ | sed 's|/| / |g')
	[ -s "$work/printed" ] || { gives refused "status $got: $(grep -v '^>' "$work/err" | head -n 1 | cut -c 1-120)"; return 1; }
	awk -v names="$work/names" '
	BEGIN { while ((getline line < names) > 0) name[++n] = line }
	/^>>? goroutine\([0-9]+\): / {
		back = $1 == ">>"
		sub(/^>>? goroutine\([0-9]+\): /, "")
		for (i = 1; i <= n; i++)
			if (substr($0, 1, length(name[i]) + 1) == name[i] (back ? " " : "("))
				back ? returned[i]++ : calls[i]++
	}
	END {
		for (i = 1; i <= n; i++)
			if (calls[i] || returned[i])
				printf "%s\t%d\t%d\t-\t-\t-\t-\t-\n", name[i], calls[i], returned[i]
	}' "$work/err" >"$work/reported"
}

# ---- a tracer that comes and goes while the program runs

# Runs phases (fixtures/programs/phases says what its parts are); START and STOP
# are run before the first part and before the last.
target_phases() { # BINARY START STOP
	"$1" >"$work/printed" 2>/dev/null &
	target=$!
	phase 1 && $2 && kill -USR1 $target && phase 2 && kill -USR1 $target && phase 3 && $3 && kill -USR1 $target
	sleep 0.2
	kill $target 2>/dev/null || true
	wait $target 2>/dev/null || true
}
phase() { # N: waits until the program is about to do it
	local i
	for ((i = 0; i < 100; i++)); do
		! grep -q "part $1 is next" "$work/printed" || return 0
		sleep 0.1
	done
	return 1
}

# BINARY SECONDS COMMAND... with TARGET for the pid; SECONDS to attach, or "" to look at its links
around_phases() {
	local program=$1
	wait_s=$2 early=
	shift 2
	tool_command=("$@")
	target_phases "$program" start_tool stop_started
	if [ -n "$early" ]; then
		gives refused "$early"
		return 1
	fi
	grep -q '^count' "$work/printed" || {
		gives wrong "the program did not end: $(grep -v '^>' "$work/err" | head -n 1 | cut -c 1-120)"
		return 1
	}
}
start_tool() {
	local i
	"${tool_command[@]/TARGET/$target}" </dev/null >"$work/out" 2>"$work/err" &
	tracer=$!
	if [ -n "$wait_s" ]; then
		sleep "$wait_s"
		ended_early
		return 0
	fi
	for ((i = 0; i < 100; i++)); do
		kill -0 "$tracer" 2>/dev/null || break
		[ "$(grep -l link_type "/proc/$tracer/fdinfo/"* 2>/dev/null | wc -l)" -lt 3 ] || break
		sleep 0.1
	done
	sleep 0.3
	ended_early
}
ended_early() {
	kill -0 "$tracer" 2>/dev/null || early="it ended at once: $(head -n 1 "$work/err" | cut -c 1-200)"
}
stop_started() { stop_tool "$tracer"; }
