// An application for the tests, which is configured as the contract says: it greets whoever asks at
// $HTTP_HOST:$HTTP_PORT, is in health, tells at /requests how many greetings there were so far, and at /epoch a wrong
// time of day.
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
	http.HandleFunc("/health", func(answer http.ResponseWriter, request *http.Request) {})
	http.HandleFunc("/epoch", func(answer http.ResponseWriter, request *http.Request) {
		answer.Header().Set("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
	})
	http.HandleFunc("/hello/{name}", func(answer http.ResponseWriter, request *http.Request) {
		requests.Add(1)
		fmt.Fprintf(answer, "Hello, %s!", request.PathValue("name"))
	})
	address := net.JoinHostPort(os.Getenv("HTTP_HOST"), os.Getenv("HTTP_PORT"))
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, nil))
	os.Exit(1)
}
