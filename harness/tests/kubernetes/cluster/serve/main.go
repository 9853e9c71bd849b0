// An application for the tests: it answers every request with "hello" at $HTTP_HOST:$HTTP_PORT, and /requests with how
// many it has answered so far.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

func main() {
	var requests atomic.Int64
	http.HandleFunc("/requests", func(answer http.ResponseWriter, request *http.Request) {
		fmt.Fprint(answer, requests.Load())
	})
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		requests.Add(1)
		fmt.Fprint(answer, "hello")
	})
	address := net.JoinHostPort(os.Getenv("HTTP_HOST"), os.Getenv("HTTP_PORT"))
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, nil))
	os.Exit(1)
}
