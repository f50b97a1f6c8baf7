package tool_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

// The forms are all spellings of this machine, of private networks and of the
// metadata services of clouds, and schemes other than http and https. PORT is
// the port of a real server on this machine, which must receive no request.
func TestHeld_FetchOfNonPublicAddress_IsRefusedInEverySpelling(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	url := site(t, map[string]http.HandlerFunc{"/": func(http.ResponseWriter, *http.Request) { asked.Add(1) }})
	port := url[strings.LastIndex(url, ":"):]
	forms := strings.Fields(`
		http://127.0.0.1PORT/ http://127.1PORT/ http://127.0.1PORT/ http://127.255.255.254PORT/ http://0PORT/ http://0.0.0.0PORT/
		http://2130706433PORT/ http://0x7f000001PORT/ http://0x7f.0.0.1PORT/ http://0177.0.0.1PORT/ http://017700000001PORT/
		http://localhostPORT/ http://LOCALHOST.PORT/ http://x.localhostPORT/
		http://[::1]PORT/ http://[0:0:0:0:0:0:0:1]PORT/ http://[::]PORT/ http://[::ffff:127.0.0.1]PORT/ http://[::ffff:7f00:1]PORT/
		http://[::127.0.0.1]PORT/ http://[64:ff9b::7f00:1]PORT/ http://[2002:7f00:1::]PORT/ http://[fe80::1]PORT/
		http://example.org@127.0.0.1PORT/ http://127.0.0.1PORT#@example.org/ http://127.0.0.1PORT\@example.org/
		http://10.0.0.1/ http://192.168.0.1/ http://172.16.0.1/ http://169.254.169.254/latest/meta-data/ http://[fd00:ec2::254]/
		file:///etc/passwd ftp://127.0.0.1/ gopher://127.0.0.1PORT/_GET unix:///run/bellcord.sock data:text/plain,x //127.0.0.1PORT/ 127.0.0.1PORT`)
	for _, form := range forms {
		of, args := tool.Fetch(tool.FetchOptions{}), fields{"url": strings.ReplaceAll(form, "PORT", port)}
		if refusedByCheck(of, args) {
			continue
		}
		if got := use(t, t.Context(), of, "", args); !got.Failed {
			t.Errorf("%s: %+v", form, got)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server on this machine was asked %d times", n)
	}
	t.Logf("%d forms", len(forms))
}

// refusedByCheck reports whether the arguments are refused before the tool
// runs.
func refusedByCheck(of tool.Tool, args fields) bool {
	text, err := json.Marshal(args)
	return err != nil || of.Check(text) != nil
}
