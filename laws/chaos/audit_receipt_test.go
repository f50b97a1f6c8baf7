//go:build linux

package chaos_test

import (
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestCompareReceipt_ProcessesAreRecovered_IsTheSameReceipt(t *testing.T) {
	t.Parallel()
	text := func(r bellcord.Receipt) string {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	lost := bellcord.Receipt{
		Turn: "t", End: bellcord.EndLost,
		Processes: bellcord.Processes{Unknown: bellcord.ProcessesNotChecked, Node: "a"},
	}
	recovered := lost
	recovered.Processes = bellcord.Processes{Proof: "process_scan"}
	if got, same := compareReceipt(recovered, text(lost)); !same {
		t.Errorf("a receipt with recovered processes is another one: %s", got)
	}
	other := recovered
	other.End = bellcord.EndDone
	if got, same := compareReceipt(other, text(lost)); same {
		t.Errorf("another end is the same receipt: %s", got)
	}
	if got, same := compareReceipt(lost, text(recovered)); same {
		t.Errorf("known processes became unknown: %s", got)
	}
}
