// An HTTP server with a JSON answer: what a small service links. Answers N requests of its own and ends.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
)

type answer struct {
	Path  string         `json:"path"`
	Sizes map[string]int `json:"sizes"`
}

func handle(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer{r.URL.Path, map[string]int{"path": len(r.URL.Path)}})
}

func get(url string) int {
	resp, err := http.Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return len(body)
}

func main() {
	requests := flag.Int("requests", 400, "how many in all")
	clients := flag.Int("clients", 4, "how many at a time")
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go http.Serve(l, http.HandlerFunc(handle))

	var wg sync.WaitGroup
	sizes := make([]int, *clients)
	for c := 0; c < *clients; c++ {
		wg.Add(1)
		go func(c int) {
			defer wg.Done()
			for i := c; i < *requests; i += *clients {
				sizes[c] += get(fmt.Sprintf("http://%s/item/%04d", l.Addr(), i))
			}
		}(c)
	}
	wg.Wait()
	total := 0
	for _, n := range sizes {
		total += n
	}
	fmt.Println(*requests, "answers,", total, "bytes")
}
