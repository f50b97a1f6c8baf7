package hub_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

func TestOpen_ReceiptOfADeadTurnIsRejected_ShorterOneSaysThatItsProcessesAreUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turn := deadTurn(t, dir)
	synctest.Test(t, func(t *testing.T) {
		picky := &pickyStore{bad: func(op store.Op) bool {
			finish, ends := op.(store.FinishTurn)
			return ends && !strings.Contains(finish.Receipt.Error, "shortened")
		}}
		h := openOver(t, dir, &ran{}, hub.Options{}, picky.over)
		r, err := h.Turn(t.Context(), turn)
		switch {
		case err != nil || r.Receipt == nil || r.Receipt.End != bellcord.EndLost:
			t.Errorf("%+v, %v", r, err)
		case r.Receipt.Processes.Unknown != bellcord.ProcessesNotChecked || !strings.Contains(r.Receipt.Error, "shortened"):
			t.Errorf("receipt %+v", r.Receipt)
		}
	})
}
