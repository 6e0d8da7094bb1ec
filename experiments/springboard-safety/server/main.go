// An HTTP server and four clients that keep their connections: server REQUESTS. Prints how many
// answers there were and how many different ones.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

func main() {
	total := 4000
	if len(os.Args) > 1 {
		total, _ = strconv.Atoi(os.Args[1])
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		words := strings.Fields(r.URL.Query().Get("text"))
		for i := range words {
			fmt.Fprintln(w, i, strings.ToUpper(words[i]))
		}
	})
	go http.Serve(l, nil)

	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		answers = map[string]int{}
	)
	for c := 0; c < 4; c++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < total/4; i++ {
				body := ""
				r, err := http.Get("http://" + l.Addr().String() + "/?text=the+quick+brown+fox")
				if err == nil {
					b, _ := io.ReadAll(r.Body)
					r.Body.Close()
					body = string(b)
				} else {
					body = err.Error()
				}
				mu.Lock()
				answers[body]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	for body, n := range answers {
		fmt.Println(n, strings.ReplaceAll(body, "\n", "|"))
	}
}
