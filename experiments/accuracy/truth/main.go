// Calls one function that spins or sleeps for a known length, or that calls another one N times, and
// writes how long each call took by its own clock, the processor's time stamp counter:
//
//	truth -calibrate                                   prints loops a microsecond
//	truth -loops L -kind spin -size NS -calls M -out FILE
//	truth -loops L -kind sleep -size NS -calls M -out FILE
//	truth -loops L -kind calls -size N -calls M -out FILE
//
// FILE: a line "clock NS", what one reading costs, then for each call "INSIDE OUTSIDE", nanoseconds between two readings in
// the function and around the call. The first call is in it, too: it warms up.
//
// The clock and the work are assembly, which no tracer probes.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"sort"
	"time"
)

func ticks() uint64
func work(loops int64)

// Longer work is done in parts: assembly cannot be preempted.
const longest = 100000

var inside uint64 // of the last call of timed

//go:noinline
func timed(kind string, size, loops int64) {
	from := ticks()
	switch kind {
	case "spin":
		spin(loops)
	case "sleep":
		time.Sleep(time.Duration(size))
	case "calls":
		for i := int64(0); i < size; i++ {
			callee(loops)
		}
	}
	inside = ticks() - from
}

//go:noinline
func spin(loops int64) {
	for ; loops > longest; loops -= longest {
		work(longest)
	}
	work(loops)
}

// What is called N times: a traced function that takes some 100 ns.
//
//go:noinline
func callee(loops int64) { work(loops) }

func median(v []uint64) uint64 {
	sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	return v[len(v)/2]
}

// What one reading costs: the usual distance of two.
func clockCost() uint64 {
	v := make([]uint64, 10001)
	for i := range v {
		from := ticks()
		v[i] = ticks() - from
	}
	return median(v)
}

// How long a tick is, by the system's clock.
type scale struct {
	tick uint64
	at   time.Time
}

func begin() scale { return scale{ticks(), time.Now()} }
func (s scale) nsPerTick() float64 {
	for time.Since(s.at) < 200*time.Millisecond { // the system's clock is read to some 50 ns
	}
	now := ticks()
	return float64(time.Since(s.at)) / float64(now-s.tick)
}

func calibrate() {
	const loops = longest
	s := begin()
	v := make([]uint64, 301)
	for i := range v {
		from := ticks()
		work(loops)
		v[i] = ticks() - from
	}
	fmt.Printf("%.3f\n", loops/(float64(median(v))*s.nsPerTick()/1000))
}

func write(name string, clock, nsPerTick float64, in, around []uint64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "clock %.1f\n", clock)
	for i := range in {
		fmt.Fprintf(w, "%.1f %.1f\n", float64(in[i])*nsPerTick, float64(around[i])*nsPerTick)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func main() {
	loops := flag.Float64("loops", 0, "of work in a microsecond")
	kind := flag.String("kind", "", "spin, sleep or calls")
	size := flag.Int64("size", 0, "nanoseconds, or calls in each call")
	calls := flag.Int("calls", 1, "after the first")
	out := flag.String("out", "", "file")
	only := flag.Bool("calibrate", false, "print the loops of a microsecond")
	flag.Parse()
	if *only {
		calibrate()
		return
	}
	s := begin()
	ns := *size
	if *kind == "calls" {
		ns = 100
	}
	n := int64(*loops * float64(ns) / 1000)
	if n < 1 {
		log.Fatal("truth: -loops and -size are needed")
	}
	in, around := make([]uint64, *calls+1), make([]uint64, *calls+1)
	for i := range in {
		from := ticks()
		timed(*kind, *size, n)
		around[i] = ticks() - from
		in[i] = inside
	}
	cost := clockCost()
	nsPerTick := s.nsPerTick()
	if err := write(*out, float64(cost)*nsPerTick, nsPerTick, in, around); err != nil {
		log.Fatal("truth: ", err)
	}
}
