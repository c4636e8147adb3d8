#!/bin/sh
# profsup-cc as the linker of Rust and of Go: the time of all code, and the calls of what is C in it.
# check-all: needs Rust and Go
. "$(dirname "$0")/../lib/testlib.sh"
others_begin
. "$testdir/cclib.sh"
# Debian's, and no other of the user's.
PATH=$stage/bin:/usr/bin:/bin

if command -v rustc >path; then
	cat >prog.rs <<'END'
extern "C" {
    fn work(x: i32) -> i32;
}
#[inline(never)]
fn leaf(n: u64) -> u64 {
    let mut s = 1u64;
    for i in 0..n {
        s = unsafe { std::ptr::read_volatile(&s) }.wrapping_mul(31).wrapping_add(i);
    }
    s
}
fn main() {
    let mut sum = 0u64;
    for i in 0..1000 {
        sum = sum.wrapping_add(leaf(100000)).wrapping_add(unsafe { work(i) } as u64);
    }
    println!("{}", sum);
}
END
	profsup-cc -O2 -c work.c
	# What profsup-cc(1) advises.
	rustc -O -g -C linker=profsup-cc -C target-feature=+crt-static -C link-arg=work.o prog.rs >out 2>&1
	ok $? 'rustc links a program' || diag_file out
	is_ours prog
	ok $? 'which is one of ours'
	profsup --report -F 1000 ./prog >out 2>err
	is "$? $(awk '$NF == "work" { print $(NF - 3) }' err)" '0 1000' 'the calls of its C are counted' || diag_file err
	between_others "$(sed -n 's/^ *[0-9.]*% *\([0-9.]*\)%.* prog::leaf$/\1/p' err)" 80 100 'and the time is where it was used' || diag_file err
else
	skip 'no rustc here'
fi

if command -v go >path; then
	mkdir go
	cat >go/go.mod <<'END'
module prog
go 1.18
END
	cat >go/prog.go <<'END'
package main

/*
static volatile long sum;
__attribute__((noinline)) void c_leaf(void) { sum++; }
__attribute__((noinline)) void c_work(int n) { while (n-- > 0) c_leaf(); }
*/
import "C"

//go:noinline
func leaf(n int) int {
	s := 1
	for i := 0; i < n; i++ {
		s = s*31 + i
	}
	return s
}

func main() {
	t := 0
	for i := 0; i < 100; i++ {
		C.c_work(1000)
		t += leaf(2000000)
	}
	println(t)
}
END
	# What profsup-cc(1) advises.
	(cd go && HOME=$scratch/home CC=profsup-cc CGO_ENABLED=1 \
		go build -ldflags '-linkmode=external -extldflags=-static' -o ../goprog .) >out 2>&1
	ok $? 'go builds a program' || diag_file out
	is_ours goprog
	ok $? 'which is one of ours'
	profsup --report -F 1000 ./goprog >out 2>err
	is "$? $(awk '$NF == "c_leaf" { print $(NF - 3) }' err)" '0 100000' 'the calls of its C are counted' || diag_file err
	between_others "$(sed -n 's/^ *[0-9.]*% *\([0-9.]*\)%.* main\.leaf$/\1/p' err)" 70 100 'and the time is where it was used' || diag_file err
	chmod -R u+w .
else
	skip 'no go here'
fi
done_testing
