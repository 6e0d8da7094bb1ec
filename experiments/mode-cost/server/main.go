// An HTTP server for a load client of another process: server ADDRESS PIDFILE. Each answer is a page that it computes and a
// count under a lock. It ends with SIGINT and prints how many pages it has answered.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"strings"
	"sync"
)

const text = "a page of words that are sorted and counted before each answer as if they came from a database of words"

var (
	mu    sync.Mutex
	pages int
)

//go:noinline
func words(salt string) []string {
	list := strings.Fields(text + " " + salt)
	sort.Strings(list)
	return list
}

//go:noinline
func render(list []string) string {
	var b strings.Builder
	b.WriteString("<html><ul>")
	for _, w := range list {
		b.WriteString(item(w))
	}
	b.WriteString("</ul></html>")
	return b.String()
}

//go:noinline
func item(word string) string {
	return fmt.Sprintf("<li>%s: %d</li>", strings.ToUpper(word), len(word))
}

//go:noinline
func count() {
	mu.Lock()
	defer mu.Unlock()
	pages++
}

func page(w http.ResponseWriter, r *http.Request) {
	answer := render(words(r.URL.Query().Get("n")))
	count()
	fmt.Fprint(w, answer)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "server:", err)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: server ADDRESS PIDFILE"))
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt)
	if err := os.WriteFile(os.Args[2], []byte(fmt.Sprintln(os.Getpid())), 0o644); err != nil {
		fail(err)
	}
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fail(err)
	}
	http.HandleFunc("/page.html", page)
	go http.Serve(l, nil)
	<-end
	mu.Lock()
	fmt.Println(pages)
}
