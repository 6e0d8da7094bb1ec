# How long each part of a test run took; sourced. Rows of $CI_TIMES ($O/ci-times.tsv): step, seconds, tests, and the
# processor time of its processes in seconds, which another load does not change much; - where it is not known.
#
# A step's name is a path: `make test/unit tests/model/random_calls_test` is a part of `make test/unit tests`, which is a part of
# `make test`. $CI_STEP is the step that is running now.
# shellcheck shell=bash
CI_TIMES=${CI_TIMES:-$(realpath -m "${O:-build}")/ci-times.tsv}
CI_STEP=${CI_STEP:-}
export CI_TIMES CI_STEP

# begin_times: an empty file. Only the outermost script does this.
begin_times() {
	mkdir -p "${CI_TIMES%/*}" && printf 'step\tseconds\ttests\tprocessor\n' >"$CI_TIMES"
}

# children_time: sets children_seconds, the processor time of those processes of this shell that have ended (proc(5): cutime
# and cstime, in hundredths for every program of Linux).
children_time() {
	local stat
	read -r stat <"/proc/$BASHPID/stat"
	read -r -a stat <<<"${stat##*) }"
	children_seconds=$(((stat[13] + stat[14]) / 100))
}

# time_row NAME SECONDS TESTS [PROCESSOR]: a row of the step NAME below $CI_STEP; replaces an older one of that name.
time_row() {
	mkdir -p "${CI_TIMES%/*}"
	(
		flock 9
		[ -s "$CI_TIMES" ] || printf 'step\tseconds\ttests\tprocessor\n' >"$CI_TIMES"
		awk -F '\t' -v name="${CI_STEP:+$CI_STEP/}$1" '$1 != name' "$CI_TIMES" >"$CI_TIMES.new"
		printf '%s\t%s\t%s\t%s\n' "${CI_STEP:+$CI_STEP/}$1" "$2" "$3" "${4:--}" >>"$CI_TIMES.new"
		mv "$CI_TIMES.new" "$CI_TIMES"
	) 9>"$CI_TIMES.lock"
}

# longest_times N: the N longest of those that have no parts of their own.
longest_times() {
	awk -F '\t' 'NR > 1 {
		n++; name[n] = $1; rest[n] = sprintf("%6d s  %s (%s)", $2, $1, $3); seconds[n] = $2
		parent = $1
		while (sub(/\/[^\/]*$/, "", parent)) group[parent] = 1
	}
	END { for (i = 1; i <= n; i++) if (!(name[i] in group)) print seconds[i] "\t" rest[i] }' "$CI_TIMES" |
		sort -rn | head -n "$1" | cut -f 2-
}
