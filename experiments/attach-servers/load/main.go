// load asks a server so many times a second, whatever it answers (an open loop), and notes each request.
//
// SIGTERM ends it before its time. Then requests that are due are still made.
//
//	load run RATE SECONDS LOG http URL [BODY]   GET, or POST of BODY
//	load run RATE SECONDS LOG dns ADDR          A of example.org
//	load phases LOG NS...                       for each phase between two times of CLOCK_REALTIME, in ns:
//	                                            seconds,answered,errors,p50_us,p99_us,p999_us
//
// A latency begins when its request was due, so that a server that stands still makes all that were due late.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	workers = 256 // requests at once, at most
	patient = 10 * time.Second
)

// A record of the log: when it was due, how long it took; failed is the longest there is.
type record struct {
	DueNs  int64
	TookUs uint32
	Failed uint32
}

type asker func() bool

func askHTTP(url, body string) asker {
	client := &http.Client{
		Timeout:   patient,
		Transport: &http.Transport{MaxIdleConnsPerHost: workers},
	}
	return func() bool {
		var answer *http.Response
		var err error
		if body == "" {
			answer, err = client.Get(url)
		} else {
			answer, err = client.Post(url, "application/json", strings.NewReader(body))
		}
		if err != nil {
			return false
		}
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		return err == nil && answer.StatusCode/100 == 2
	}
}

// A socket for each question: an answer that comes late is no other's.
func askDNS(addr string) asker {
	question := []byte("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03org\x00\x00\x01\x00\x01")
	free := make(chan net.Conn, workers)
	return func() bool {
		var c net.Conn
		select {
		case c = <-free:
		default:
			var err error
			if c, err = net.Dial("udp", addr); err != nil {
				return false
			}
		}
		answer := make([]byte, 1500)
		c.SetDeadline(time.Now().Add(patient))
		if _, err := c.Write(question); err != nil {
			c.Close()
			return false
		}
		n, err := c.Read(answer)
		if err != nil || n < 12 || answer[0] != question[0] || answer[1] != question[1] {
			c.Close()
			return false
		}
		free <- c
		return true
	}
}

func run(args []string) {
	rate, _ := strconv.ParseFloat(args[0], 64)
	seconds, _ := strconv.ParseFloat(args[1], 64)
	out, err := os.Create(args[2])
	if err != nil || rate <= 0 || seconds <= 0 {
		fail("no log, rate or time: ", err)
	}
	var ask asker
	if args[3] == "dns" {
		ask = askDNS(args[4])
	} else {
		ask = askHTTP(args[4], strings.Join(args[5:], " "))
	}
	due := make(chan time.Time, int(rate*seconds)+1)
	done := make(chan record, workers)
	var all sync.WaitGroup
	for i := 0; i < workers; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for at := range due {
				r := record{DueNs: at.UnixNano()}
				if !ask() {
					r.Failed = 1
				}
				r.TookUs = uint32(time.Since(at).Microseconds())
				done <- r
			}
		}()
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		start := time.Now()
		for i := 0; len(ended) == 0; i++ {
			at := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
			if at.Sub(start).Seconds() >= seconds {
				break
			}
			time.Sleep(time.Until(at))
			due <- at
		}
		close(due)
		all.Wait()
		close(done)
	}()
	w := bufio.NewWriter(out)
	for r := range done {
		binary.Write(w, binary.LittleEndian, r)
	}
	if w.Flush() != nil || out.Close() != nil {
		fail("the log could not be written")
	}
}

func phases(args []string) {
	in, err := os.Open(args[0])
	if err != nil {
		fail(err)
	}
	var all []record
	for r := bufio.NewReader(in); ; {
		var one record
		if binary.Read(r, binary.LittleEndian, &one) != nil {
			break
		}
		all = append(all, one)
	}
	for i := 1; i+1 < len(args); i++ {
		from, _ := strconv.ParseInt(args[i], 10, 64)
		to, _ := strconv.ParseInt(args[i+1], 10, 64)
		var took []float64
		failed := 0
		answered := 0
		for _, r := range all {
			if r.Failed == 0 && r.DueNs+int64(r.TookUs)*1000 >= from && r.DueNs+int64(r.TookUs)*1000 < to {
				answered++
			}
			if r.DueNs >= from && r.DueNs < to {
				took = append(took, float64(r.TookUs))
				failed += int(r.Failed)
			}
		}
		sort.Float64s(took)
		at := func(q float64) float64 {
			if len(took) == 0 {
				return 0
			}
			return took[int(q*float64(len(took)-1))]
		}
		fmt.Printf("%.3f,%d,%d,%.0f,%.0f,%.0f\n", float64(to-from)/1e9, answered, failed, at(0.5), at(0.99), at(0.999))
	}
}

func fail(what ...interface{}) {
	fmt.Fprintln(os.Stderr, append([]interface{}{"load:"}, what...)...)
	os.Exit(1)
}

func main() {
	switch {
	case len(os.Args) >= 7 && os.Args[1] == "run":
		run(os.Args[2:])
	case len(os.Args) >= 5 && os.Args[1] == "phases":
		phases(os.Args[2:])
	default:
		fail("usage: see the head of main.go")
	}
}
