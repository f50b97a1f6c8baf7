// Package surfaces_test opens one session in Telegram, in a terminal, in a browser and in a program
// over HTTP at the same time. It stops turns in every supported way. Every surface must show the
// same: which turn, by which person, from where. All must show the same receipt.
package surfaces_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
)

// turn is a running turn with a unique prompt.
type turn struct {
	id   bellcord.TurnID
	text string
}

// surface shows the session to a person.
type surface interface {
	name() string
	streams(turn) bool    // text of the turn is shown
	ending(t turn) string // the text that shows the stop; "" before it
}

// surfaces is the session with all its surfaces.
type surfaces struct {
	*stage
	server  *client.Client
	session bellcord.SessionID
	chat    *telegram
	page    *browser
	term    *terminal
	viewer  *viewer
}

// tools checks for the required programs other than Go.
func tools(t *testing.T) (chromium string) {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && chromium == "" {
			chromium = path
		}
	}
	if chromium == "" {
		missing(t, "no chromium, chromium-browser or google-chrome in PATH")
	}
	for _, tool := range []string{"node", "tmux"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, "no "+tool+" in PATH")
		}
	}
	if _, err := os.Stat("../page/node_modules/playwright-core"); err != nil {
		missing(t, "playwright-core is not installed: run make page-test")
	}
	return chromium
}

func openSurfaces(t *testing.T) *surfaces {
	t.Helper()
	chromium := tools(t)
	r := &surfaces{stage: newStage(t)}
	server, err := client.New(r.url, r.token)
	if err != nil {
		t.Fatal(err)
	}
	r.server, r.chat = server, &telegram{t, r.gram}
	r.chat.prompt("[say Hello Anna.]") // creates the session, which belongs to Anna
	comesTrue(t, r.serverLog, func() bool {
		all, err := server.Sessions(t.Context(), client.Page{})
		if err == nil && len(all.Sessions) == 1 {
			r.session = all.Sessions[0].ID
		}
		return r.session != ""
	})
	r.viewer = openViewer(r.stage, server, r.session)
	r.term = openTerminal(r.stage, r.session)
	r.page = openBrowser(r.stage, chromium, r.session)
	return r
}

func (r *surfaces) surfaces() []surface { return []surface{r.viewer, r.page, r.term, r.chat} }

// way is one way to stop a turn.
type way struct {
	name       string
	from       interface{ prompt(text string) } // the surface that sends the prompt
	stop       func(turn) *bellcord.Receipt     // nil if the surface does not return one
	by, word   string                           // in the receipt
	place      string                           // on the page
	inTelegram bool                             // Anna stopped it in Telegram, so the message there does not name her
}

func (r *surfaces) ways() []way {
	press := func(do func(turn)) func(turn) *bellcord.Receipt {
		return func(t turn) *bellcord.Receipt { do(t); return nil }
	}
	return []way{
		{"Stop on the page", r.chat, press(func(t turn) { r.page.stop(t.id) }), "admin", "page", "from the page", false},
		{"Esc in the terminal", r.chat, press(func(turn) { r.term.types("Escape") }), "admin", "terminal", "from the terminal", false},
		{"/stop in Telegram", r.term, press(func(turn) { r.chat.prompt("/stop") }), "anna", "Telegram", "in Telegram", true},
		{"Telegram's own Stop", r.chat, press(func(turn) { r.chat.pressStop() }), "anna", "Telegram", "in Telegram", true},
		{"bellcord stop TURN", r.page, r.command, "admin", "bellcord stop", "via bellcord stop", false},
		{"POST /v1/turns/ID/stop", r.chat, r.post, "admin", "http", "over HTTP", false},
	}
}

// command runs bellcord stop, which prints the receipt.
func (r *surfaces) command(t turn) *bellcord.Receipt {
	r.t.Helper()
	out, err := r.bellcord("stop", "--json", string(t.id)).Output()
	if err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	var answer bellcord.StopAnswer
	if err := json.Unmarshal(out, &answer); err != nil {
		r.t.Fatal(err)
	}
	return answer.Receipt
}

func (r *surfaces) post(t turn) *bellcord.Receipt {
	r.t.Helper()
	stopped, err := r.server.Stop(r.t.Context(), t.id, api.Stop{})
	if err != nil || len(stopped.Turns) != 1 {
		r.t.Fatalf("%+v, %v", stopped, err)
	}
	return stopped.Turns[0].Receipt
}

// alone is false in a run of all tests, which must not open a browser and a terminal. make surfaces
// and CI set it.
var alone = flag.Bool("browser", false, "open a real browser and a real terminal")

func TestLaw04_EverySurface_ShowsTheSameStop(t *testing.T) {
	t.Parallel()
	if !*alone {
		t.Skip("needs -browser: run make surfaces")
	}
	r := openSurfaces(t)
	alike := ""
	for n, way := range r.ways() {
		begun := time.Now()
		text := fmt.Sprintf("ring %d [slow 5000 40ms]", n+1)
		way.from.prompt(text)
		turn := r.viewer.turn(text)
		for _, s := range r.surfaces() {
			comesTrue(t, func() string { return way.name + ": words in " + s.name() + "\n" + r.term.screen() }, func() bool { return s.streams(turn) })
		}
		answer := way.stop(turn)
		for _, s := range r.surfaces() {
			comesTrue(t, func() string { return way.name + ": an end in " + s.name() + "\n" + r.term.screen() }, func() bool { return s.ending(turn) != "" })
		}
		count := r.showsTheSame(way, turn)
		receipt := r.oneReceipt(way, turn, answer)
		if this := bare(t, receipt); alike == "" {
			alike = this
		} else if alike != this {
			t.Errorf("%s: another receipt:\n%s\nthan before:\n%s", way.name, this, alike)
		}
		t.Logf("%-22s %d of 5 surfaces show the stop by %s, %s, and have one receipt (%.1f s)", way.name, count, way.by, way.word, time.Since(begun).Seconds())
	}
	for _, words := range r.gram.Violations() {
		t.Errorf("a rule of Telegram's was broken: %s", words)
	}
}
