// Calls one function that spins or sleeps for a known length, or that calls another one N times, and
// writes how long each call took by its own clock, the processor's time stamp counter:
//
//	truth -calibrate                                   prints loops a microsecond
//	truth -loops L -kind spin -size NS -calls M -out FILE
//	truth -loops L -kind sleep -size NS -calls M -out FILE
//	truth -loops L -kind calls -size N -calls M -out FILE
//	truth -loops L -kind own -size N -callee NS -calls M -out FILE
//
// FILE: a line "clock NS", what one reading costs, then for each call "INSIDE OUTSIDE", nanoseconds between two readings in
// the function and around the call. The first call is in it, too: it warms up. Kind own adds two numbers of the same moment, which
// untraced functions measure. They are how long the caller's own work takes alone, and how long with its callees.
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

// Kind own has pieces of the caller's work before, between and behind its callees, of so many loops each.
var piece int64

const ownNs = 1000 // all pieces together

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
	case "own":
		for i := int64(0); i < size; i++ {
			work(piece)
			callee(loops)
		}
		work(piece)
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

// What is called N times: a traced function, of kind calls of some 100 ns.
//
//go:noinline
func callee(loops int64) { work(loops) }

// callee, but nobody traces it.
//
//go:noinline
func untracedCallee(loops int64) { work(loops) }

// timed without its callees, untraced: ticks.
//
//go:noinline
func ownWork(size int64) uint64 {
	from := ticks()
	for i := int64(0); i < size; i++ {
		work(piece)
	}
	work(piece)
	return ticks() - from
}

// timed with callees that nobody traces: ticks.
//
//go:noinline
func wholeWork(size, loops int64) uint64 {
	from := ticks()
	for i := int64(0); i < size; i++ {
		work(piece)
		untracedCallee(loops)
	}
	work(piece)
	return ticks() - from
}

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

// Ticks of each call; own and whole are of kind own.
type readings struct{ in, around, own, whole []uint64 }

func (r *readings) take(kind string, size, loops int64) {
	from := ticks()
	timed(kind, size, loops)
	r.around = append(r.around, ticks()-from)
	r.in = append(r.in, inside)
	if kind == "own" {
		r.own = append(r.own, ownWork(size))
		r.whole = append(r.whole, wholeWork(size, loops))
	}
}

func write(name string, clock, nsPerTick float64, r *readings) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "clock %.1f\n", clock)
	for i := range r.in {
		fmt.Fprintf(w, "%.1f %.1f", float64(r.in[i])*nsPerTick, float64(r.around[i])*nsPerTick)
		if r.own != nil {
			fmt.Fprintf(w, " %.1f %.1f", float64(r.own[i])*nsPerTick, float64(r.whole[i])*nsPerTick)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func main() {
	loops := flag.Float64("loops", 0, "of work in a microsecond")
	kind := flag.String("kind", "", "spin, sleep, calls or own")
	size := flag.Int64("size", 0, "nanoseconds, or calls in each call")
	each := flag.Int64("callee", 0, "nanoseconds of each callee of kind own")
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
	switch *kind {
	case "calls":
		ns = 100
	case "own":
		ns = *each
		piece = int64(*loops * ownNs / 1000 / float64(*size+1))
	}
	n := int64(*loops * float64(ns) / 1000)
	if n < 1 || *kind == "own" && piece < 1 {
		log.Fatal("truth: -loops and -size are needed, of kind own -callee, too")
	}
	r := &readings{in: make([]uint64, 0, *calls+1), around: make([]uint64, 0, *calls+1)}
	if *kind == "own" {
		r.own, r.whole = make([]uint64, 0, *calls+1), make([]uint64, 0, *calls+1)
	}
	for i := 0; i <= *calls; i++ {
		r.take(*kind, *size, n)
	}
	cost := clockCost()
	nsPerTick := s.nsPerTick()
	if err := write(*out, float64(cost)*nsPerTick, nsPerTick, r); err != nil {
		log.Fatal("truth: ", err)
	}
}
