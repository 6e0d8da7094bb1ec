// An HTTP server and what keeps it busy, to be traced for hours:
//
//	server serve ADDRESS
//	server load ADDRESS CLIENTS DURATION
//
// load prints how many requests were answered.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type item struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

var (
	lock  sync.Mutex
	items = map[string]int{}
)

//go:noinline
func store(name string, value int) {
	lock.Lock()
	defer lock.Unlock()
	items[name] = value % 1000
}

//go:noinline
func list(prefix string) []item {
	lock.Lock()
	defer lock.Unlock()
	var found []item
	for name, value := range items {
		if strings.HasPrefix(name, prefix) {
			found = append(found, item{name, value})
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found
}

// compute calls itself: as deep as asked for.
//
//go:noinline
func compute(n int) int {
	if n < 2 {
		return n
	}
	return compute(n-1) + compute(n-2)
}

func handleItem(w http.ResponseWriter, r *http.Request) {
	value, _ := strconv.Atoi(r.URL.Query().Get("value"))
	store(r.URL.Query().Get("name"), value)
	json.NewEncoder(w).Encode(item{r.URL.Query().Get("name"), value})
}

func handleList(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(list(r.URL.Query().Get("prefix")))
}

func handleCompute(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	done := make(chan int)
	go func() { done <- compute(n % 16) }() // a goroutine each time
	fmt.Fprintln(w, <-done)
}

func serve(address string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/item", handleItem)
	mux.HandleFunc("/list", handleList)
	mux.HandleFunc("/compute", handleCompute)
	return http.ListenAndServe(address, mux)
}

func client(address string, until time.Time, answered *atomic.Int64, seed int64) {
	random := rand.New(rand.NewSource(seed))
	// New connections now and then: goroutines begin and end.
	for time.Now().Before(until) {
		transport := &http.Transport{}
		c := http.Client{Transport: transport, Timeout: 10 * time.Second}
		for i := 0; i < 200 && time.Now().Before(until); i++ {
			path := fmt.Sprintf("/item?name=n%d&value=%d", random.Intn(200), i)
			switch random.Intn(4) {
			case 0:
				path = fmt.Sprintf("/list?prefix=n%d", random.Intn(10))
			case 1:
				path = fmt.Sprintf("/compute?n=%d", random.Intn(16))
			}
			response, err := c.Get("http://" + address + path)
			if err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			answered.Add(1)
		}
		transport.CloseIdleConnections()
	}
}

func load(address string, clients int, duration time.Duration) {
	var answered atomic.Int64
	var wait sync.WaitGroup
	until := time.Now().Add(duration)
	for i := 0; i < clients; i++ {
		wait.Add(1)
		go func(seed int64) {
			defer wait.Done()
			client(address, until, &answered, seed)
		}(int64(i))
	}
	wait.Wait()
	fmt.Println("answered", answered.Load())
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		fmt.Fprintln(os.Stderr, serve(os.Args[2]))
		os.Exit(1)
	}
	clients, duration := 0, time.Duration(0)
	if len(os.Args) == 5 && os.Args[1] == "load" {
		clients, _ = strconv.Atoi(os.Args[3])
		duration, _ = time.ParseDuration(os.Args[4])
	}
	if clients == 0 || duration == 0 {
		fmt.Fprintln(os.Stderr, "usage: server serve ADDRESS | load ADDRESS CLIENTS DURATION")
		os.Exit(2)
	}
	load(os.Args[2], clients, duration)
}
