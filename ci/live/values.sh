#!/bin/bash
# Arguments and results: what is recorded is what the program passed.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
values=$LIVE/programs/default/values
ten=$(printf '0123456789%.0s' $(seq 24))

# said TRACE: what each event of it says of its values, without place and time.
said() { gt dump "$1" | sed -n 's/^[0-9]* \([a-z-]*\) \(".*"\|[^ ]*\) .*  # \(.*\)$/\1 \2 \3/p'; }

# All that a round of the program passes, in its order.
everything=(--args 'main.ints' --args 'main.strs'
	--args 'main.handle(r.URL.Path,r.id,r.base.tag,r.ratio,n,r.next.URL.Path,r.meta,r.jobs,r.body,r.where.port)'
	--args 'main.byvalue(p.a,p.b,w.name,w.n,w.ok,day)' --args main.onstack --args 'main.floats(*p,n)'
	--args 'main.kinds(b,s,m,c,e,a)' --args main.blank --args 'main.pair.sum(p.a,x)' --args 'main.(*pair).add(p.a,x)'
	--args 'main.generic[...](n)' --ret 'main.handle' --ret main.div --ret main.label --ret main.big --ret main.pair.sum
	--ret 'main.onstack(0)' --ret main.deferring --args 'main.escaping(n,s)')
cat >"$LIVE/values.want" <<END
entry main.ints a=-8 b=-1600 c=-320000 d=-64000000000 e=200 f=60000 g=4000000000 h=18000000000000000000 i=77
entry main.strs s="" t="a b\\"c\\n" n=-1
entry main.strs s="$ten"... (500 bytes) t="through" n=1099511627776
entry main.handle r.URL.Path="/index" r.id=7 r.base.tag="seven" r.ratio=2.25 n=2 r.next.URL.Path="/next" r.meta=len 2 r.jobs=len 1 r.body=len 3 r.where.port=443
entry main.handle r.URL.Path="/index" r.id=7 r.base.tag="seven" r.ratio=2.25 n=1 r.next.URL.Path="/next" r.meta=len 2 r.jobs=len 1 r.body=len 3 r.where.port=443
entry main.handle r.URL.Path="/index" r.id=7 r.base.tag="seven" r.ratio=2.25 n=0 r.next.URL.Path="/next" r.meta=len 2 r.jobs=len 1 r.body=len 3 r.where.port=443
exit main.handle 0=1
exit main.handle 0=2
exit main.handle 0=3
entry main.handle r.URL.Path=?nil r.id=0 r.base.tag="" r.ratio=0 n=0 r.next.URL.Path=?nil r.meta=len 0 r.jobs=len 0 r.body=len 0 r.where.port=0
exit main.handle 0=1
entry main.handle r.URL.Path=?nil r.id=?nil r.base.tag=?nil r.ratio=?nil n=0 r.next.URL.Path=?nil r.meta=?nil r.jobs=?nil r.body=?nil r.where.port=?nil
exit main.handle 0=1
entry main.byvalue p.a=1 p.b=-2 w.name="w" w.n=-3 w.ok=true day=6
entry main.onstack a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=-10 k=-11 s="stacked"
exit main.onstack 0=-13
entry main.floats *p=0.5 n=3
entry main.kinds b=true s=len 3 m=len 2 c=len 1 e=*main.failure a=main.pair
entry main.kinds b=false s=len 0 m=len 0 c=len 0 e=nil a=nil
entry main.blank s="named" n=5
entry main.pair.sum p.a=10 x=30
exit main.pair.sum 0=60
entry main.(*pair).add p.a=11 x=31
entry main.generic n=4
entry main.generic n=5
exit main.div quotient=3 err=nil
exit main.div quotient=-1 err=*errors.errorString
exit main.div quotient=0 err=*main.failure
exit main.label 0="abab" 1=true
exit main.label 0="" 1=true
exit main.big a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=-10
exit main.deferring 0="fine" 1=len 3 2=nil
exit main.deferring 0="" 1=len 0 2=*errors.errorString
entry main.escaping n=12 s="escaped"
END

# compare_with_want TRACE: an instance of the generic has its own name, a function of one RET its
# own kind, and what is short counts as both.
compare_with_want() {
	said "$1" | sed 's/^\([a-z-]* \)"*main\.generic\[[^=]*\]"* n=/\1main.generic n=/; s/^entry-exit main.big/exit main.big/
		s/^entry-exit main.pair.sum \(.*\) \(0=.*\)/entry main.pair.sum \1\nexit main.pair.sum \2/; s/^entry-exit/entry/' >said
	diff "$LIVE/values.want" said
}

