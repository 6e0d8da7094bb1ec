# Shared by run.sh and ci/live/springboard.sh; sourced. What two outputs have in common.
# shellcheck shell=bash

# frames <TRACEBACK: functions, files, lines and pcs; without the values of arguments,
# goroutines' numbers and addresses of data. gotrace's own lines are no part of it.
frames() {
	grep -v '^gotrace: ' |
		sed -E 's/\((0x|\{|\.\.\.|_)[^()]*\)$/()/; s/ fp=0x[0-9a-f]+ sp=0x[0-9a-f]+//; s/^goroutine [0-9]+ (gp=0x[0-9a-f]+ m=[0-9]+ mp=0x[0-9a-f]+ )?/goroutine /; s/(addr=)0x[0-9a-f]+/\1/'
}

# quit_frames FILE: is every goroutine of `hazards quit` there with all its frames? Says what
# is not. The three are two that spin and one that sleeps below main.through.
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
		for (g in root) { roots++; if (!(g in spin)) lost = lost "no main.spin in " g " " }
		for (g in spin) { spins++; if (!(g in root)) lost = lost "no main.quit.func1 in " g " " }
		if (through != 4) lost = lost through + 0 " frames of main.through; "
		if (quit != 1) lost = lost quit + 0 " frames of main.quit; "
		if (roots < 1 || roots > 2) lost = lost roots + 0 " spinning goroutines; "
		print lost "spinning " roots + 0
		exit lost != ""
	}' "$1"
}

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
