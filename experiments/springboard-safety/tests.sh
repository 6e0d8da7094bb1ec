# What springboard must not do to a program: the tests of ci/live/springboard.sh, and of run.sh,
# which runs them for hours with every Go version. Sourced, after ci/live/lib.sh. $programs has
# what fixtures/programs/build.sh made; $strike is strike.c, built, and $meddle meddle.c.
# shellcheck shell=bash
: "${programs:?}" "${strike:?}" "${meddle:?}"
hazards=$programs/default/hazards
options=()
SELECT=() # more options of record, for the tests that set it,
RECORD=() # and for all
BESIDE=() # calls at a time, and rounds of work in between, of start_beside's program
LEFT=0    # stubs that may be left out

# options_of KIND: sets $options. A kind of stub, or inline, or drop: inline with rings that overflow.
options_of() {
	case $1 in
	inline) options=(--probe=inline) ;;
	drop) options=(--probe=inline --overflow=drop --ring=64K) ;;
	*) options=(--probe=springboard --stub="$1") ;;
	esac
}
# springboard KIND COMMAND...: traced so.
springboard() {
	options_of "$1"
	shift
	while [[ $1 == --* ]]; do options+=("$1"); shift; done # more options
	gt record -o trace "${options[@]}" "${RECORD[@]}" "${SELECT[@]}" -- "$@"
}
stubs_used() { # TRACE
	gt info "$1" >told
	[[ ${options[*]} != *=inline* || $(awk '$1 == "probe.strategy" { print $2 }' told) = inline ]] || fail "not inline: $(cat err)"
	[ "$(awk '$1 == "end.stubs" { print $2 }' told)" -gt 0 ] || fail "no stub was used"
	[ "$(awk '$1 == "end.stubs_left" { print $2 }' told)" -le "$LEFT" ] || fail "a stub was not entered"
	[ "$(awk '$1 == "inline.overflow" { print $2 }' told)" = drop ] ||
		[ "$(awk '$1 == "end.lost_events" { print $2 }' told)" = 0 ] || fail "events were lost: $(awk '/^(ring|end)[.](bytes|lost|dropped)/ { printf "%s %s, ", $1, $2 }' told)"
}
agrees() { # the trace with what the program printed
	[ "$(gt info trace | awk '$1 == "inline.overflow" { print $2 }')" != drop ] || return 0
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
exact() { # KIND BINARY ARG...
	local tries
	for tries in 1 2 3; do
		springboard "$@" >printed 2>err
		page_moved || held_up || break
		echo "try $tries: an event was lost as a page was moved, or came late"
	done
	stubs_used trace
	agrees
}

# With --overflow=drop: events recorded and lost are as many as the program makes.
events_of() { # TRACE: recorded by probes of calls, and lost
	gt info "$1" | awk '$1 ~ /^(entry|exit)$/ { n += $2 } $1 == "entry-exit" { n += $2 }
		$1 == "lost_events" { lost = $2 } END { print n + lost, lost + 0 }'
}
adds_up() {
	local all lost whole
	springboard inline --no-states --ring=32M "$hazards" crowd 2 60000 >printed 2>err
	stubs_used trace
	read -r whole lost < <(events_of trace)
	[ "$lost" = 0 ] || fail "$lost events were lost"
	springboard drop --no-states --ring=4K "$hazards" crowd 2 60000 >printed 2>err
	stubs_used trace
	read -r all lost < <(events_of trace)
	[ "$lost" -gt 0 ] || fail "no ring was full"
	[ "$all" = "$whole" ] || fail "$all events, not $whole"
	gt report trace --by=function --format=csv | awk -F, 'NR > 1 { n += $11 } END { exit !n }' || fail "no call is suspect"
}

# In the background: gotrace is $!, its program $target, until end_beside.
start_beside() { # RECORD-OPTION...
	"$GOTRACE" record -o trace --probe=inline "${RECORD[@]}" "$@" -- "$hazards" beside 600000 "${BESIDE[@]}" >printed 2>err &
	for _ in $(seq 3000); do
		target=$(pgrep -P $! -x hazards) && grep -q gotrace-rings "/proc/$target/maps" && return
		sleep 0.02
	done
	fail "the program did not start: $(cat err)"
}
end_beside() {
	kill -TERM "$target"
	wait $! || fail "status $?: $(cat err)"
}
rings_written() { # BYTES LEAST: of rings of so many bytes
	[ "$("$meddle" rings "$target" "$1")" -ge "$2" ]
}
told() { # KEY
	awk -v key="$1" '$1 == key { print $2 }' told
}

# A thread that is stopped in the middle of its record holds nobody up: others' events are written,
# and its own, when it comes, with a loss record that doubts its goroutine's times.
held_in_a_stub() {
	# Go's own signal, sent meanwhile, would make it begin anew. The call that is in doubt below main.beside.func1 is one that
	# the held event begins; one that it ends has ended before the gap.
	export GODEBUG=asyncpreemptoff=1
	local ms both=2
	[ "$(nproc)" -gt 1 ] || both=1
	# A busy machine may keep gotrace waiting as well, or a thread of the program's own accord.
	for ms in 400 400 800 1600 3200; do
		# A state that comes late is in no call of its own.
		start_beside --no-states --ring=1M
		wait_for 60 rings_written 1048576 $both # both goroutines run
		"$meddle" hold $ms "$target"
		end_beside
		stubs_used trace
		[ "$(told end.ring_late)" != 1 ] || break
		echo "$(told end.ring_late) events came late of a thread that was held for $ms ms"
	done
	[ "$(told end.ring_late)" -gt 0 ] || fail "no event came late"
	[ "$(told end.lost_records)" -gt 0 ] || fail "no loss record tells of it"
	[ "$(csv_calls trace main.framed)" = "$(awk '$2 == "main.framed" { print $3 }' printed)" ] || fail "a call is missing"
	gt report trace --by=function --format=csv |
		awk -F, '$1 == "main.beside.func1" { one = $11 == 1 } $1 == "main.framed" { more = $11 > 1 } END { exit !one || more }' ||
		fail "not one goroutine is in doubt"
}

# The program spoils its own ring: that one is not read any more, which is said; the others are, and
# the program goes on.
spoilt_ring() { # head|tail
	start_beside
	"$meddle" spoil "$1" "$target"
	sleep 1 # it goes on
	end_beside
	gt info trace >told
	[ "$(told end.rings_disabled)" = 1 ] || fail "$(told end.rings_disabled) rings are disabled"
	[ "$(told end.lost_events)" -gt 0 ] || fail "no loss is counted"
	expect_grep 'rings held what no stub writes' told
	grep -q '^count main.beside 1' printed || fail "the program did not end well"
}

# 64 Ps on however many processors: a ring for each, all of them full again and again.
many_processors() {
	export GOMAXPROCS=64
	# 800 events at a time are more than a ring of 4K holds. The collector keeps up, because it has 20 ms after them.
	BESIDE=(400 20000000)
	start_beside --ring=4K
	sleep 2 # they are full again and again
	wait_for 60 rings_written 4096 64
	end_beside
	stubs_used trace
	agrees
	[ "$(told inline.rings)" = 64 ] || fail "$(told inline.rings) rings"
	[ "$(told end.ring_most_bytes)" -ge $((4096 - 80)) ] || fail "no ring was full" # RING_ROOM is 80 bytes
	[ "$(told end.events_jump)" -gt 0 ] || fail "no event overflowed to a trap"
}

# Every package; the code that checks itself runs with fips140=on (Go 1.24).
everything() { # KIND
	"$hazards" hash 200 | grep '^sum' >plain
	SELECT=(-p all)
	GODEBUG=fips140=on ALLOW='^([^m]|m[^a]|ma[^i])' exact "$1" "$hazards" hash 200
	grep '^sum' printed | cmp plain -
}

same_counts() { # CALLS STRATEGY...: the same in each
	local p calls=$1
	shift
	for p in "$@"; do
		gt record -o trace --probe="$p" "${RECORD[@]}" -- "$hazards" crowd 4 "$calls" >printed 2>err
		agrees
		cut -d, -f1,2 report.csv | sort >"counts.$p"
		cmp "counts.$1" "counts.$p"
	done
}

# frames <TRACEBACK: functions, files, lines and pcs; without the values of arguments,
# goroutines' numbers and addresses of data. gotrace's own lines are no part of it.
frames() {
	grep -v '^gotrace: ' |
		sed -E 's/\((0x|\{|\.\.\.|_)[^()]*\)$/()/; s/ fp=0x[0-9a-f]+ sp=0x[0-9a-f]+//; s/^goroutine [0-9]+ (gp=0x[0-9a-f]+ m=[0-9]+ mp=0x[0-9a-f]+ )?/goroutine /; s/(addr=)0x[0-9a-f]+/\1/'
}

tracebacks() { # KIND
	local how
	for how in 0 1 2 4; do
		expect_status 2 "$hazards" crash "$how" 2>plain
		expect_status 2 springboard "$1" "$hazards" crash "$how" 2>traced
		frames <plain >plain.frames
		frames <traced >traced.frames
		grep -q 'main.through' plain.frames || fail "there is no traceback"
		diff plain.frames traced.frames || fail "another traceback"
	done
}

# quit_frames FILE: is every goroutine of `hazards quit` there with all its frames? Says what
# is not. Three spin, one sleeps below main.through.
quit_frames() {
	awk '
	/^gotrace: / { next }
	/unknown pc|runtime: pcdata|fatal error: unexpected/ { lost = lost $0 "; " }
	/^goroutine [0-9]/ { where = $0; next }
	/^main\.spin\(/ { spin[where] }
	/^main\.quit\.func1\(/ { root[where] }
	/^main\.through\(/ { through++ }
	/^main\.quit\(/ { quit++ }
	END {
		for (g in root) { roots++; if (!(g in spin) && g !~ /runnable/) lost = lost "no main.spin in " g " " } # not begun
		for (g in spin) if (!(g in root)) lost = lost "no main.quit.func1 in " g " "
		if (through != 4) lost = lost through + 0 " frames of main.through; "
		if (quit != 1) lost = lost quit + 0 " frames of main.quit; "
		if (roots < 1 || roots > 3) lost = lost roots + 0 " spinning goroutines; "
		print lost "spinning " roots + 0
		exit lost != ""
	}' "$1"
}

# A SIGQUIT after MS milliseconds, every thread's goroutine shown (GOTRACEBACK=crash, thus SIGABRT).
quits() { # KIND MS...
	local options ms
	options_of "$1"
	shift
	for ms in "$@"; do
		expect_status 134 env GOTRACEBACK=crash bash -c 'ulimit -c 0; exec "$@"' sh timeout 60 \
			"$GOTRACE" record -o trace "${options[@]}" -- "$hazards" quit "$ms" 2>traced
		quit_frames traced >judged || { cat traced; fail "$(cat judged)"; }
	done
}

same_state() { # KIND
	timeout 60 "$hazards" state 2>err | grep -v '^count\|^State:' >plain # as gt does: it resets signals
	springboard "$1" "$hazards" state 2>err | grep -v '^count\|^State:' >traced
	stubs_used trace
	diff plain traced || fail "the program sees a difference"
}

with_children() { # KIND
	exact "$1" "$hazards" children 3
	[ "$(grep -c '^from child [0-9-]* <nil>$' err)" = 3 ] || { cat err; fail "a child of the same binary went wrong"; }
	[ "$(grep -c '^from sh <nil>$' err)" = 3 ] || { cat err; fail "a child went wrong"; }
}

raw_exec() { # KIND: a new image behind the library's back is not patched, and that is said
	"$hazards" again | grep '^from' >plain
	springboard "$1" "$hazards" rawexec >printed 2>err
	grep '^from' printed | cmp plain - || { cat printed err; fail "the new image went wrong"; }
	gt report trace >text 2>&1
	gt info trace >>text 2>&1
	# Where another thread than the leader executes it, some kernels' filters do not know the new image at all.
	expect_grep 'executed itself anew|other program.* not traced' text
}

# exact, by emulated, with a warning.
steps_back() { # WARNING COMMAND...: which is record or has it at its end
	expect_grep "$1" err
	[ "$(gt info trace | awk '$1 == "probe.strategy" { print $2 }')" = emulated ] || fail "emulated is not what the trace says"
	agrees
}
odd_path() { # which /proc/PID/maps shows as it is not, and map_files does
	local odd=$PWD/$'new\nline'
	cp "$hazards" "$odd"
	timeout 60 "$odd" state 2>err | grep -v '^count' >plain
	springboard jump "$odd" state 2>err | cat >printed
	grep -v '^count\|^optional' printed >traced
	grep -v '^optional' plain | diff - traced || fail "the program sees a difference"
	stubs_used trace
	agrees
}
executes_itself() { # KIND: every image is counted, the new one by traps
	springboard "$1" "$programs/default/reexec" >printed 2>err
	expect_grep 'the command executed itself anew' err
	agrees
}
set_uid() {
	cp "$hazards" raised
	chmod 6755 raised
	springboard jump ./raised state >printed 2>err
	steps_back 'springboard is not used.*gains privileges'
}
file_capability() {
	command -v setcap >/dev/null || skip "setcap is not installed"
	cp "$hazards" raised
	setcap cap_net_raw+ep raised || skip "this file system keeps no capabilities"
	springboard jump ./raised state >printed 2>err
	steps_back 'springboard is not used.*gains privileges'
}
traced_already() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -f -o /dev/null timeout 60 "$GOTRACE" record -o trace --probe=springboard -- "$hazards" crowd 2 600 >printed 2>err
	steps_back 'springboard is not used.*ptrace'
}
no_executable_memory_files() {
	[ -e /proc/sys/vm/memfd_noexec ] || skip "this kernel has no vm.memfd_noexec"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --pid --fork --propagation unchanged --mount-proc bash -c 'echo 2 >/proc/sys/vm/memfd_noexec && exec "$@"' sh \
		timeout 60 "$GOTRACE" record -o trace --probe=springboard -- "$hazards" crowd 2 600 >printed 2>err
	stubs_used trace
	agrees
}

# ---- probes of the kernel's own, in every process, on what springboard leaves in place

# probed_by_others BINARY FUNCTION...: file offsets of what other tools probe: the first byte, push
# and mov of the frame, every RET, of main.FUNCTION.
probed_by_others() {
	local binary=$1 f p
	shift
	for f in "$@"; do
		for p in thesis emulated; do
			"$GOTRACE" plan --format=json --probe=$p -f "main.$f" "$binary" |
				awk '/"runtime_sites"/ { exit } /"kind"/ { kind = $2 } /"file_off"/ && kind ~ /entry|exit/ { print kind, $2 + 0 }'
		done
	done | sort -u | while read -r kind off; do
		echo "$off"
		if [[ $kind == *entry* ]] && [ "$(od -An -tx1 -j "$off" -N 4 "$binary" | tr -d ' ')" = 554889e5 ]; then
			echo $((off + 1))
		fi
	done | sort -nu | while read -r off; do printf '0x%x\n' "$off"; done
}

tracefs=/sys/kernel/tracing group=gotrace_live_$$
switch() { echo "$1" >"$tracefs/events/$group/enable"; }
remove_probes() {
	switch 0
	sed -n "s|^p:\\($group/[^ ]*\\).*|-:\\1|p" "$tracefs/uprobe_events" | while read -r line; do
		echo "$line" >>"$tracefs/uprobe_events"
	done
}
# It runs Go, so all stubs are in place: one that is held at its start has one thread.
started() {
	local pid
	pid=$(pgrep -f "^$hazards" | head -n 1) && [ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge 3 ]
}
others_probes() { # before | during CALLS KIND
	local off job calls=$2 LEFT=0
	# Mounted by nobody on a machine without systemd.
	[ -w "$tracefs/uprobe_events" ] || mount -t tracefs tracefs "$tracefs" || skip "no tracefs"
	[ -w "$tracefs/uprobe_events" ] || skip "this kernel's tracefs has no uprobe_events"
	probed_by_others "$hazards" leaf framed either tiny prefix checked dive work >sites
	[ "$(wc -l <sites)" -ge 12 ] || fail "few sites: $(cat sites)"
	trap remove_probes EXIT
	while read -r off; do
		echo "p:$group/at_$off $hazards:$off" >>"$tracefs/uprobe_events" || fail "no probe at $off"
	done <sites
	if [ "$1" = before ]; then
		switch 1
		LEFT=2 # where the jumps would lie on what is probed: the RET of tiny, the first jump of either
		exact "$3" "$hazards" crowd 4 "$2"
	else
		[ "$3" = jump ] || calls=$(($2 * 10)) # they cost next to nothing
		for _ in 1 2 3; do
			exact "$3" "$hazards" crowd 4 "$calls" &
			job=$!
			wait_for 600 eval 'started || ! kill -0 "$job" 2>/dev/null'
			while kill -0 "$job" 2>/dev/null; do # the program begins when it does
				switch 1
				sleep 0.2
				switch 0
				sleep 0.1
			done
			wait "$job" || fail "it went wrong"
			! were_hit || break
			calls=$((calls * 4)) # it ended before they were there
		done
	fi
	were_hit || fail "the other probes were not hit"
}
were_hit() { awk '$2 ~ /^at_/ { hits += $3 } END { exit hits == 0 }' "$tracefs/uprobe_profile"; }

# ---- gotrace and the program are hit by signals at the worst moments

struck() { # STATUS WHEN WHOM SIGNALS: both end, with this status; nothing hangs. $links: another option
	[ -x "$strike" ] || skip "strike was not built: there is no C compiler"
	local tries status
	for tries in $(seq 20); do
		status=0
		"$strike" "$2" "$3" "$4" "$GOTRACE" record -o trace "${probe:---probe=springboard}" ${links:+"$links"} -- "$hazards" crowd 2 6000 >printed 2>err || status=$?
		! grep -q 'strike: hangs' err || fail "it hangs"
		if grep -q 'strike: hit' err; then break; fi
	done
	grep -q 'strike: hit' err || skip "the moment was not hit in $tries tries"
	[ "$status" = "$1" ] || { cat err; fail "status $status"; }
}
goes_on() { # WHEN WHOM SIGNALS
	local tries
	for tries in 1 2 3; do
		struck 0 "$@"
		page_moved || break
		echo "try $tries: an event was lost as a page was moved"
	done
	agrees
}
gone() { ! pgrep -f "^$1" >/dev/null; }
whole_or_not_at_all() {
	wait_for 30 gone "$hazards"
	"$hazards" crowd 2 6000 | sort >plain
	[ ! -s printed ] || sort printed | cmp plain -
}
# gotrace is killed. Mostly the program never runs; when the signal comes late, it runs to its end.
orphaned() { # WHEN
	struck 137 "$1" tracer 9
	whole_or_not_at_all
}
goes_on_alone() { # [PROBE]: gotrace is killed, the program ends as ever
	local probe=${1:---probe=springboard}
	struck 137 runs tracer 9
	wait_for 30 grep -q '^count main.work' printed
	"$hazards" crowd 2 6000 | sort >plain
	sort printed | cmp plain -
}
killed_after() { # MICROSECONDS: gotrace is killed then; the program has run whole or not at all
	local status=0
	"$strike" "$1" tracer 9 "$GOTRACE" record -o trace --probe=springboard -- "$hazards" crowd 2 6000 >printed 2>err || status=$?
	[ "$status" = 137 ] || [ "$status" = 0 ] || { cat err; fail "status $status"; }
	whole_or_not_at_all
}
