#!/bin/bash
# gotrace agent: its memory stays below what its file says, whatever the host's processes are.
# Tests are called by name, through check.
# shellcheck disable=SC2317,SC2016 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs/default
memory_mib=128 # the least that may be given

begin() { # PART...: of agent.json; sets agent
	local part
	{
		echo '{ "interval": "1s", "frequency": 199, "memory": "'$memory_mib'M", "store": { "directory": "'"$PWD"'/store" }'
		for part in "$@"; do echo ", $part"; done
		echo '}'
	} >agent.json
	"$GOTRACE" agent --config agent.json >out 2>err &
	agent=$!
	wait_for 60 grep -q sampling err
}
end() {
	local most
	most=$(awk '/^VmHWM/ { print $2 }' "/proc/$agent/status")
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ended with status $?: $(cat err)"
	echo "$((most / 1024)) MiB of $memory_mib"
	[ "$most" -le $((memory_mib * 1024)) ] || fail "it took $most KiB"
}
sql() { sqlite3 store/index.db "$1"; }
samples_of() { sql "SELECT coalesce(sum(samples), 0) FROM profiles WHERE service = '$1'"; }
stretches() { sql "SELECT count(DISTINCT from_ns) FROM profiles"; }
command -v sqlite3 >/dev/null || { echo "not ok 1 - sqlite3 is not installed"; echo 1..1; exit 1; }
command -v gcc >/dev/null || { echo "not ok 1 - gcc is not installed"; echo 1..1; exit 1; }

# Each is forked, works for a moment, and sleeps. As many have ended before.
many() {
	cat >many.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/prctl.h>
		#include <sys/wait.h>
		#include <unistd.h>

		static void one(int stays)
		{
			pid_t child = fork();

			if (child < 0)
				exit(1);
			if (child) {
				if (!stays)
					waitpid(child, NULL, 0);
				return;
			}
			prctl(PR_SET_PDEATHSIG, 9);
			for (volatile int i = 0; i < 20000; i++)
				;
			if (stays)
				pause();
			_exit(0);
		}

		int main(int argc, char **argv)
		{
			const int n = atoi(argv[argc - 1]);

			for (int i = 0; i < 2 * n; i++)
				one(i % 2);
			puts("ready");
			fflush(stdout);
			pause();
		}
	END
	gcc -O1 -o many many.c
	begin
	"$programs/leafs" 600 >/dev/null &
	local busy=$! parent before
	./many 5000 >ready &
	parent=$!
	wait_for 300 grep -q ready ready
	[ "$(pgrep -c -P $parent)" = 5000 ] || fail "$(pgrep -c -P $parent) processes"
	before=$(stretches)
	wait_for 300 eval "[ \"\$(stretches)\" -ge $((before + 3)) ]"
	wait_for 300 eval '[ "$(samples_of leafs)" -gt 0 ]'
	end
	kill "$parent" "$busy"
	gt report store --service leafs >text
	expect_grep 'main.leaf' text
}
check "five thousand processes, and as many that have ended" many

# Whether a program is Go's is known without its bytes, and so are names. A Go program that takes more than it may is said.
large() {
	printf 'int work(void) { volatile int i = 0; for (;;) i++; return i; }\nint main(void) { return work(); }\n' >c.c
	gcc -O1 -fno-inline -o largec c.c
	cp "$programs/leafs" largego
	local name
	for name in largec largego; do
		head -c 200M /dev/zero | tr '\0' x >>$name
	done
	begin
	./largec &
	local c=$! go
	./largego 600 >/dev/null &
	go=$!
	wait_for 300 eval '[ "$(samples_of largec)" -gt 0 ] && [ "$(samples_of largego)" -gt 0 ]'
	end
	kill "$c" "$go"
	gt report store --service largec >text
	expect_grep work text
	expect_grep 'largego: its stacks are walked by frame pointers alone.*more memory than the limit' err
}
check "large programs" large

# with_build_id NUMBER FROM TO: a copy whose notes of Go and of the linker have another build id.
with_build_id() {
	python3 - "$@" <<-'END'
		import os, sys
		number, source, to = sys.argv[1:]
		data = bytearray(open(source, 'rb').read())
		for note in (b'\4\0\0\0Go\0\0', b'\3\0\0\0GNU\0'):
		    at = data.find(note)
		    if at >= 0:
		        data[at + 8:at + 12] = int(number).to_bytes(4, 'little')
		open(to, 'wb').write(data)
		os.chmod(to, 0o755)
	END
}

# More Go programs, one after the other, than the kernel has room for tables of.
one_after_another() {
	local port=$((20000 + RANDOM % 10000)) i tables
	begin "\"listen\": \"127.0.0.1:$port\""
	for i in $(seq 80); do
		with_build_id "$i" "$programs/leafs" "leafs$i" # copies share one
		"./leafs$i" 0.05 >/dev/null || fail "leafs$i"
	done
	cp "$programs/leafs" last
	./last 600 >/dev/null &
	local busy=$!
	wait_for 300 eval '[ "$(samples_of last)" -gt 0 ]'
	tables=$(curl -sf "http://127.0.0.1:$port/metrics" | awk '/^gotrace_unwinding_tables_given_back_total/ { print $2 }')
	end
	kill "$busy"
	[ "$tables" -gt 0 ] || fail "no tables were given back"
	! grep 'take all room' err || fail 'a program had no room'
	gt report store --service last >text
	expect_grep 'main.leaf' text
}
check "many Go programs, one after the other" one_after_another

# Programs that differ, each with symbols of megabytes, as on a host that builds. LIVE_ALL=1 has more of them.
distinct() {
	local i most=$((${LIVE_ALL:-0} ? 200 : 40))
	awk 'BEGIN { for (i = 0; i < 30000; i++) printf "int a_function_with_a_rather_long_name_of_number_%d(int n) { return n + %d; }\n", i, i
		print "#include <time.h>\nint main(void) { volatile int x = 0; while (clock() < CLOCKS_PER_SEC / 5) for (int i = 0; i < 100000; i++) x = a_function_with_a_rather_long_name_of_number_7(x); return 0; }" }' >wide.c
	gcc -O0 -Wl,--build-id=sha1 -o wide wide.c
	begin
	for ((i = 1; i <= most; i++)); do
		with_build_id "$i" wide "wide$i"
		"./wide$i" || fail "wide$i"
		[ $((i % 5)) != 0 ] || rm -f wide?*[0-9]
	done
	cp wide last
	while :; do ./last; done &
	local busy=$!
	wait_for 300 eval '[ "$(samples_of last)" -gt 0 ]'
	end
	kill "$busy"
	gt report store --service last >text
	expect_grep 'a_function_with_a_rather_long_name_of_number_7' text
	[ "$(sql "SELECT count(DISTINCT service) > $most / 2 FROM profiles WHERE service LIKE 'wide%'")" = 1 ] || fail "few of them have samples"
}
check "many programs that differ" distinct
done_testing