launched() { # RECORD-OPTION...
	gt record "$@" "${everything[@]}" -o trace -- "$values" >printed
	[ "$(cat printed)" = '1 rounds' ] || fail "the program printed $(cat printed)"
	compare_with_want trace
	# what reading them took is known, by event
	gt dump trace | grep -c ' how=values' >events
	gt info trace | awk -v n="$(cat events)" '$1 == "end.events_values" { events = $2 } $1 == "end.values_ns" { ns = $2 }
		END { exit !(events == n && n > 20 && ns > n) }' || fail "$(cat events) events have values, but: $(gt info trace | grep values)"
}
# shellcheck disable=SC2086 # a list of words
for probe in $strategies; do
	check "--probe=$probe: values of every kind" launched --probe="$probe"
done
check "one link a probe: values of every kind" launched --probe=emulated --attach=perf

others_are_inline() {
	gt record --probe=inline --args 'main.handle(n)' -o trace -- "$values" >printed
	gt dump trace | grep -q ' main.all .*how=inline' || fail "main.all is not inline"
	gt dump trace | grep ' entry main.handle .* # n=' | grep -c 'how=inline' && fail "main.handle is inline"
	[ "$(said trace | grep -c 'entry main.handle n=')" = 5 ]
}
check "other functions keep their inline stubs" others_are_inline

attached() { # STRATEGY
	"$values" 6000 600 >printed & # ten rounds a second
	local pid=$! job
	wait_for 60 test /proc/$pid/exe -ef "$values"
	"$GOTRACE" record --max-cost=off --probe="$1" --args 'main.handle(r.URL.Path,n)' --ret 'main.handle' -o trace --pid $pid 2>err &
	job=$!
	calls_come trace main.handle 40
	kill -TERM $job
	expect_status 0 wait $job
	kill $pid
	said trace | sort | uniq -c >said
	# rounds that were recorded whole
	[ "$(awk '/entry main.handle r.URL.Path="\/index" n=1$/ { print $1 }' said)" -ge 3 ] || { cat said; fail "too few"; }
	[ "$(grep -vcE '^ *[0-9]+ (entry main.handle r.URL.Path=("/index" n=[012]|\?nil n=0)|exit main.handle 0=[345])$' said)" = 0 ] ||
		{ cat said; fail "what was not passed"; }
}
# shellcheck disable=SC2154 # from lib.sh
for probe in $pid_strategies; do
	check "--pid with --probe=$probe" attached "$probe"
done

position_independent() {
	gt record --args 'main.kinds(e,a)' --args 'main.strs(t)' -o trace -- "$LIVE/programs/pie/values" >printed
	said trace >said
	diff - said <<-'END'
		entry main.strs t="a b\"c\n"
		entry main.strs t="through"
		entry main.kinds e=*main.failure a=main.pair
		entry main.kinds e=nil a=nil
	END
}
check "a position-independent program: types have names, too" position_independent

stripped() {
	local status=0
	gt record --args 'main.strs(t)' -o trace -- "$LIVE/programs/stripped/values" >printed 2>err || status=$?
	[ $status = 125 ] || fail "status $status"
	expect_grep '^gotrace: --args: t of main.strs: the binary has no DWARF .*name registers instead' err
	[ "$(wc -l <err)" = 1 ] || fail "more than a line"
	gt record --args 'main.strs(%2:string,%4)' --ret 'main.div(%0)' -o trace -- "$LIVE/programs/stripped/values" >printed
	said trace >said
	diff - said <<-'END'
		entry main.strs %2:string="a b\"c\n" %4=-1
		entry main.strs %2:string="through" %4=1099511627776
		exit main.div %0=3
		exit main.div %0=-1
		exit main.div %0=0
	END
}
check "without DWARF: registers by number" stripped

