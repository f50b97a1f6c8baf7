package api

import "strings"

// The sources of a stop that are not one of Bellcord's own programs, as shown
// on receipts.
const (
	FromPage = "page" // a browser that is logged in
	FromHTTP = "http" // a program with an unrecognized User-Agent
)

// surfaces maps the product at the start of a User-Agent to the source that
// receipts show. The set is fixed, so that no header value is recorded.
var surfaces = map[string]string{
	"bellcord-chat":   "terminal",
	"bellcord-attach": "terminal",
	"bellcord-run":    "run",
	"bellcord-stop":   "bellcord stop",
}

// Surface returns the source that receipts show for a User-Agent. A client can
// claim to be any program: the value is only displayed and grants no
// permission.
func Surface(userAgent string) string {
	product, _, _ := strings.Cut(userAgent, "/")
	if word, ok := surfaces[product]; ok {
		return word
	}
	return FromHTTP
}
