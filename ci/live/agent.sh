#!/bin/bash
# gotrace agent: a store whose sums are the samples, pushed exactly once, served, and read back.
# Tests are called by name, through check.
# shellcheck disable=SC2317,SC2016 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs/default
port=$((20000 + RANDOM % 10000))

# config PART...: agent.json, with these parts besides the store
config() {
	{
		echo '{ "interval": "1s", "frequency": 199, "store": { "directory": "'"$PWD"'/store" }'
		local part
		for part in "$@"; do echo ", $part"; done
		echo '}'
	} >agent.json
}
# What else runs on the machine is not stored: the more there is, the longer each stretch takes.
alone='"others": "drop", "rules": [{"match": {"executable": "*/leafs"}}]'
begin() { # sets agent
	local before
	before=$(grep -c 'sampling' err 2>/dev/null || true) # of the agents before it
	"$GOTRACE" agent --config agent.json >out 2>>err &
	agent=$!
	wait_for 60 eval "[ \$(grep -c sampling err) -gt ${before:-0} ]"
}
end() {
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ended with status $?: $(cat err)"
}
sql() { sqlite3 store/index.db "$1"; }
total() { sql "SELECT coalesce(sum(value), 0) FROM totals WHERE name = '$1'"; }
samples_of() { sql "SELECT coalesce(sum(samples), 0) FROM profiles WHERE service = '$1'"; }
command -v sqlite3 >/dev/null || { echo "not ok 1 - sqlite3 is not installed"; echo 1..1; exit 1; }

