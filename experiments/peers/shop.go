// Twenty requests, four of them slow, and a goroutine that looks things up meanwhile. What every
// call was given, returned and took is known.
package main

import (
	"errors"
	"fmt"
	"time"
)

var sink int

//go:noinline
func lookup(key int) int {
	sink += key
	return key * 3
}

//go:noinline
func render(path string, n int) int {
	return len(path) + lookup(n)
}

//go:noinline
func handle(path string, n int) (int, error) {
	if path == "/slow" {
		time.Sleep(30 * time.Millisecond)
	}
	if n == 7 {
		return 0, errors.New("no such item")
	}
	return render(path, n), nil
}

//go:noinline
func tick(done chan bool) {
	for i := 0; i < 50; i++ {
		lookup(1000 + i)
		time.Sleep(time.Millisecond)
	}
	done <- true
}

func main() {
	done := make(chan bool)
	go tick(done)
	for n := 0; n < 20; n++ {
		path := fmt.Sprintf("/item/%d", n)
		if n%5 == 0 {
			path = "/slow"
		}
		handle(path, n)
		time.Sleep(time.Millisecond)
	}
	<-done
}
