package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bellcord/bellcord"
)

// audit compares the events that viewers received with the log, and the turns with their expected
// ends.
func (c *rollingCrowd) audit(ctx context.Context, out io.Writer) error {
	ends := map[bellcord.End]int{}
	var seen, logged, missing, doubled, different, short int
	for _, guest := range c.guests {
		for _, t := range guest {
			log, err := c.stage.log(ctx, t.session)
			if err != nil {
				return err
			}
			seen, logged = seen+len(t.seen), logged+len(log)
			m, d, other := compare(t.seen, log)
			missing, doubled, different = missing+m, doubled+d, different+other
			end, complete := sayings(log)
			ends[end]++
			if !complete {
				short++
			}
		}
	}
	turns := ends[bellcord.EndDone] + ends[bellcord.EndStopped] + ends[bellcord.EndFailed] + ends[bellcord.EndLost] + ends[""]
	fmt.Fprintf(out, "  %d turns: %d done, %d stopped, %d failed, %d lost, %d without an end, %d with missing text; %d requests were refused and then accepted by another node\n",
		turns, ends[bellcord.EndDone], ends[bellcord.EndStopped], ends[bellcord.EndFailed], ends[bellcord.EndLost], ends[""], short, c.refused.Load())
	fmt.Fprintf(out, "  %d events received of %d in the log: %d missing, %d duplicated, %d different; %d streams broke and were resumed\n",
		seen, logged, missing, doubled, different, c.cut.Load())
	if ends[bellcord.EndDone] != turns || short+missing+doubled+different > 0 {
		return errors.New("the rolling restart was visible to clients")
	}
	return nil
}

// log returns a session's events up to the end of its only turn.
func (s *clusterStage) log(ctx context.Context, session bellcord.SessionID) ([]bellcord.Event, error) {
	rows, err := s.db.Query(ctx, `SELECT seq, kind, body FROM events WHERE session = $1 ORDER BY seq`, string(session))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []bellcord.Event
	for rows.Next() {
		var ev bellcord.Event
		var kind string
		var body []byte
		if err := rows.Scan(&ev.Seq, &kind, &body); err != nil {
			return nil, err
		}
		if ev.Body, err = bellcord.DecodeBody(kind, body); err != nil {
			return nil, err
		}
		all = append(all, ev)
		if kind == "turn_ended" {
			break
		}
	}
	return all, rows.Err()
}

// compare counts the events of the log that were missed, those received again, and those received
// with different content or not in the log.
func compare(seen, log []bellcord.Event) (missing, doubled, different int) {
	of := map[int64][]byte{}
	for _, ev := range log {
		of[ev.Seq], _ = json.Marshal(ev.Body) // it was decoded from JSON
	}
	had := map[int64]bool{}
	for _, ev := range seen {
		if had[ev.Seq] {
			doubled++
		}
		had[ev.Seq] = true
		if body, _ := json.Marshal(ev.Body); !bytes.Equal(body, of[ev.Seq]) {
			different++
		}
	}
	for _, ev := range log {
		if !had[ev.Seq] {
			missing++
		}
	}
	return missing, doubled, different
}

// sayings returns how the turn ended, and whether its text contains every word exactly once.
func sayings(log []bellcord.Event) (end bellcord.End, complete bool) {
	var text strings.Builder
	for _, ev := range log {
		switch b := ev.Body.(type) {
		case bellcord.TextDelta:
			text.WriteString(b.Text)
		case bellcord.TurnEnded:
			end = b.Receipt.End
		}
	}
	words := strings.Fields(text.String())
	complete = len(words) == rollingWords
	for i, word := range words {
		complete = complete && word == fmt.Sprintf("word%d", i+1)
	}
	return end, complete
}