# Functions and shares of a service, by report, by pprof, by SQLite; a rule names it, another one drops.
stored() {
	config '"rules": [{"match": {"executable": "*/leafs"}, "service": "shares", "labels": {"team": "x"}},
		{"match": {"executable": "*/instep"}, "drop": true}]'
	begin
	"$programs/leafs" 6 >/dev/null &
	"$programs/instep" 3 >/dev/null
	wait $!
	end
	[ "$(samples_of shares)" -gt 800 ] || fail "$(samples_of shares) samples"
	[ "$(samples_of instep)" = 0 ] || fail "what is dropped is there"
	gt report store --service shares --by=path --format=csv -n 0 >rows.csv
	awk -F, 'NR > 1 && $(NF - 1) > 0 { sub(/^"/, "", $1); print $(NF - 1), $1 }' rows.csv >rows
	near "$(count 'main.two;main.leaf$' <rows)" "$(count 'main.one;main.leaf$' <rows)" 0.6667 800
	[ "$(count . <rows)" = "$(samples_of shares)" ] || fail "report has $(count . <rows) samples, the index $(samples_of shares)"
	[ "$(gt export store --service shares -F folded | awk '{ n += $NF } END { printf "%.0f", n }')" = \
		"$(sql "SELECT sum(weight_ns) FROM profiles WHERE service = 'shares'")" ] || fail "folded stacks have another sum than the index"
	local file sum=0
	for file in $(sql "SELECT path FROM profiles WHERE service = 'shares'"); do
		sum=$((sum + $(go tool pprof -sample_index=samples -raw "store/$file.pb.gz" 2>/dev/null | awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 }
			on && /^ *[0-9]+ +[0-9]+: / { n += $1 } END { print n + 0 }')))
	done
	[ "$sum" = "$(samples_of shares)" ] || fail "pprof has $sum samples, the index $(samples_of shares)"
	gt report store --label team=x --from -1h --by=process >text
	expect_grep leafs text
	expect_status 1 gt report store --label team=y 2>said
	expect_grep 'no profile' said
	gt diff "store@-1h.." store --service shares >text
	gt report store --to 2001-01-01 2>said && fail "what is not there is reported"
	expect_grep 'no profile' said
}
check "profiles by service" stored

# Read with the rights of who asked: what only root may read is not read by way of it. An agent that writes is no obstacle.
stranger() {
	config "$alone"
	chmod 755 .
	"$programs/leafs" 100 >/dev/null &
	local busy=$! file verb
	begin
	wait_for 60 eval '[ "$(samples_of leafs)" -gt 0 ]'
	gt report store >text # while it writes
	expect_grep 'main.leaf' text
	kill "$busy"
	end
	gt report store >text
	SUDO_UID=$(id -u nobody) SUDO_GID=$(id -g nobody) expect_status 1 gt report store 2>said # mode 750
	expect_grep 'Permission denied' said
	expect_grep 'with the rights of the user who called sudo; sudo env -u SUDO_UID gotrace' said
	chmod 711 store # the folder is open, its index is not
	SUDO_UID=$(id -u nobody) SUDO_GID=$(id -g nobody) expect_status 1 gt report store 2>said
	expect_grep 'with the rights of the user who called sudo; sudo env -u SUDO_UID gotrace' said
	chmod 750 store
	file=theirs/$(sql 'SELECT path FROM profiles LIMIT 1').gotrace
	cp -r store theirs
	chown -R nobody theirs
	ls -la --time-style=full-iso theirs >before
	gt report theirs >text
	expect_grep 'main.leaf' text
	SUDO_UID=$(id -u nobody) SUDO_GID=$(id -g nobody) gt report theirs >text
	expect_grep 'main.leaf' text
	chown root "$file" && chmod 600 "$file"
	expect_status 1 gt report theirs 2>said
	expect_grep 'Permission denied' said
	expect_status 1 gt export theirs -F folded 2>said
	expect_grep 'Permission denied' said
	ls -la --time-style=full-iso theirs | cmp - before || fail "a reader wrote"
	printf 'journal' >theirs/index.db-journal
	for verb in report info dump view 'export -F folded' 'diff theirs'; do
		# shellcheck disable=SC2086 # words
		expect_status 1 gt $verb theirs 2>said
		[ "$(wc -l <said)" = 1 ] || fail "$verb: $(cat said)"
		expect_grep 'index.db-journal' said
	done
}
check "a stranger's store" stranger

# Every verb names it, counts it, and goes on with the others.
damaged() {
	local file verb
	config "$alone"
	begin
	"$programs/leafs" 4 >/dev/null
	end
	[ "$(sql 'SELECT count(*) FROM profiles')" -gt 1 ] || fail "there is one stretch"
	file=$(sql 'SELECT path FROM profiles ORDER BY from_ns LIMIT 1').gotrace
	printf 'damaged' | dd of="store/$file" bs=1 seek=$(($(stat -c %s "store/$file") / 2)) conv=notrunc status=none
	for verb in report 'report --format=csv' 'export -F folded' info 'diff store'; do
		# shellcheck disable=SC2086 # words
		gt $verb store >text 2>said
		expect_grep "$file: corrupt at byte" said
		cat said >>text
		expect_grep '1 of [0-9]* profiles cannot be read and is left out' text
	done
	gt info store 2>said | awk '$1 == "end.samples" { n = $2 } $1 == "end.samples_lost" { lost = $2 } END { print n "|" lost }' >has
	sql "SELECT sum(samples) FILTER (WHERE path || '.gotrace' != '$file'), sum(samples) FILTER (WHERE path || '.gotrace' = '$file') + sum(lost)
		FROM profiles" >wanted
	cmp wanted has || fail "$(cat has) samples and lost, not $(cat wanted)"
}
check "a damaged profile of a store" damaged

duckdb() {
	local python
	python=$("$TOP/ci/consumers.sh" --python) || skip "DuckDB does not install from PyPI"
	config '"others": "drop"' '"rules": [{"match": {"executable": "*/leafs"}, "service": "shares"}]'
	begin
	"$programs/leafs" 3 >/dev/null
	end
	[ "$(samples_of shares)" -gt 200 ] || fail "$(samples_of shares) samples"
	"$python" - >duck <<-'END'
		import duckdb, duckdb_extension_sqlite_scanner as x, os
		db = duckdb.connect()
		db.execute(f"LOAD '{os.path.dirname(x.__file__)}/extensions/v{duckdb.__version__}/sqlite_scanner.duckdb_extension'")
		db.execute("ATTACH 'store/index.db' AS a (TYPE sqlite, READ_ONLY)")
		print(*db.execute("SELECT sum(samples), sum(weight_ns)::BIGINT FROM a.profiles WHERE service = 'shares'").fetchone())
	END
	[ "$(cat duck)" = "$(sql "SELECT sum(samples) || ' ' || sum(weight_ns) FROM profiles WHERE service = 'shares'")" ] || fail "DuckDB: $(cat duck)"
}
check "DuckDB reads the index" duckdb

served() {
	command -v python3 >/dev/null || skip "no python3 to read profiles"
	config "\"listen\": \"127.0.0.1:$port\"" "$alone"
	begin
	"$programs/leafs" 600 >/dev/null &
	local busy=$!
	wait_for 60 eval '[ "$(samples_of leafs)" -gt 0 ]'
	curl -sf "http://127.0.0.1:$port/debug/pprof/profile?seconds=3&service=leafs" >profile.pb.gz
	go tool pprof -top -sample_index=cpu profile.pb.gz >top 2>&1
	expect_grep 'main.leaf' top
	# The time and the duration are those of the stretch, not of the first and the last sample.
	local from to
	sql "SELECT path, from_ns, to_ns FROM profiles WHERE service = 'leafs'" | while IFS='|' read -r row from to; do
		times_of "store/$row.pb.gz" >times
		[ "$(cat times)" = "$from $((to - from))" ] || fail "$row: $(cat times), not $from $((to - from))"
	done
	times_of profile.pb.gz >times
	awk -v first="$(sql 'SELECT min(to_ns) FROM profiles')" '{ exit !($2 >= 3e9 && $1 >= first) }' times ||
		fail "3 seconds are $(cat times)"
	curl -sf "http://127.0.0.1:$port/" >index
	expect_grep 'service=leafs' index
	curl -sf "http://127.0.0.1:$port/metrics" >metrics
	expect_grep '^gotrace_samples_total [1-9]' metrics
	[ "$(curl -s -o said -w '%{http_code}' "http://127.0.0.1:$port/debug/pprof/profile?seconds=x")" = 400 ] || fail "no error for seconds=x"
	[ "$(curl -s -o said -w '%{http_code}' "http://127.0.0.1:$port/debug/pprof/profile?seconds=1&service=none")" = 404 ] || fail "no error for no service"
	[ "$(curl -s -o said -w '%{http_code}' "http://127.0.0.1:$port/x")" = 404 ] || fail "no error for /x"
	[ "$(curl -s -o said -w '%{http_code}' -H 'Host: evil.example' "http://127.0.0.1:$port/metrics")" = 421 ] || fail "a strange host is answered"
	local i
	for i in 1 2 3 4 5 6 7; do # by turns: each would cut a stretch that has just begun
		curl -s -o "profile.$i" "http://127.0.0.1:$port/debug/pprof/profile?seconds=2&service=leafs" &
		sleep 0.2
	done
	wait_for 60 eval '[ "$(ls profile.? 2>/dev/null | wc -l)" = 7 ]'
	[ "$(sql 'SELECT min(to_ns - from_ns) > 900000000 FROM profiles')" = 1 ] || fail "a stretch is shorter than a second"
	kill "$busy"
	end
}
check "a profile by HTTP, metrics" served

# The server waits for no request, and the store has all samples.
ended() {
	config "\"listen\": \"127.0.0.1:$port\"" "$alone"
	begin
	"$programs/leafs" 600 >/dev/null &
	local busy=$!
	curl -s -o said "http://127.0.0.1:$port/debug/pprof/profile?seconds=600" &
	wait_for 60 eval '[ "$(samples_of leafs)" -gt 0 ]'
	end # in 600 seconds otherwise: the topic has not that much time
	kill "$busy"
	[ -z "$(ls -A store/current)" ] || fail "left: $(ls store/current)"
}
check "ends while a profile is taken" ended

# An outage, a server that refuses, a slow one, a restart: each profile once.
pushed() {
	cp -r "$TOP/fixtures/receiver" receiver
	(cd receiver && go mod tidy >../tidy 2>&1 && go build -o ../receive .) || skip "the receiver cannot be built: $(tail -n 1 tidy)"
	echo ok >mode
	config "\"push\": {\"url\": \"http://127.0.0.1:$((port + 1))\"}" "$alone"
	./receive "127.0.0.1:$((port + 1))" mode received 2>/dev/null &
	local receiver=$!
	begin
	"$programs/leafs" 300 >/dev/null &
	local busy=$!
	wait_for 60 [ -s received ]
	kill "$receiver" # an outage
	wait_for 60 eval '[ "$(sql "SELECT count(*) FROM outbox")" -ge 6 ]'
	echo refuse >mode
	./receive "127.0.0.1:$((port + 1))" mode received 2>/dev/null &
	receiver=$!
	sleep 4
	end # a restart, while nothing is taken
	echo ok >mode
	begin
	sleep 3
	echo slow >mode
	sleep 6
	echo ok >mode
	kill "$busy"
	wait_for 60 eval '[ "$(sql "SELECT count(*) FROM outbox")" = 0 ]'
	end
	begin
	wait_for 60 eval '[ "$(sql "SELECT count(*) FROM outbox")" = 0 ]'
	end
	kill "$receiver"
	[ -z "$(cut -d' ' -f1 received | sort | uniq -d)" ] || fail "profiles came twice: $(cut -d' ' -f1 received | sort | uniq -d | wc -l)"
	local got sent
	got=$(awk '{ n += $(NF - 1) } END { print n + 0 }' received) sent=$(total samples_pushed)
	echo "$got samples received, $sent pushed, $(total samples_written) written, $(total samples_given_up) given up"
	[ "$got" = "$sent" ] || fail "not what was pushed"
	[ $((sent + $(total samples_given_up) + $(sql "SELECT coalesce(sum(samples), 0) FROM profiles JOIN outbox USING(id)"))) = "$(total samples_written)" ] ||
		fail "samples are nowhere"
	expect_grep 'leafs process_cpu [1-9]' received
}
check "pushed once, through an outage, refusals and a restart" pushed

rejected() {
	cp -r "$TOP/fixtures/receiver" receiver
	(cd receiver && go mod tidy >../tidy 2>&1 && go build -o ../receive .) || skip "the receiver cannot be built: $(tail -n 1 tidy)"
	echo reject >mode
	config "\"push\": {\"url\": \"http://127.0.0.1:$((port + 2))\"}" "$alone"
	./receive "127.0.0.1:$((port + 2))" mode received 2>/dev/null &
	local receiver=$!
	begin
	"$programs/leafs" 3 >/dev/null
	wait_for 60 eval '[ "$(total samples_given_up)" -gt 0 ]'
	end
	kill "$receiver"
	expect_grep 'refuses a profile of .*given up: 400' err
	[ ! -s received ] || fail "something was taken"
}
check "what a server refuses for good is given up, and counted" rejected

# Killed at any moment: the store can be read, and what was being sampled is found by the next agent.
killed() {
	config "$alone"
	"$programs/leafs" 100 >/dev/null &
	local busy=$! i
	for i in 1 2 3 4 5; do
		: >err
		begin
		sleep "2.$((RANDOM % 10))"
		kill -KILL "$agent"
		wait "$agent" || true
		[ "$(sql 'PRAGMA integrity_check')" = ok ] || fail "the index is damaged"
	done
	: >err
	begin
	end
	kill "$busy"
	expect_grep 'samples of an earlier agent are in the store' err
	gt report store --service leafs >text
	expect_grep 'main.leaf' text
	[ -z "$(ls -A store/current)" ] || fail "left: $(ls store/current)"
	local file
	for file in $(sql 'SELECT path FROM profiles'); do
		[ -s "store/$file.gotrace" ] && [ -s "store/$file.pb.gz" ] || fail "$file is not there"
	done
}
check "killed at random, five times" killed

# The second stops at once, and takes nothing of what the first is sampling.
second() {
	config "$alone"
	"$programs/leafs" 100 >/dev/null &
	local busy=$!
	begin
	wait_for 60 eval '[ "$(samples_of leafs)" -gt 0 ]'
	expect_status 125 gt agent --config agent.json >out2 2>said
	[ "$(cat said)" = "gotrace: $PWD/store: another agent writes this store, process $agent" ] || fail "$(cat said)"
	[ -n "$(ls -A store/current)" ] || fail "the second took what the first writes"
	kill "$busy"
	end
	if grep lost err; then fail "samples are lost"; fi
	begin # nobody holds it now
	end
}
check "a second agent on a store is refused" second

reloaded() {
	config "$alone"
	"$programs/leafs" 100 >/dev/null &
	local busy=$!
	begin
	wait_for 60 eval '[ "$(samples_of leafs)" -gt 0 ]'
	config '"others": "drop"' '"rules": [{"match": {"executable": "*/leafs"}, "service": "renamed"}]'
	kill -HUP "$agent"
	wait_for 60 eval '[ "$(samples_of renamed)" -gt 0 ]'
	echo '{' >agent.json
	kill -HUP "$agent"
	wait_for 60 grep -q 'is not used' err
	local before
	before=$(samples_of renamed)
	wait_for 60 eval "[ \"\$(samples_of renamed)\" -gt $before ]"
	kill "$busy"
	end
}
check "SIGHUP reads rules again, a wrong file changes nothing" reloaded

# As the unit runs it: an own user with capabilities, and no more.
unprivileged() {
	local user caps
	user=nobody caps=+sys_ptrace,+dac_read_search,+syslog,+cap_38,+cap_39
	config "$alone"
	mkdir store && chown $user store && chmod 755 . && chmod 644 agent.json
	"$programs/leafs" 100 >/dev/null &
	local busy=$!
	setpriv --reuid=$user --regid="$(id -g $user)" --clear-groups --inh-caps=-all,$caps --ambient-caps=-all,$caps \
		--bounding-set=-all,$caps "$GOTRACE" agent --config agent.json >out 2>err &
	agent=$!
	wait_for 60 grep -q 'sampling' err
	wait_for 60 eval '[ "$(samples_of leafs)" -gt 100 ]'
	kill "$busy"
	end
	gt report store --service leafs >text
	expect_grep 'main.leaf' text
}
check "as an ordinary user with capabilities" unprivileged

# One call in ten takes too long: that one is recorded, with what came before.
slow() {
	mkdir -p src
	cat >src/main.go <<-'END'
		package main

		import "time"

		//go:noinline
		func handle(i int) int {
			if i%10 == 9 {
				time.Sleep(400 * time.Millisecond)
			}
			return work(i)
		}

		//go:noinline
		func work(n int) (s int) {
			for i := 0; i < 20000000; i++ {
				s += i * n
			}
			return
		}

		func main() {
			for i := 0; ; i++ {
				handle(i)
				time.Sleep(10 * time.Millisecond)
			}
		}
	END
	printf 'module example.org/slow\ngo 1.19\n' >src/go.mod
	(cd src && go build -o ../slowly .)
	config '"others": "drop"' '"rules": [{"match": {"executable": "*/slowly"}, "trace_slow": ["main.handle > 300ms"]}]'
	./slowly &
	local busy=$! trace
	begin
	wait_for 60 eval 'ls store/slow/*.gotrace >/dev/null 2>&1 && gt report $(ls -d store/slow/*.gotrace | head -n 1) --by=call --min 300ms --format=csv 2>/dev/null | grep -q main.handle'
	end
	kill "$busy"
	cat store/slow/*.log
	trace=$(ls -d store/slow/*.gotrace | head -n 1)
	gt report "$trace" --by=call --min 300ms >text
	expect_grep main.handle text
	gt report store --service slowly >text
	expect_grep main.work text
}
check "calls that take too long are recorded" slow

# A program whose waits are known, over many stretches: never more than it waited. The agent sees less, the more so the busier the
# machine is: nothing of a process's first quarter of a second, nor of what it waits for while a stretch is put away last. So they
# wait until the index has a third of what six have waited. A snapshot stands for the time since the one before, but for none before
# the process began. Whole waits are ci/live/wall.sh's. Beside it a program waits of which no rule asks what for.
waiting() {
	config '"waiting_frequency": 20' '"others": "drop"' '"rules": [{"match": {"executable": "*/walls"}, "waiting": true},
		{"match": {"executable": "*/steady"}}]'
	"$programs/steady" 1 20 600s >out.steady &
	local steady=$! began lead
	begin
	began=$(date +%s%N)
	"$programs/walls" told >out.walls &
	local walls=$!
	wait_for 60 grep -q ready out.walls
	lead=$(($(date +%s%N) - began))
	wait_for 300 eval '[ "$(sql "SELECT count(*) >= 3 AND sum(waiting_ns) > 2 * ($(date +%s%N) - $began) FROM profiles
		WHERE service = '"'walls'"' AND waiting_ns > 0")" = 1 ]'
	wait_for 60 eval '[ "$(samples_of steady)" -gt 0 ]'
	kill -TERM "$walls" "$steady"
	wait "$walls"
	end
	grep '^wait' out.walls >printed
	gt report store --service walls --format=csv -n 0 >functions
	gt report store --service walls --by=reason --format=csv -n 0 >reasons
	[ "$(wc -l <printed)" = 6 ] || fail "$(wc -l <printed) waits"
	local name reason ns text
	while read -r _ name reason ns; do
		awk -F, -v f="$name" -v ns="$ns" -v lead="$lead" '$1 == f { seen = $(NF - 4) + $(NF - 3) + $(NF - 2) + $(NF - 1) + $NF }
			END { exit seen > (ns + lead) * 1.1 + 4e8 || seen < ns / 5 }' functions || fail "$name: $ns ns, $(grep "^$name," functions)"
		text=${reason//_/ }
		[ "$text" != mutex ] || text='sync.Mutex.Lock'
		[ "$go_minor" -ge 20 ] || [ "$reason" != mutex ] || text=semacquire
		awk -F, -v f="$name" -v r="$text" '$1 == f { all += $NF; if ($2 == r) of += $NF } END { exit !(of && of > all / 2) }' reasons ||
			fail "$name does not wait for $text: $(grep "^$name," reasons)"
	done <printed
	[ "$(gt export store --service walls -F folded | awk '{ n += $NF } END { printf "%.0f", n }')" = \
		"$(sql "SELECT sum(weight_ns) + sum(waiting_ns) FROM profiles WHERE service = 'walls'")" ] || fail "folded stacks have another sum than the index"
	[ "$(sql "SELECT sum(waiting_ns) FROM profiles WHERE service != 'walls'")" = 0 ] || fail "others wait, too"
	[ "$(sql "SELECT count(*) >= 3 FROM profiles WHERE service = 'walls' AND waiting_ns > 0")" = 1 ] || fail "it waits in one stretch only"
	go tool pprof -top -sample_index=waiting "store/$(sql "SELECT path FROM profiles WHERE service = 'walls' ORDER BY waiting_ns DESC LIMIT 1").pb.gz" >top 2>&1
	expect_grep 'main\.' top
	gt report store >text
	expect_grep 'waits are recorded only for processes whose rule sets' text
}
check "for what processes wait, where a rule asks" waiting

# Profiles that the limits take out are counted, and their number is printed the first time.
trimmed() {
	config "$alone" "\"listen\": \"127.0.0.1:$port\""
	sed -i 's|/store" }|/store", "max_age": "2s" }|' agent.json
	"$programs/leafs" 600 >/dev/null &
	local busy=$!
	begin
	wait_for 60 grep -q 'removed from the store: [1-9][0-9]* profiles that are too old, 0 that are too many' err
	wait_for 60 eval 'curl -sf "http://127.0.0.1:$port/metrics" | grep -q "^gotrace_store_removed_profiles_total [1-9]"'
	kill "$busy"
	end
}
check "what the store's limits take out is said" trimmed

wrong() {
	expect_status 2 gt agent 2>said
	expect_grep 'config is needed' said
	echo '{}' >agent.json
	expect_status 1 gt agent --config agent.json 2>said
	expect_grep 'agent.json: "store" has no "directory"' said
	config
	gt agent --config agent.json --check
	[ ! -e store ] || fail "--check has made the store"
	config '"cgroup": "no/such"'
	expect_status 125 gt agent --config agent.json 2>said
	expect_grep 'no such cgroup' said
}
check "what is wrong is said in one line" wrong
done_testing
