#!/bin/bash
# gotrace sample: what reports and exports make of a recording.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A program of known shares: two does twice what one does, in the same loop (of two copies one may take longer); mix is inlined.
build() { # OPTIONS...
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import (
			"os"
			"strconv"
		)

		func mix(a, b int) int {
			for i := 0; i < 4; i++ {
				a ^= b * 0x9e3779b1
				a += a<<13 ^ b
			}
			return a
		}

		//go:noinline
		func spin(x int) int {
			for i := 0; i < 3000; i++ {
				x = mix(x, i)
			}
			return x
		}

		//go:noinline
		func one(n int) (s int) {
			for i := 0; i < n; i++ {
				s += spin(i)
			}
			return
		}

		//go:noinline
		func two(n int) (s int) {
			for i := 0; i < 2*n; i++ {
				s += spin(i)
			}
			return
		}

		func main() {
			s, rounds := 0, 3000
			if len(os.Args) > 1 {
				rounds, _ = strconv.Atoi(os.Args[1])
			}
			for i := 0; i < rounds; i++ {
				s += one(10) + two(10)
			}
			os.Exit(s & 0)
		}
	END
	printf 'module example.org/shares\ngo 1.19\n' >src/go.mod
	(cd src && go build "$@" -o ../shares .)
}
samples_of() { awk -F, -v f="$1" '$1 == f { n = $2 } END { print n + 0 }' report.csv; }
share_of() { awk -F, -v f="$1" '$1 == f { print $3 }' report.csv; }
shares() { # OPTIONS...
	local rounds
	build "$@"
	for rounds in 3000 12000 48000; do # a fast machine is done with them sooner
		gt sample -F 9999 -o trace -- ./shares $rounds
		gt report trace --format=csv >report.csv
		[ $(($(samples_of main.one) + $(samples_of main.two))) -lt 13000 ] || break
	done
	head -1 report.csv | grep -qx 'function,samples,share_pct,self_samples,self_pct' || fail "columns"
	near "$(samples_of main.two)" "$(samples_of main.one)" 0.6667 13000 # 1.8 to 2.2 to one
	awk -v m="$(share_of main.mix)" 'BEGIN { exit !(m > 10) }' || fail "mix, which is inlined, is not seen"
	gt report trace >text
	expect_grep '^[0-9]+ samples of ' text
	expect_grep 'main.mix$' text
}
check "shares of inlined functions" shares
check "shares of inlined functions, stripped PIE" shares -buildmode=pie -ldflags=-s

# Formats have one total (of all: export/sample_totals_test); go tool pprof and -pgo take the profile.
formats() {
	build
	gt sample -F 499 -o trace -- ./shares
	gt report trace -n 0 --format=csv >report.csv
	total=$(awk -F, 'NR > 1 { n += $(NF - 1) } END { print n }' report.csv)
	[ "$total" -gt 100 ] || fail "$total samples"
	gt export trace --format=folded --weight=calls -o folded
	[ "$(awk '{ n += $NF } END { print n }' folded)" = "$total" ] || fail "folded has another total"
	gt export trace --format=pprof -o cpu.pprof
	go tool pprof -sample_index=samples -top cpu.pprof >top 2>&1
	expect_grep "(Total samples =|of) $(by_pprof "$total") " top
	expect_grep 'main\.mix \(inline\)' top
	for format in sqlite perun html csv chrome perfetto speedscope; do
		gt export trace --format=$format -o "out.$format"
		[ -s "out.$format" ] || fail "$format is empty"
	done
	(cd src && go build -o /dev/null -pgo=../cpu.pprof -gcflags=-d=pgodebug=1 .) >pgo 2>&1
	expect_grep 'hot-node enabled increased budget=[0-9]+ for func=main\.(mix|spin)' pgo
	expect_status 1 gt report trace --by=call 2>err
	expect_grep 'has samples, which have no begin and end of calls' err
}
check "one total in all formats, and a profile for -pgo" formats

# go tool pprof puts labels above stacks: each has as many samples as the report says.
tagroot() {
	local tenant
	gt sample -F 999 --labels -o trace -- "$LIVE/programs/default/labelled" >out
	gt report trace --by=label --format=csv >report.csv
	gt report trace --by=goroutine --format=csv >goroutines.csv
	gt export trace --format=pprof --goroutines -o cpu.pprof
	go tool pprof -sample_index=samples -tagroot=tenant -top -cum -nodefraction=0 cpu.pprof >top 2>&1
	go tool pprof -sample_index=samples -tags cpu.pprof >tags 2>&1
	for tenant in a b; do
		n=$(awk -F, -v t="tenant=$tenant" 'index($0, t) { print $(NF - 1) }' report.csv)
		[ "${n:-0}" -gt 100 ] || fail "${n:-no} samples of $tenant"
		[[ $(awk -v t="$tenant" '$6 == t { print $4 }' top) =~ ^$(by_pprof "$n")$ ]] || fail "tenant $tenant: pprof has another number than $n"
	done
	for goroutine in $(sed -n 's/^goroutine \([0-9]*\),.*/\1/p' goroutines.csv); do
		n=$(sed -n "s/^goroutine $goroutine,\([0-9]*\),.*/\1/p" goroutines.csv)
		[ "$n" -lt 20 ] || expect_grep "^ +$(by_pprof "$n") \( *[0-9.]+%\): $goroutine\$" tags
	done
}
check "go tool pprof -tagroot has what the report has by label, -tags what it has by goroutine" tagroot

