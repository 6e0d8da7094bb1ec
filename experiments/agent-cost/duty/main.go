// Works for so many per cent of the time: duty PERCENT.
package main

import (
	"os"
	"strconv"
	"time"
)

//go:noinline
func work(n int) (s uint64) {
	for i := 0; i < n; i++ {
		s = s*6364136223846793005 + 1442695040888963407
	}
	return
}

//go:noinline
func handle(until time.Time) {
	for time.Now().Before(until) {
		work(10000)
	}
}

func main() {
	percent, _ := strconv.Atoi(os.Args[1])
	const period = 100 * time.Millisecond
	for {
		handle(time.Now().Add(period * time.Duration(percent) / 100))
		time.Sleep(period * time.Duration(100-percent) / 100)
	}
}
