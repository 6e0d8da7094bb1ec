// Ants is the busy workload: four phases of 1,000 tasks each over the
// goroutine pools of github.com/panjf2000/ants/v2, which makes some 50,000
// calls, many of them a few nanoseconds long, on up to a thousand goroutines.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/ants/v2"
)

const (
	tasks       = 1000
	wantSum     = tasks * (tasks - 1) / 2
	nap         = 10 * time.Millisecond
	releaseWait = 5 * time.Second
)

func main() {
	commonPool()
	poolWithFunc()
	multiPool()
	multiPoolWithFunc()
	quiesce()
	// From here on nothing runs but main: what the counted build prints is final.
	report()
}

// must ends the program when err is set: a workload that failed half-way measures nothing.
func must(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "ants: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func mustSum(what string, sum int64) {
	if sum != wantSum {
		fmt.Fprintf(os.Stderr, "ants: %s: the sum is %d, not %d\n", what, sum, wantSum)
		os.Exit(1)
	}
	fmt.Printf("%s: %d tasks, sum %d\n", what, tasks, sum)
}

// commonPool sends sleeping tasks to the package's own unlimited pool.
func commonPool() {
	var wg sync.WaitGroup
	var sum int64
	for i := 0; i < tasks; i++ {
		n := int64(i)
		wg.Add(1)
		must("submit", ants.Submit(func() {
			sleepAndAdd(&sum, n)
			wg.Done()
		}))
	}
	wg.Wait()
	mustSum("common pool", sum)
}

// poolWithFunc has ten workers run one function over all numbers.
func poolWithFunc() {
	var wg sync.WaitGroup
	var sum int64
	pool, err := ants.NewPoolWithFunc(10, func(arg interface{}) {
		add(&sum, arg)
		wg.Done()
	})
	must("new pool with func", err)
	for i := 0; i < tasks; i++ {
		wg.Add(1)
		must("invoke", pool.Invoke(int64(i)))
	}
	wg.Wait()
	must("release", pool.ReleaseTimeout(releaseWait))
	mustSum("pool with func", sum)
}

// multiPool spreads sleeping tasks over ten unlimited pools in turn.
func multiPool() {
	var wg sync.WaitGroup
	var sum int64
	pools, err := ants.NewMultiPool(10, -1, ants.RoundRobin)
	must("new multi pool", err)
	for i := 0; i < tasks; i++ {
		n := int64(i)
		wg.Add(1)
		must("submit", pools.Submit(func() {
			sleepAndAdd(&sum, n)
			wg.Done()
		}))
	}
	wg.Wait()
	must("release", pools.ReleaseTimeout(releaseWait))
	mustSum("multi pool", sum)
}

// multiPoolWithFunc gives each number to the least loaded of ten pools.
func multiPoolWithFunc() {
	var wg sync.WaitGroup
	var sum int64
	pools, err := ants.NewMultiPoolWithFunc(10, 100, func(arg interface{}) {
		add(&sum, arg)
		wg.Done()
	}, ants.LeastTasks)
	must("new multi pool with func", err)
	for i := 0; i < tasks; i++ {
		wg.Add(1)
		must("invoke", pools.Invoke(int64(i)))
	}
	wg.Wait()
	must("release", pools.ReleaseTimeout(releaseWait))
	mustSum("multi pool with func", sum)
}

func sleepAndAdd(sum *int64, n int64) {
	time.Sleep(nap)
	atomic.AddInt64(sum, n)
}

func add(sum *int64, arg interface{}) {
	atomic.AddInt64(sum, arg.(int64))
}

// quiesce releases the package's own pool and waits until main's goroutine is
// the only one left. A goroutine leaves the count after its last function returned.
func quiesce() {
	must("release", ants.ReleaseTimeout(releaseWait))
	for deadline := time.Now().Add(releaseWait); runtime.NumGoroutine() > 1; {
		if time.Now().After(deadline) {
			must("quiesce", fmt.Errorf("%d goroutines do not end", runtime.NumGoroutine()))
		}
		time.Sleep(time.Millisecond)
	}
}
