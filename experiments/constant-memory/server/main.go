// A server and its clients for a long time: server SECONDS. Some 400 requests a second, each on a
// connection and with goroutines of its own, so that numbers of goroutines never come again. Prints
// how often each function was called.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var handles, parts, items int64

//go:noinline
func item(i int) int {
	atomic.AddInt64(&items, 1)
	return i * i
}

//go:noinline
func part(n int, sum *int64, wg *sync.WaitGroup) {
	atomic.AddInt64(&parts, 1)
	for i := 0; i < n; i++ {
		atomic.AddInt64(sum, int64(item(i)))
	}
	wg.Done()
}

//go:noinline
func handle(w http.ResponseWriter, r *http.Request) {
	atomic.AddInt64(&handles, 1)
	var sum int64
	var wg sync.WaitGroup
	wg.Add(3)
	for i := 0; i < 3; i++ {
		go part(10*(i+1), &sum, &wg)
	}
	wg.Wait()
	fmt.Fprintln(w, sum)
}

func client(url string, end time.Time) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for time.Now().Before(end) {
		r, err := c.Get(url)
		if err == nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func main() {
	seconds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		os.Exit(2)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
	go http.Serve(l, http.HandlerFunc(handle))
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			client("http://"+l.Addr().String(), end)
		}()
	}
	wg.Wait()
	fmt.Printf("main.handle %d\nmain.part %d\nmain.item %d\n", handles, parts, items)
}
