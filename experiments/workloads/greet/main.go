// Greet is the smallest of the three workloads: two goroutines greet a name,
// one ten times and one five times, through a handful of small helpers. One
// helper has a dozen arguments, so that some travel on the stack; one reads
// its goroutine's id out of runtime.Stack, whose buffer makes a stack grow.
//
// One round takes about 15 ms, nearly all of it asleep between greetings.
// -for and -rounds repeat it: a ratio of two 15 ms runs is mostly noise.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

const pause = time.Millisecond

func main() {
	duration := flag.Duration("for", 0, "repeat the work until this long has passed")
	rounds := flag.Int("rounds", 1, "repeat the work this many times")
	flag.Parse()

	start := time.Now()
	done := 0
	for done < *rounds || time.Since(start) < *duration {
		greetBoth()
		done++
	}
	if *duration > 0 || *rounds != 1 {
		fmt.Fprintf(os.Stderr, "rounds %d\n", done)
	}
}

// greetBoth is one round: both goroutines from start to end.
func greetBoth() {
	var wg sync.WaitGroup
	wg.Add(2)
	go greetMany(&wg, "Alice", 10)
	go greetMany(&wg, "Bob", 5)
	wg.Wait()
}

func greetMany(wg *sync.WaitGroup, name string, times int) {
	for i := 0; i < times; i++ {
		greet(name, i)
	}
	wg.Done()
}

func greet(name string, nth int) {
	sum := addTwelve(nth, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	fmt.Printf("Hello %s, %s time, on goroutine %d of %d processors (%d)\n",
		name, ordinal(nth+1), goroutineID(), processors(), sum)
	time.Sleep(pause)
}

// addTwelve has more integer arguments than the nine registers of ABIInternal.
func addTwelve(a, b, c, d, e, f, g, h, i, j, k, l int) int {
	return addSix(a, b, c, d, e, f) + addSix(g, h, i, j, k, l)
}

func addSix(a, b, c, d, e, f int) int {
	return a + b + c + d + e + f
}

func ordinal(n int) string {
	switch n {
	case 1:
		return "1st"
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return strconv.Itoa(n) + "th"
}

func processors() int {
	return runtime.GOMAXPROCS(0)
}

// goroutineID reads "goroutine 18 [running]:". The 64 KiB buffer lies on the stack.
func goroutineID() int {
	var buf [64 << 10]byte
	head := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	id, err := strconv.Atoi(string(head[:bytes.IndexByte(head, ' ')]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "greet: runtime.Stack begins otherwise than expected:", err)
		os.Exit(1)
	}
	return id
}
