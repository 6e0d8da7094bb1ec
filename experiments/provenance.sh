# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154,SC2034 # top is set by who sources this, out is for them
# Where the rows of an experiment come from. Sourced by each run.sh, with $top set; POSIX sh.
#
# may_measure NAME  before anything is built: refuses a tree with changes, a gotrace ($GOTRACE, where set) that was built
#                   from other sources, and a machine that is busy; with FORCE=1 (QUICK=1 implies it) it goes on, and the
#                   folder says so, as it says that QUICK=1 was a trial
# begin_run [SUFFIX]
#                   makes $out, a new folder in ${RESULTS:-results/NAME}, and begins its environment.txt; with RESUME=FOLDER
#                   goes on in that one, if what is measured and where is the same. What is forced, or a trial, never goes
#                   into results: it is in $O/trial/NAME then (build/trial), unless RESULTS is another folder
# note KEY VALUE    one more line of environment.txt
# end_run           what the machine did meanwhile, and how fast it is (yardstick/); packs the folders that the run left
# pack FOLDER       its folders and texts but environment.txt become logs.tar.zst, of the same bytes for the same files
#
# environment.txt is "key: value". `sources` is the hash of everything that is measured or measures, as the commit has it:
# ci/check-results.sh computes it again from the commit. Rows are HEAD's as long as what they were made with is: see made_with.

out= # the folder of this run

# The listing of a commit's sources, without tests and documents, as one hash.
sources_of() { # COMMIT
	git -C "$top" ls-tree -r "$1" -- bpf core experiments fixtures/programs Makefile 2>/dev/null |
		grep -v '\.md$\|_test\.c$' | sha256sum | cut -d' ' -f1
}

