package api

import "strings"

// The words for where a stop comes from, as receipts have them and people read
// them.
const (
	FromPage = "page" // a browser that is logged in
	FromHTTP = "http" // a program that says nothing of itself
)

// surfaces are the words for our own programs, by the product that their
// User-Agent begins with. The set is fixed: no header writes into a record.
var surfaces = map[string]string{
	"bellcord-chat":   "terminal",
	"bellcord-attach": "terminal",
	"bellcord-run":    "run",
	"bellcord-stop":   "bellcord stop",
}

// Surface is the word for the program with this User-Agent. Whoever asks can
// claim to be any of them: the word is shown, and no right hangs on it.
func Surface(userAgent string) string {
	product, _, _ := strings.Cut(userAgent, "/")
	if word, ours := surfaces[product]; ours {
		return word
	}
	return FromHTTP
}
