#!/bin/sh
# run.sh DIR HARNESS...: fuzzes each for FUZZ_SECONDS (60), from the seeds and from what earlier runs
# found worth keeping in DIR.  An input that breaks something is left in DIR/HARNESS.found/.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$1
shift

failed=0
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=4096:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1
rm -rf "$dir/seeds"
mkdir -p "$dir/seeds" && perl "$top/tests/fuzz/seeds.pl" "$dir/seeds" || exit 1
for harness; do
	name=$(basename "$harness")
	mkdir -p "$dir/$name.corpus" "$dir/$name.found"
	if "$harness" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -max_len=100000 -rss_limit_mb=3000 -print_final_stats=1 \
		-artifact_prefix="$dir/$name.found/" "$dir/$name.corpus" "$dir/seeds/$name" >"$dir/$name.log" 2>&1; then
		printf 'fuzz: %s: %s inputs, no finding\n' "$name" "$(awk '/number_of_executed_units/ { print $2 }' "$dir/$name.log")"
	else
		tail -n 40 "$dir/$name.log"
		printf 'fuzz: %s: a finding: %s\n' "$name" "$(find "$dir/$name.found" -type f -newer "$harness" | tail -n 1)"
		failed=1
	fi
done
exit "$failed"
