// Command viewers lets real viewers watch live turns while their connections are killed: the page's
// client in a headless Chromium, behind a proxy that cuts connections, and curl with a token,
// killed as a process. Each continues after the last event that it received. At the end all
// messages that each received are compared with the session's record: no event is missing, received
// twice, out of order or changed.
//
//	go run ./peers/viewers -kills 1000
//
// It needs chromium and curl. BELLCORD_BIN names the binary to test; without it the binary is
// built.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	flags := flag.NewFlagSet("viewers", flag.ExitOnError)
	kills := flags.Int("kills", 1000, "number of connections to kill, half of them of a browser")
	_ = flags.Parse(os.Args[1:]) // exits if they are invalid
	r, err := try(context.Background(), *kills)
	if err != nil {
		fmt.Fprintln(os.Stderr, "viewers:", err)
		os.Exit(1)
	}
	fmt.Println(r)
	if wrong := r.wrong(); wrong != "" {
		fmt.Fprintln(os.Stderr, "viewers: events seen differ from the record:", wrong)
		os.Exit(1)
	}
}

// report is the result.
type report struct {
	browser, curl int // kills
	cuts          string
	verdict       // of all viewers together
	unlike        []string
	took          time.Duration
}

// String implements fmt.Stringer.
func (r report) String() string {
	return fmt.Sprintf("%d kills (browser %d, curl %d): %d events seen, %d missing, %d twice, %d out of order\n%s; %d changed; %s",
		r.browser+r.curl, r.browser, r.curl, r.seen, r.missing, r.twice, r.disordered, r.cuts, r.changed, r.took.Round(100*time.Millisecond))
}

// wrong describes the differences from the record; "" if the viewers received all of it.
func (r report) wrong() string {
	if len(r.unlike) == 0 {
		return ""
	}
	return fmt.Sprintf("%+v: %v", r.verdict, r.unlike)
}
