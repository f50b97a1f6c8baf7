package web_test

import "net/http"

// header sets one of a request.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Set(name, value)
	}
}
