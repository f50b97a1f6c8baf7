package hub_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// Two processes get the same prompt. The acceptance of the one is on its way to the
// store while the turn of the other runs. A stop that reaches the one alone has not
// reached that turn.
func TestQueueEntries_SameTurnIsAcceptedElsewhere_DoNotHaveIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		slow := &ledger{}
		h := openOver(t, dir, &ran{}, hub.Options{}, slow.over)
		other, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		p := bellcord.Prompt{Turn: bellcord.NewTurnID(), Text: "go"}
		accept := store.AcceptTurn{Session: h.session, Turn: p.Turn, Prompt: p, At: time.Now()}
		let := slow.close()
		turn := h.send(p)
		synctest.Wait()
		results, err := other.Commit(t.Context(), []store.Op{accept, store.ClaimTurn{Session: h.session, Turn: p.Turn, At: time.Now()}})
		if err != nil || results[1].Err != nil {
			t.Fatal(err, results)
		}
		<-time.After(time.Second)
		h.Stop(bellcord.StopRequest{Session: h.session, Relayed: true, Cause: bellcord.Cause{Kind: bellcord.CausePerson, At: time.Now()}})
		record, err := h.Turn(t.Context(), p.Turn)
		if err != nil || record.Stop != nil {
			t.Fatalf("%+v, %v", record, err)
		}
		if entries := h.QueueEntries([]store.TurnRecord{record}); len(entries) > 0 {
			t.Errorf("the turn of the other process is shown as %+v", entries)
		}
		let()
		<-turn.Settled()
		end := store.FinishTurn{Session: h.session, Turn: p.Turn, Fence: results[1].Fence, Receipt: bellcord.Receipt{Turn: p.Turn, Session: h.session, End: bellcord.EndDone}, At: time.Now()}
		if results, err := other.Commit(t.Context(), []store.Op{end}); err != nil || results[0].Err != nil {
			t.Errorf("the end of the turn: %v, %+v", err, results)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
}
