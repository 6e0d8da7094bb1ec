// Load for a server, until a number of requests was answered: load nats|http ADDRESS REQUESTS. It
// waits up to a minute for the server to listen, prints how many answers were right and the seconds
// that all took from the first request on, and fails if one was not. "load get URL FILE" stores what
// a URL answers, when somebody listens there.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const clients = 4

func fail(err error) {
	fmt.Fprintln(os.Stderr, "load:", err)
	os.Exit(1)
}

func dial(address string) net.Conn {
	for deadline := time.Now().Add(time.Minute); ; {
		c, err := net.Dial("tcp", address)
		if err == nil {
			return c
		}
		if time.Now().After(deadline) {
			fail(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Subscribes to a subject of its own and publishes to it, a message after the other.
func natsClient(address string, id, n int) int {
	c := dial(address)
	defer c.Close()
	r, right := bufio.NewReader(c), 0
	fmt.Fprintf(c, "CONNECT {\"verbose\":false}\r\nSUB s%d 1\r\n", id)
	for i := 0; i < n; i++ {
		want := fmt.Sprintf("message %d of %d", i, id)
		fmt.Fprintf(c, "PUB s%d %d\r\n%s\r\n", id, len(want), want)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				fail(err)
			}
			if strings.HasPrefix(line, "PING") {
				fmt.Fprint(c, "PONG\r\n")
			}
			if strings.HasPrefix(line, "MSG ") {
				break
			}
		}
		got, err := r.ReadString('\n')
		if err != nil {
			fail(err)
		}
		if got == want+"\r\n" {
			right++
		}
	}
	return right
}

func httpClient(address string, id, n int) int {
	dial(address).Close()
	c, right := http.Client{Transport: &http.Transport{}}, 0
	for i := 0; i < n; i++ {
		r, err := c.Get(fmt.Sprintf("http://%s/page.html?n=%d", address, i))
		if err != nil {
			fail(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err == nil && r.StatusCode == 200 && strings.HasPrefix(string(body), "<html>") {
			right++
		}
	}
	return right
}

func get(url, file string) {
	address, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	dial(address).Close()
	r, err := http.Get(url)
	if err != nil {
		fail(err)
	}
	body, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != 200 {
		err = fmt.Errorf("%s: %s", url, r.Status)
	}
	if err == nil {
		err = os.WriteFile(file, body, 0o644)
	}
	if err != nil {
		fail(err)
	}
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "get" {
		get(os.Args[2], os.Args[3])
		return
	}
	kinds := map[string]func(string, int, int) int{"nats": natsClient, "http": httpClient}
	if len(os.Args) != 4 || kinds[os.Args[1]] == nil {
		fail(fmt.Errorf("usage: load nats|http ADDRESS REQUESTS, load get URL FILE"))
	}
	client, address := kinds[os.Args[1]], os.Args[2]
	requests, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	dial(address).Close()
	var wg sync.WaitGroup
	right := make([]int, clients)
	start := time.Now()
	for i := 0; i < clients; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			right[i] = client(address, i, requests/clients)
		}(i)
	}
	wg.Wait()
	all := 0
	for _, n := range right {
		all += n
	}
	fmt.Println(all, time.Since(start).Seconds())
	if all != requests/clients*clients {
		os.Exit(1)
	}
}