refused() { # PATTERN OPTION...
	local pattern=$1 status=0
	shift
	gt record "$@" -o trace -- "$values" >printed 2>err || status=$?
	[ $status = 125 ] || fail "status $status: $*"
	[ "$(wc -l <err)" = 1 ] || fail "more than a line: $*"
	expect_grep "^gotrace: $pattern" err
	[ ! -s printed ] || fail "the program ran"
	[ ! -e trace ] || fail "there is a trace"
}
refusals() {
	refused "--args: q of main.strs: there is no argument 'q'; it has s, t, n" --args 'main.strs(q)'
	refused "--args: r.x of main.handle: there is no field 'x'" --args 'main.handle(r.x)'
	refused "--ret: err of main.label: there is no result 'err'; it has 0, 1" --ret 'main.label(err)'
	refused "--args: no function matches 'main.string'; similar names: .*main.strs" --args 'main.string(s)'
	refused "--args: 'main.strs\(s,\)' is not FUNCTION" --args 'main.strs(s,)'
	refused "--args: the values of main.strs cannot be recorded, it is not probed: excluded by -x" -x main.strs --args 'main.strs(s)'
	refused '--args: p of main.byvalue: it is a struct: name a field of it' --args 'main.byvalue(p)'
	refused '--args: %9 of main.strs: is not %N' --args 'main.strs(%9)'
}
check "what cannot be recorded is refused in a line" refusals

in_xmm() {
	gt record --args 'main.floats(x,*p)' -o trace -- "$values" >printed 2>err
	expect_grep '^gotrace: warning: --args: x of main.floats is in a floating-point register' err
	[ "$(said trace)" = 'entry main.floats x=?xmm *p=0.5' ] || { said trace; fail "not ?xmm"; }
}
check "a floating-point register says that it is not read" in_xmm

selection() {
	gt plan --args 'strings.Repeat(count)' -F json "$values" >plan.json
	grep -q '"main.strs"' plan.json || fail "the default selection is gone"
	grep -q '"strings.Repeat"' plan.json || fail "strings.Repeat is not selected"
	gt record -f main.all --args 'strings.Repeat(count,s)' -o trace -- "$values" >printed
	[ "$(csv_calls trace main.strs)" = 0 ] || fail "-f main.all selects more"
	[ "$(said trace | tr '\n' ';')" = 'entry strings.Repeat count=50 s="0123456789";entry strings.Repeat count=2 s="ab";entry strings.Repeat count=0 s="ab";' ]
}
check "functions whose values are asked for are traced, beside the others" selection

shown() {
	gt record --no-states --args 'main.strs(s,n)' --args 'main.floats(x,*p)' --ret main.div -o trace -- "$values" >printed 2>err
	gt report trace --by=call -n 0 | sed -n 's/^ *[0-9]* *[0-9.]* *[0-9.nu]*s *\(main.strs\|main.div\|main.floats\)  /\1 /p' >text
	diff - text <<-END
		main.strs s="" n=-1
		main.strs s="$ten"... (500 bytes) n=1099511627776
		main.floats x=?xmm *p=0.5
		main.div -> quotient=3 err=nil
		main.div -> quotient=-1 err=*errors.errorString
		main.div -> quotient=0 err=*main.failure
	END
	gt report trace --by=call -F csv | grep '^1,2,main.div,' | cut -d, -f12- >csv
	diff - csv <<-'END'
		,quotient=3 err=nil
		,quotient=-1 err=*errors.errorString
		,quotient=0 err=*main.failure
	END
	gt report trace --by=call -F json | tr -d ' \n' >json
	grep -q '"arguments":{"s":"","n":-1},"results":{}' json || fail "json of main.strs"
	grep -q '"arguments":{"x":"?xmm","\*p":0.5},"results":{}' json || fail "json of main.floats"
	grep -q '"arguments":{},"results":{"quotient":-1,"err":"\*errors.errorString"}' json || fail "json of main.div"
	gt export trace --format=csv --calls | grep -c ',main.div,.*,quotient=' >n
	[ "$(cat n)" = 3 ] || fail "csv has $(cat n)"
	gt export trace --format=chrome | grep -q '"name":"main.strs",.*"args":{"arguments":{"s":"","n":-1},"results":{}}' || fail chrome
	gt export trace --format=sqlite -o db
	python3 - >rows <<-'END'
		import sqlite3
		for row in sqlite3.connect('db').execute("""SELECT f.name, v.result, v.name, v.value FROM call_values v
		    JOIN calls c ON c.id = v.call JOIN functions f ON f.id = c.function
		    WHERE f.name IN ('main.div', 'main.floats') ORDER BY c.id, v.rowid"""):
		    print(*row)
	END
	diff - rows <<-'END'
		main.floats 0 x None
		main.floats 0 *p 0.5
		main.div 1 quotient 3
		main.div 1 err nil
		main.div 1 quotient -1
		main.div 1 err *errors.errorString
		main.div 1 quotient 0
		main.div 1 err *main.failure
	END
	gt export trace --format=perfetto -o pf
	grep -aq 'ret.quotient' pf || fail "perfetto"
}
check "reports and exports of calls show them" shown