# A listing whose files are as they were before the changes in unchanged.txt.
as_before() {
	awk -v list="$top/experiments/unchanged.txt" '
		BEGIN { while ((getline <list) > 0) if (!/^#/ && NF > 2) before[$1, $3] = $2 }
		{
			file = $4; hash = $3
			for (i = 0; (file, hash) in before && i < 100; i++) hash = before[file, hash]
			if (hash != "-") print $1, $2, hash "\t" file
		}'
}

# What CONTRIBUTING.md says that an experiment's rows depend on, as regular expressions: "+ BEGINNING" or "- BEGINNING" a line; all
# of bpf and core where it is not in that table.
depends_on() { # EXPERIMENT
	awk -F ' *[|] *' -v wanted="$1" '
		/^<!-- rows and sources/ { inside = 1 }
		/^<!-- end of rows and sources/ { inside = 0 }
		inside && NF > 3 { of[$2] = $3 }
		function tell(words,   n, i, w) {
			n = split(words, w, " ")
			for (i = 1; i <= n; i++)
				if (w[i] in of) tell(of[w[i]])
				else print w[i] ~ /^!/ ? "- ^" substr(w[i], 2) : "+ ^" w[i]
		}
		END { tell(wanted in of ? of[wanted] : "bpf core") }' "$top/CONTRIBUTING.md" 2>/dev/null || printf '+ ^%s\n' bpf core
}

# The same of what makes an experiment's rows: of bpf and core what CONTRIBUTING.md says; not of other experiments, but for those whose
# files its own name, or the folder in one of these that they name, not of programs of fixtures/programs that it names nowhere, not of
# what only tests share or fuzzes, and not of what only calls it or writes down where rows come from. Of the Makefile what the compiler
# is told. A file that unchanged.txt names counts as it was before.
made_with() { # COMMIT EXPERIMENT
	programs='fixtures/programs/(go1[^/]*/)?'
	others=$(git -C "$top" grep -hoE '((\.\./)*experiments|\.\.)/[a-z-]+/[a-z_-]*[.]?' "$1" -- "experiments/$2" 2>/dev/null |
		sed -E 's,^(\.\./)*(experiments/)?,,; s,[a-z_-]*\.$,,; s,([^/])$,\1/,' | sort -u | paste -sd'|')
	all=$(git -C "$top" ls-tree -r --name-only "$1" -- fixtures/programs 2>/dev/null | sed -nE "s,^$programs([^/]+)/.*,\2,p" | sort -u | paste -sd'|')
	# shellcheck disable=SC2046 # a list of folders
	named=$(git -C "$top" grep -howE "${all:-.^}" "$1" -- ':!*.md' "experiments/$2" $(echo "$others" | tr '|' '\n' | sed 's,.,experiments/&,') 2>/dev/null |
		sort -u | paste -sd'|')
	sources=$(depends_on "$2")
	{
		git -C "$top" ls-tree -r "$1" -- bpf core experiments fixtures/programs 2>/dev/null |
			grep -v '\.md$\|_\(test\|fixture\|fuzz\)\.[ch]$\|experiments/\(all\|begin\|host\|derive\|provenance\|rows\)\.sh$\|experiments/unchanged\.txt$' |
			as_before | awk -v used="^(experiments/(stats/|workloads/|$2/${others:+|$others})|$programs(${named:-none})/)" -v program="^$programs[^/]+/" \
				-v in_it="$(echo "$sources" | sed -n 's/^+ //p' | paste -sd'|')" -v out_of_it="$(echo "$sources" | sed -n 's/^- //p' | paste -sd'|')" '
				$4 ~ /^(bpf|core)\// { if ($4 ~ in_it && (out_of_it == "" || $4 !~ out_of_it)) print; next }
				$4 !~ /^experiments\/[^\/]+\// && $4 !~ program || $4 ~ used'
		git -C "$top" show "$1:Makefile" 2>/dev/null | grep -E '^[A-Z]*FLAGS +[:+?]?='
	} | sha256sum | cut -d' ' -f1
}

note() { # KEY VALUE...
	key=$1
	shift
	echo "$key: $*" >>"$out/environment.txt"
}

too_busy() { awk -v now="$1" 'BEGIN { exit !(now + 0 > 0.5) }'; } # LOAD
# What forbids to measure, a line each.
objections() {
	changed=$(git -C "$top" status --porcelain -- bpf core experiments fixtures/programs Makefile 2>/dev/null | wc -l)
	if ! git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		echo "this is no clone, the sources are not known"
	elif [ "$changed" != 0 ]; then
		echo "$changed changed files that are not committed"
	elif [ -n "${GOTRACE:-}" ]; then
		built=$("$GOTRACE" --version 2>/dev/null | sed -n '1s/^gotrace //p')
		commit=${built##*-g}
		[ "$(sources_of "$commit")" = "$(sources_of HEAD)" ] ||
			echo "$(basename "$GOTRACE") was built from other sources ($built): run make"
	fi
	load=$(cut -d' ' -f1 /proc/loadavg)
	! too_busy "$load" || echo "a load of $load, more than 0.5"
}

steal_ticks() { awk '$1 == "cpu" { print $9 }' /proc/stat; }
sysfs() { # FILE: below /sys/devices/system, "none" where there is none
	cat "/sys/devices/system/$1" 2>/dev/null || echo none
}

# How fast the machine is just now; what neighbours take of memory and caches is in neither load nor steal.
yardstick() {
	built=$(mktemp) || return
	"${CC:-gcc}" -O2 -o "$built" "$top/experiments/yardstick/yardstick.c" 2>/dev/null && "$built" || echo none
	rm -f "$built"
}

may_measure() { # NAME
	experiment=$1
	against=$(objections)
	if [ -n "$against" ] && [ -z "${FORCE:-}${QUICK:-}" ]; then
		echo "$against" | sed "s/^/$1: refused: /" >&2
		echo "$1: FORCE=1 measures all the same, and the results say so" >&2
		exit 1
	fi
	[ -z "${QUICK:-}" ] || against="${against:+$against
}QUICK=1, a trial"
	load_at_start=$(cut -d' ' -f1-3 /proc/loadavg)
}

# What must be as it was when the run began, a line each.
cannot_resume() {
	hash=
	[ -z "${GOTRACE:-}" ] || hash=$(sha256sum <"$GOTRACE" | cut -d' ' -f1)
	while IFS='=' read -r key now; do
		was=$(sed -n "s/^$key: //p" "$out/environment.txt" 2>/dev/null | head -n 1)
		[ "$was" = "$now" ] || echo "$key was '$was' and is '$now'"
	done <<-END
		experiment=$experiment
		sources=$(sources_of HEAD)
		gotrace_sha256=$hash
		kernel=$(uname -srm)
		cpus=$(nproc)
	END
	! grep -q '^load_at_end: ' "$out/environment.txt" 2>/dev/null || echo "$out is of a run that has ended"
}
resume_run() {
	out=$(realpath -m "$RESUME")
	different=$(cannot_resume)
	if [ -z "$different" ] && [ -n "$against" ] && in_results "$out" && ! grep -q '^forced: ' "$out/environment.txt"; then
		different="$out would be no result any more: $(echo "$against" | paste -sd';' | sed 's/;/; /g')"
	fi
	if [ -n "$different" ]; then
		echo "$different" | sed "s/^/$experiment: RESUME: /" >&2
		exit 1
	fi
	steal_before=$(steal_ticks) begun=$(date +%s)
	note resumed "$(date -u +%Y-%m-%dT%H:%M:%SZ), load $load_at_start, yardstick $(yardstick)"
	[ -z "$against" ] || note forced "$(echo "$against" | paste -sd';' | sed 's/;/; /g')"
}

in_results() { # FOLDER
	case $(realpath -m "$1")/ in "$(realpath -m "$top/results")"/*) ;; *) return 1 ;; esac
}
# $parent, the folder that gets the folder of this run.
choose_parent() {
	parent=${RESULTS:-$top/results/$experiment}
	if [ -n "$against" ] && in_results "$parent"; then
		parent=${O:-build}/trial/$experiment
		case $parent in /*) ;; *) parent=$top/$parent ;; esac # as the Makefile means it
		echo "$experiment: a trial, no result: into $parent" >&2
	fi
}

begin_run() { # [SUFFIX]
	if [ -n "${RESUME:-}" ]; then
		resume_run
		return
	fi
	choose_parent
	id=$(date -u +%Y%m%dT%H%M%SZ)${1:+-$1}
	mkdir -p "$parent" || exit 1
	out=$parent/$id
	tries=1
	until mkdir "$out" 2>/dev/null; do # two at once
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { echo "$experiment: no folder can be made in $parent" >&2; exit 1; }
		out=$parent/$id-$tries
	done
	steal_before=$(steal_ticks) begun=$(date +%s)
	note experiment "$experiment"
	note date "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	[ -z "${MEASURED_AS:-}" ] || note target "$MEASURED_AS" # all.sh's name of this
	note commit "$(git -C "$top" rev-parse HEAD 2>/dev/null || echo none)"
	note sources "$(sources_of HEAD)"
	[ -z "${QUICK:-}" ] || note quick "a trial, not a result"
	[ -z "$against" ] || note forced "$(echo "$against" | paste -sd';' | sed 's/;/; /g')"
	if [ -n "${GOTRACE:-}" ]; then
		note gotrace "$("$GOTRACE" --version 2>/dev/null | head -n 1)"
		# The BPF programs are in it.
		note gotrace_sha256 "$(sha256sum <"$GOTRACE" | cut -d' ' -f1)"
	fi
	note kernel "$(uname -srm)"
	note system "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
	note cpu "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
	note cpus "$(nproc)"
	note smt "$(sysfs cpu/smt/control)"
	note governor "$(sysfs cpu/cpu0/cpufreq/scaling_governor)"
	note clock_source "$(sysfs clocksource/clocksource0/current_clocksource)"
	note virtual "$(grep -qw hypervisor /proc/cpuinfo && echo yes || echo no)"
	note memory_kib "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)"
	note libbpf "$(pkg-config --modversion libbpf 2>/dev/null || echo none)"
	note compiler "$("${CC:-gcc}" --version 2>/dev/null | head -n 1)"
	note go "$(go env GOVERSION 2>/dev/null || echo none)"
	note load_at_start "$load_at_start"
	note yardstick_at_start "$(yardstick)"
}

# archive FOLDER NAME FILE...: packs them into NAME, there, and deletes them.
archive() (
	cd "$1" && name=$2 && shift 2 &&
		tar --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=u=rwX,go=rX -I 'zstd -q -19' \
			-cf "$name.new" "$@" && mv "$name.new" "$name" && rm -r "$@"
)
# These files are what programs printed, and profiles: evidence for a reader who doubts a row. Rows stay text that git can compare,
# except where a run has several row files or a large one (rows.sh).
pack() { # FOLDER
	(
		cd "$1" || exit
		# shellcheck disable=SC2046 # names without blanks
		set -- $(find . -mindepth 1 -maxdepth 1 \( -type d -o -name '*.txt' ! -name environment.txt \) -printf '%P\n')
		[ $# -gt 0 ] || exit 0
		archive . logs.tar.zst $(printf '%s\n' "$@" | LC_ALL=C sort)
	)
}

end_run() {
	pack "$out" || echo "$experiment: $out keeps its folders and texts; with zstd (ci/deps.sh build) they become logs.tar.zst" >&2
	note load_at_end "$(cut -d' ' -f1-3 /proc/loadavg)"
	note yardstick_at_end "$(yardstick)"
	note steal_ticks "$(($(steal_ticks) - steal_before)) of $(getconf CLK_TCK) a second on each processor"
	note minutes "$((($(date +%s) - begun + 30) / 60))" # of a run that was gone on with: since then
}
