# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154 # build and work are of those who source this
# Made-up traces, kept in $build/throughput for who needs them again. Sourced by run.sh of experiments; POSIX sh.
#
# build_generate            builds $work/generate
# trace EVENTS PATHS [GOROUTINES]    prints its file, which is made when it is not there; of 1,000 goroutines

build_generate() {
	mkdir -p "$build/throughput"
	make -s O="$build" "$build/libgotrace.a"
	"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
		experiments/throughput/generate.c "$build/libgotrace.a" -lzstd -lz -lm -o "$work/generate"
	# A trace is of the program that made it.
	made_by=$(cat core/trace/format.h experiments/throughput/generate.c | sha256sum | cut -c 1-12)
}
trace() { # EVENTS PATHS [GOROUTINES]
	file=$build/throughput/$1-$2-${3:-1000}-$made_by.gotrace
	[ -f "$file" ] || { "$work/generate" "$file.new" "$1" 300 "${3:-1000}" "$2" && mv "$file.new" "$file"; } || exit 1
	echo "$file"
}
