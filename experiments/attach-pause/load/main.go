// Requests through a NATS server and their answers: load URL SECONDS prints how many a second.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const clients = 8

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	fail(err)
	answerer, err := nats.Connect(os.Args[1])
	fail(err)
	_, err = answerer.Subscribe("ask", func(m *nats.Msg) { m.Respond(m.Data) })
	fail(err)
	fail(answerer.Flush())
	var done int64
	var wg sync.WaitGroup
	start := time.Now()
	end := start.Add(time.Duration(seconds * float64(time.Second)))
	for i := 0; i < clients; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c, err := nats.Connect(os.Args[1])
			fail(err)
			data := make([]byte, 128)
			for time.Now().Before(end) {
				_, err := c.Request("ask", data, 20*time.Second)
				fail(err)
				atomic.AddInt64(&done, 1)
			}
		}()
	}
	wg.Wait()
	fmt.Printf("%.0f\n", float64(done)/time.Since(start).Seconds())
}
