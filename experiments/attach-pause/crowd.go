// A program of some size that works on two goroutines, while as many as the first argument says
// sleep: crowd GOROUTINES
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
)

type item struct {
	Name string
	Tags map[string]int
}

func serve(w http.ResponseWriter, r *http.Request) {
	json.NewEncoder(w).Encode(item{r.URL.Path, map[string]int{"a": 1, "b": 2}})
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		os.Exit(2)
	}
	for i := 0; i < n; i++ {
		go func() { select {} }()
	}
	for i := 0; i < 2; i++ {
		go func() {
			for {
				w := httptest.NewRecorder()
				http.HandlerFunc(serve).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
				var got item
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Tags["b"] != 2 {
					fmt.Fprintln(os.Stderr, "crowd: wrong:", got, err)
					os.Exit(3)
				}
			}
		}()
	}
	fmt.Println("ready")
	select {}
}
