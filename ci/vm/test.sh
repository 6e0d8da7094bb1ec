#!/bin/bash
# Tests of ci/test-vm.sh and of what runs in its VMs, without one: a boot.sh of their own says what a VM would have said.
# Tests are called by name, and fail where anything before does.
# shellcheck disable=SC2317,SC2015,SC2016
set -u
real=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../totals.sh
. "$real/ci/totals.sh"
fail() { echo "$*"; exit 1; }
stub() { # FILE SCRIPT
	mkdir -p "$(dirname "$1")"
	printf '#!/bin/bash\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

tree() {
	top=$work/tree
	mkdir -p "$top"/{ci/vm,experiments/{workloads,stats,springboard-safety,overhead},fixtures,paper,core/export/sqlite,bin,o/test/x} && cd "$top" || exit
	cp "$real"/ci/{test-vm.sh,programs.sh,totals.sh,kernels,overhead-shape.sh} ci/
	cp "$real"/ci/vm/{topics,skips,run,workloads,cc} ci/vm/
	mkdir ci/live && touch ci/live/{lib,doctor,unnamed}.sh paper/thesis.csv core/export/sqlite/SQLITE.md \
		experiments/{springboard-safety/{strike,meddle}.c,x.awk}
	echo 'build_stats() { :; }' >experiments/rounds.sh
	for file in fixtures/programs fixtures/binaries experiments/workloads; do stub $file/build.sh 'mkdir -p "$1/default" "$1/noinline"; : >"$1/noinline/p"; : >"$1/default/p"'; done
	stub bin/go '[ "$1" != env ] || echo "$PWD/goroot"'
	mkdir -p goroot/bin && touch goroot/bin/go{,fmt}
	stub bin/cc 'exit 0'
	stub gotrace 'exit 0'
	stub o/test/x/a_test 'exit 0'
	stub ci/vm/kernel.sh 'echo vmlinuz'
	stub ci/vm/initramfs.sh 'if [ "$1" = --folder ]; then cp "$2/top/choice" "${3%.cpio}.choice" 2>/dev/null; : >"$3"; else : >"$1"; fi'
	stub ci/vm/boot.sh 'cp "${0%/*}/../../log.$(basename "$3")" "$3.log"; . "${0%/*}/../../does.$(basename "$3")"'
	for kernel in 6.1 newest; do echo '1 passed, 0 failed, 0 skipped' >log.test-$kernel && : >does.test-$kernel; done
}
vms() { # KERNEL...: sets status, and said
	PATH=$top/bin:$PATH O=$top/o GOTRACE=$top/gotrace ci/test-vm.sh "$@" >said 2>&1
	status=$?
}
ended() { # STATUS LINE
	[ "$status" = "$1" ] && [ "$(tail -n 1 said)" = "$2" ] || { cat said; fail "not status $1 and '$2', but $status"; }
}
skips() {
	printf '%s\n' 'ok 1 - a # SKIP needs gcc' 'ok 2 - b # SKIP no uprobe_multi links' '1 passed, 0 failed, 2 skipped' >log.test-6.1
	vms 6.1
	ended 0 '1 passed, 0 failed, 2 skipped'
	cp log.test-6.1 log.test-newest
	vms newest
	ended 1 '1 passed, 1 failed, 2 skipped'
	grep -q 'ci/vm/skips does not list this: ok 2 - b # SKIP no uprobe_multi links' said || fail "it is not said which: $(cat said)"
	printf '%s\n' 'ok 1 - a # SKIP needs gcc, perhaps' '1 passed, 0 failed, 1 skipped' >log.test-6.1
	vms 6.1
	ended 1 '1 passed, 1 failed, 1 skipped'
}
left_out() {
	printf '%s\n' 'vm: step doctor at 3.4 s' '2 passed, 0 failed, 0 skipped' 'vm: not run: kinds' 'vm: not run: large' >log.test-6.1
	SECONDS_TOPICS=900 vms 6.1
	ended 0 '2 passed, 0 failed, 0 skipped'
	grep -qx -e '-- kernel 6.1: not run, later than 900 s: kinds large' said || fail "they are not named: $(cat said)"
	vms newest
	! grep -q 'not run' said || fail "$(cat said)"
}
several() {
	echo 'touch "$3.here"; until [ -e "${3%/*}/test-newest.here" ]; do sleep 0.05; done' >does.test-6.1
	echo 'touch "$3.here"; exit 1' >does.test-newest
	VMS=2 vms 6.1 newest
	ended 1 '2 passed, 1 failed, 0 skipped'
	[ "$(grep -c '^== kernel' said)" = 2 ] && grep -q 'kernel newest: the tests ended with status 1' said || fail "$(cat said)"
	[ "$(grep -n '== kernel 6.1' said | cut -d: -f1)" -lt "$(grep -n '== kernel newest' said | cut -d: -f1)" ] || fail "another order"
}
nothing() {
	: >log.test-6.1
	vms 6.1
	ended 1 '0 passed, 1 failed, 0 skipped'
}
# What the VM is told, and does: the order, and what runs when it is late.
late() {
	vms 6.1
	choice_topics='' choice_must=''
	# shellcheck source=/dev/null
	. o/vm/test-6.1.scripts.choice
	[ "${choice_topics%% *}" = doctor ] && [[ $choice_topics == *" unit replay experiment-overhead unnamed " ]] && [[ " $choice_must" == *" doctor "* ]] &&
		[[ $choice_must != *experiment* ]] || fail "topics '$choice_topics', of these must run '$choice_must'"
	TOPICS='large doctor' vms newest
	# shellcheck source=/dev/null
	. o/vm/test-newest.scripts.choice
	[ "$choice_topics" = 'large doctor' ] && [[ $choice_must == *" experiment-overhead "* ]] || fail "topics '$choice_topics', of these must run '$choice_must'"
	mkdir -p payload/top/ci
	printf '%s\n' "choice_topics='doctor kinds links large'" "choice_must='doctor links'" choice_seconds=0 >payload/top/choice
	stub payload/top/ci/live.sh 'echo "runs $1"'
	sed "s,/payload,$PWD/payload,g" ci/vm/run >run
	bash run >ran || fail "status $?"
	[ "$(grep -E '^(runs|vm: not run)' ran)" = $'runs doctor\nvm: not run: kinds\nruns links\nvm: not run: large' ] || fail "$(cat ran)"
	sed -i s/choice_seconds=0/choice_seconds=/ payload/top/choice
	bash run >ran && [ "$(grep -c ^runs ran)" = 4 ] || fail "without a limit: $(cat ran)"
}
# A whole trial passes; one of which a row, a line of a table or the mark is missing does not.
trial() {
	mkdir "$work/folder" && cd "$work/folder" || exit
	printf '%s\n' 'quick: a trial, not a result' 'forced: a load of 3' 'load_at_end: 1 1 1' >environment.txt
	echo '{}' >hyperfine.jsonl
	{
		echo program,tool,round,discarded,variant,end_to_end_s,user_s,system_s,target_s,target_cpu_s,events,lost_events,trace_bytes,functions,sites,attach_s,detach_s,processing_s,profile_bytes
		for tool in time hyperfine; do for program in greet ants; do for round in 0 1; do
			for variant in plain plain-again; do echo "$program,$tool,$round,$((1 - round)),$variant,1,1,0.1,0.9,0.5,0,0,0,0,0,0,0,0,0"; done
			for variant in thesis thesis-links emulated springboard nop inline; do
				echo "$program,$tool,$round,$((1 - round)),$variant,3,2,0.1,1.8,0.6,100,0,1000,5,10,0.1,0.1,0.2,300"
			done
		done; done; done
	} >raw.csv
	(O=$build "$real/experiments/overhead/derive.sh" "$PWD") >/dev/null || fail "it cannot be derived"
	shape() { (O=$build "$real/ci/overhead-shape.sh" . "$@") >../shaped; }
	shape greet ants || fail "a whole one fails: $(cat ../shaped)"
	! shape greet ants oto && grep -q 'no row: oto time plain 0' ../shaped || fail "oto is missing: $(cat ../shaped)"
	for broken in '/^greet,time,1,0,nop,/d raw.csv' '/^| ants | inline | [0-9]/d tables.md' 's/a trial/a result/ environment.txt' \
		's/^\(ants,time,1,0,inline.*\),100,0,1000/\1,0,0,1000/ raw.csv'; do
		rm -rf ../broken && cp -r . ../broken && sed -i "${broken% *}" "../broken/${broken##* }" || exit
		! (O=$build "$real/ci/overhead-shape.sh" ../broken greet ants) >../shaped || fail "after '$broken' it passes"
	done
}
build=$(realpath "${O:-$real/build}")
in_tree() { tree && "$@"; }
for test in 'a skip that is not listed for this kernel fails' skips 'topics that were not run are named and do not fail' left_out \
	'two VMs at once, told of in order, and a failure of one counts' several 'a VM that tests nothing fails' nothing \
	'the order of topics, and those that run however late it is' late; do
	case $test in *' '*) name=$test ;; *) rm -rf "$work/tree"; try "$name" in_tree "$test" ;; esac
done
if command -v gnuplot >/dev/null; then try 'the shape of the overhead experiment' trial; else skip 'the shape of the overhead experiment' 'no gnuplot'; fi
totals
