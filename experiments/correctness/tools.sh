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
# one call to the exit of another. Returns 1 with $reason when that is not possible.
# shellcheck shell=bash disable=SC2034,SC2154

# ---- gotrace

run_gotrace() { with_gotrace emulated "$@"; }
run_gotrace_thesis() { with_gotrace thesis "$@"; }

with_gotrace() { # STRATEGY PROGRAM ARG...
	local strategy=$1 program=$bin/$2
	shift 2
	status=0
	if [ "${program##*/}" = phases ]; then
		around_phases "$program" "" "$GOTRACE" record -o "$work/trace" --probe="$strategy" --pid TARGET || return 1
	else
		timeout -k 5 "$LIMIT" "$GOTRACE" record -o "$work/trace" --probe="$strategy" -- "$program" "$@" \
			>"$work/printed" 2>"$work/err" || status=$?
	fi
	"$GOTRACE" report "$work/trace" --by=function --format=csv >"$work/report.csv" 2>>"$work/err" || {
		reason="no trace: $(tail -n 1 "$work/err")"
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

# Lines "KIND FILE_OFF FUNCTION" of every entry and RET that the thesis's plan names.
sites_of() { # BINARY
	"$GOTRACE" plan --probe=thesis --format=json "$1" | awk '
	/^ *"runtime_sites"/ { exit }
	/^ *"name":/ { sub(/^ *"name": "/, ""); sub(/",?$/, ""); name = $0 }
	/^ *"kind":/ { gsub(/[",]/, ""); kind = $2 }
	/^ *"file_off":/ && kind != "morestack" { gsub(/,/, ""); print kind, $2, name }'
}

# The script that users write: count, and pair by thread and function. Functions
# are numbers here, long names do not fit. What @was holds takes no part in the
# pairing: it says afterwards whether both ends were one frame's.
bpftrace_script() { # BINARY; sites on stdin
	printf '%s\n' 'BEGIN { printf("ready\n"); }'
	while read -r kind off name; do
		n=$(grep -nxF -- "$name" "$work/names" | cut -d: -f1)
		probe="uprobe:$1:$off"
		case $kind in entry*)
			echo "$probe { @calls[$n]++; @start[tid, $n] = nsecs;
				@was[tid, $n] = *(uint64*)(reg(\"r14\") + 8) - reg(\"sp\"); @whose[tid, $n] = reg(\"r14\"); }"
			;;
		esac
		case $kind in exit | *+exit)
			echo "$probe { @returned[$n]++;
				if (@start[tid, $n]) {
					@durations[$n]++;
					if (@whose[tid, $n] != reg(\"r14\") ||
						@was[tid, $n] != *(uint64*)(reg(\"r14\") + 8) - reg(\"sp\")) { @foreign[$n]++; }
					delete(@start[tid, $n]);
				} }"
			;;
		esac
	done
	echo 'END { clear(@start); clear(@was); clear(@whose); }'
}

# Debian's bpftrace places no probe inside a function that it can see the bounds of.
run_bpftrace() { # PROGRAM ARG...
	local program=$stripped/$1
	shift
	sites_of "$program" >"$work/sites"
	cut -d' ' -f3- "$work/sites" | sort -u >"$work/names"
	bpftrace_script "$program" <"$work/sites" >"$work/script.bt"
	beside_bpftrace "$program" "$@" -- --unsafe "$work/script.bt"
}

# The same with the tool's own way to catch a return.
run_bpftrace_uretprobe() { # PROGRAM ARG...
	local program=$bin/$1
	shift
	sites_of "$program" | cut -d' ' -f3- | sort -u >"$work/names"
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
		! grep -q ready "$work/out" || return 0
		kill -0 "$tracer" 2>/dev/null || break
		sleep 0.1
	done
	stop_tool "$tracer"
	tracer=
	reason="not attached: $(grep -v RLIMIT_MEMLOCK "$work/err" | grep -i -m 1 error | cut -c 1-120)"
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

# ---- Delve

# In the build that Delve makes itself: in an optimised one it refuses functions with arguments.
run_delve() { # PROGRAM ARG...
	local program=$debug/$1 got=0 refused
	shift
	status= # it does not tell
	sites_of "$program" | cut -d' ' -f3- | sort -u >"$work/names"
	if [ "${program##*/}" = phases ]; then
		around_phases "$program" 3 dlv trace --ebpf --pid TARGET '^main\.' || return 1
	else
		# The program's arguments come after the pattern.
		timeout -k 5 "$LIMIT" dlv trace --ebpf --exec "$program" '^main\.' -- "$@" \
			</dev/null >"$work/printed" 2>"$work/err" || got=$?
	fi
	if [ $got = 124 ] || [ $got = 137 ]; then
		reason="no end within $LIMIT s"
		return 1
	fi
	refused=$(grep -c '^unable to set tracepoint' "$work/err")
	[ "$refused" = 0 ] || trouble="$refused functions refused ($(sed -n 's/^unable to set tracepoint.*: //p' "$work/err" | sort | uniq -c |
		sort -rn | sed -n '1s/^ *[0-9]* //p' | tr -d '"'))"
	[ -s "$work/printed" ] || { reason="status $got: $(grep -v '^>' "$work/err" | head -n 1 | cut -c 1-120)"; return 1; }
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
	wait_s=$2
	shift 2
	tool_command=("$@")
	target_phases "$program" start_tool stop_started
	grep -q '^count' "$work/printed" || {
		reason="the program did not end: $(grep -v '^>' "$work/err" | head -n 1 | cut -c 1-120)"
		return 1
	}
}
start_tool() {
	local i
	"${tool_command[@]/TARGET/$target}" </dev/null >"$work/out" 2>"$work/err" &
	tracer=$!
	if [ -n "$wait_s" ]; then
		sleep "$wait_s"
		return 0
	fi
	for ((i = 0; i < 100; i++)); do
		[ "$(grep -l link_type "/proc/$tracer/fdinfo/"* 2>/dev/null | wc -l)" -lt 3 ] || break
		sleep 0.1
	done
	sleep 0.3
}
stop_started() { stop_tool "$tracer"; }