# The compiler makes the same of a profile of samples as of Go's own: a call of an interface's method becomes one
# of the type's that the profile has there.
devirtualized() {
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import (
			"os"
			"runtime/pprof"
		)

		type mixer interface{ mix(x int) int }
		type shifts struct{ by uint }
		type adds struct{ n int }

		func (s shifts) mix(x int) int {
			for i := 0; i < 40; i++ {
				x ^= x<<s.by + i
			}
			return x
		}

		func (a adds) mix(x int) int { return x + a.n }

		//go:noinline
		func hot(m mixer, x int) int {
			for i := 0; i < 1000; i++ {
				x += m.mix(x)
			}
			return x
		}

		func main() {
			if name := os.Getenv("CPUPROFILE"); name != "" {
				f, _ := os.Create(name)
				pprof.StartCPUProfile(f)
				defer pprof.StopCPUProfile()
			}
			x := hot(adds{3}, 1)
			for i := 0; i < 30000; i++ {
				x += hot(shifts{13}, i)
			}
			if x == 1 {
				println(x)
			}
		}
	END
	printf 'module example.org/mixers\ngo 1.21\n' >src/go.mod
	(cd src && go build -o ../mixers .)
	CPUPROFILE=own.pprof ./mixers
	gt sample -F 499 -o trace -- ./mixers
	gt export trace --format=pprof -o ours.pprof
	for profile in own ours; do
		(cd src && go build -o /dev/null -pgo=../$profile.pprof -gcflags=-d=pgodebug=3 .) >$profile.said 2>&1
		sed -n 's/.*"Caller":"\([^"]*\)".*"Devirtualized":"\([^"]\{1,\}\)".*/\1 \2/p' $profile.said | sort -u >$profile.calls
	done
	expect_grep '^main.hot main.shifts.mix$' own.calls
	diff own.calls ours.calls
}
if [ "$go_minor" -ge 22 ]; then
	check "the compiler devirtualizes as with Go's own profile" devirtualized
fi

# Killed, gotrace leaves a trace; the binary, which is still there, tells the names.
has_mix() { gt report trace --format=csv >report.csv 2>err && grep -q '^main.mix,' report.csv; }
killed() {
	build "-ldflags=-B 0x0123456789abcdef0123456789abcdef01234567"
	"$GOTRACE" sample -F 499 -o trace -- ./shares 100000 & # goes on for as long as it takes here
	gotrace=$!
	wait_for 60 has_mix
	local target
	target=$(pgrep -P $gotrace)
	kill -9 $gotrace
	kill "$target"
	gt report trace --format=csv >report.csv
	grep -q '^main.mix,' report.csv || fail "no names"
	gt report trace >text
	expect_grep 'this trace is incomplete' text
}
check "a killed recording has names by build id" killed

# What both are of is one file, however it was called.
compared() {
	build
	gt record -o calls -p main -- ./shares 30
	gt sample -F 499 -o trace -- ./shares
	gt diff calls trace >text
	expect_grep 'shares are compared, not times' text
	! grep -E 'binaries at different paths' text || fail "one binary has two paths"
	! grep 'different selections' text || fail "samples have no selection"
}
check "a traced and a sampled run of one program are compared" compared

refusals() {
	expect_status 2 gt sample 2>err
	for number in 0 +1 -1 4294967396; do
		expect_status 2 gt sample "-F$number" -- true 2>err
		expect_grep 'is not a number from 1 to 20000' err
	done
	expect_status 2 gt sample -c 5 -- true 2>err
	expect_status 2 gt sample -e nothing -- true 2>err
	expect_grep "no event 'nothing'" err
	expect_status 2 gt sample --pid 1,x 2>err
	expect_status 2 gt sample --pid 1 -- true 2>err
	expect_status 125 gt sample --pid 4194304 2>err
	expect_grep 'there is no process 4194304' err
	expect_status 127 gt sample -- ./no-such-program 2>err
	expect_status 126 gt sample -- /etc 2>err
	[ ! -e gotrace.out ] || fail "a file of nothing"
}
check "what cannot be sampled is refused" refusals

done_testing
