// Calls one function in a loop, on one or more threads, and appends a line to a
// file: calls a thread, the wall time of the slowest thread, the processor time of the mean thread.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

//go:noinline
func below(n int) int { return n + 1 }

// framed has a stack check and a frame, as most functions do.
//
//go:noinline
func framed(n int) int { return below(n) + below(n+1) }

// straight is a leaf that cannot fault.
//
//go:noinline
func straight(a int) int { return a*3 + 1 }

type pair struct{ a, b int }

var one = &pair{1, 2}

// deref is a leaf whose first instruction may fault: no cheap place for its entry, no
// five bytes to displace before its RET.
//
//go:noinline
func deref(p *pair) int { return p.a }

//go:noinline
func loopFramed(calls int) (s int) {
	for i := 0; i < calls; i++ {
		s += framed(i)
	}
	return s
}

//go:noinline
func loopStraight(calls int) (s int) {
	for i := 0; i < calls; i++ {
		s += straight(i)
	}
	return s
}

//go:noinline
func loopDeref(calls int) (s int) {
	for i := 0; i < calls; i++ {
		s += deref(one)
	}
	return s
}

const rusageThread = 1

func threadTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &r); err != nil {
		panic(err)
	}
	return time.Duration(syscall.TimevalToNsec(r.Utime) + syscall.TimevalToNsec(r.Stime))
}

var sink int

func main() {
	function := flag.String("function", "framed", "framed, straight or deref")
	calls := flag.Int("calls", 1000000, "on each thread, after a tenth of it that does not count")
	threads := flag.Int("threads", 1, "at once")
	out := flag.String("out", "/dev/stdout", "file to append to")
	flag.Parse()
	loop := map[string]func(int) int{"framed": loopFramed, "straight": loopStraight, "deref": loopDeref}[*function]
	if loop == nil {
		fmt.Fprintln(os.Stderr, "loop: no function", *function)
		os.Exit(2)
	}
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	wall, cpu := make([]time.Duration, *threads), make([]time.Duration, *threads)
	for i := 0; i < *threads; i++ {
		ready.Add(1)
		done.Add(1)
		go func(i int) {
			defer done.Done()
			runtime.LockOSThread()
			n := loop(*calls / 10)
			ready.Done()
			<-start
			t, c := time.Now(), threadTime()
			n += loop(*calls)
			wall[i], cpu[i] = time.Since(t), threadTime()-c
			sink += n
		}(i)
	}
	ready.Wait()
	close(start)
	done.Wait()
	var slowest, sum time.Duration
	for i := range wall {
		if wall[i] > slowest {
			slowest = wall[i]
		}
		sum += cpu[i]
	}
	f, err := os.OpenFile(*out, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err == nil {
		_, err = fmt.Fprintf(f, "%d,%d,%d\n", *calls, slowest.Nanoseconds(), sum.Nanoseconds()/int64(*threads))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(1)
	}
}
