package hub_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

func TestOpen_ReceiptOfADeadTurnIsRejected_ShorterOneSaysThatItsProcessesAreUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turn := deadTurn(t, dir)
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		picky := &pickyStore{Store: store, bad: func(op bellcord.Op) bool {
			finish, ends := op.(bellcord.FinishTurn)
			return ends && !strings.Contains(finish.Receipt.Error, "shortened")
		}}
		h, err := hub.Open(t.Context(), picky, &ran{}, hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := h.Turn(t.Context(), turn)
		switch {
		case err != nil || r.Receipt == nil || r.Receipt.End != bellcord.EndLost:
			t.Errorf("%+v, %v", r, err)
		case r.Receipt.Processes.Unknown != bellcord.ProcessesNotChecked || !strings.Contains(r.Receipt.Error, "shortened"):
			t.Errorf("receipt %+v", r.Receipt)
		}
		if err := errors.Join(h.Close(context.Background()), store.Close()); err != nil {
			t.Error(err)
		}
	})
}