keyed() {
	for key in main.handle 'main.(*list).add' 'main.handle()' 'main.handle(n,r)' 'main.handle(n)x'; do
		expect_status 2 "$GOTRACE" record --key "$key" -o trace -- "$values" 4 >out 2>err
		expect_grep 'is not FUNCTION.ARGUMENT., of one argument' err
	done
	gt record --key 'main.handle(r.URL.Path)' --args 'main.handle(n)' --args 'main.strs(n)' -o trace -- "$values" 4 >printed
	gt report trace -F csv --raw | sed -n 's/^\("*main.\(handle\|strs\)[^,]*,[0-9]*\),.*/\1/p' | sort >rows
	diff - rows <<-'END'
		main.handle{/index},12
		main.handle{?nil},8
		main.strs,8
	END
	gt report trace -F csv --raw --key none | grep -q '^main.handle,20,' || fail "--key none"
	gt report trace -F csv --key 'main.strs(n)' | grep -cE '^main.strs\{(-1|1099511627776)\},4,' >n
	[ "$(cat n)" = 2 ] || fail "--key of another"
	gt report trace -F csv --by=path --key 'main.handle(n)' | sed -n 's/^\(main.main;main.all;main.handle[^,]*,[0-9]*\),.*/\1/p' | sort >rows
	diff - rows <<-'END'
		main.main;main.all;main.handle{0},8
		main.main;main.all;main.handle{2},4
		main.main;main.all;main.handle{2};main.handle{1},4
		main.main;main.all;main.handle{2};main.handle{1};main.handle{0},4
	END
	# what is told apart adds up to what was together, and a part of a trace may be told apart
	for options in '' '--focus main.handle'; do
		# shellcheck disable=SC2086 # a list of words
		gt report trace -F json --raw --key none $options | awk '/"self_ns"/ { s += $2 } END { print s }' >together
		# shellcheck disable=SC2086
		gt report trace -F json --raw --key 'main.handle(n)' $options | awk '/"self_ns"/ { s += $2 } END { print s }' >apart
		diff together apart || fail "self times differ: $options"
	done
	gt export trace --format=folded --raw --key 'main.handle(n)' | grep -q ';main.handle{2};main.handle{1} ' || fail folded
	for format in pprof html sqlite perun chrome perfetto csv; do
		gt export trace --format=$format --key 'main.handle(n)' -o out || fail $format
	done
	gt report trace --by=call --key 'main.handle(n)' | grep -q 'main.handle  r.URL.Path="/index" n=2' || fail "by call"
	expect_status 1 gt report trace --key 'main.handle(q)' 2>err
	expect_grep "^gotrace: --key main.handle\\(q\\): no call was recorded with this argument; there are .*main.handle\\(r.URL.Path\\)" err
	gt record -o plain -- "$values" >printed
	expect_status 1 gt report plain --key 'main.handle(n)' 2>err
	expect_grep "no arguments were recorded; gotrace record --args 'main.handle\\(n\\)' records them" err
	expect_status 2 gt record --key main.handle -o x -- "$values" 2>err
}
check "--key tells calls apart by an argument" keyed

gated() {
	gt record -f main.all --trigger main.handle --args 'main.handle(n)' --ret main.handle --args 'main.strs(n)' -o trace -- "$values" >printed
	said trace >said
	diff said - <<-'END'
		entry main.handle n=2
		entry main.handle n=1
		entry main.handle n=0
		exit main.handle 0=1
		exit main.handle 0=2
		exit main.handle 0=3
		entry main.handle n=0
		exit main.handle 0=1
		entry main.handle n=0
		exit main.handle 0=1
	END
}
check "what a trigger leaves out leaves its values out" gated

many() { # of 15,000 calls most are lost in so small a ring
	gt record --probe=springboard -f main.handle -m 64k --args 'main.handle(n,r.URL.Path,r.base.tag)' --ret main.handle -o trace -- \
		"$values" 3000 >printed 2>err
	said trace | sort | uniq -c | sort -rn >said
	[ "$(wc -l <said)" -le 8 ] || { cat said; fail "values that were never passed"; }
	calls=$(csv_calls trace main.handle)
	with=$(gt dump trace | grep -c '^[0-9]* entry main.handle .* # n=')
	[ "$calls" = "$with" ] || fail "$calls calls, $with with values"
	[ "$calls" -gt 100 ] || fail "only $calls calls"
	[ "$(gt info trace | awk '$1 == "end.lost_events" { print $2 }')" -gt 0 ] || skip "nothing was lost"
}
check "each call that is recorded has its values, also where events are lost" many
done_testing
