package lifecycle_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

func TestSameReceipt_StoredReceiptMissingOrDifferent_ReportsFalse(t *testing.T) {
	op := bellcord.Receipt{End: bellcord.EndStopped}
	if lifecycle.SameReceipt(nil, op) {
		t.Error("a turn without a receipt has the receipt of the op")
	}
	if lifecycle.SameReceipt(&bellcord.Receipt{End: bellcord.EndDone}, op) {
		t.Error("a receipt with another end is the same")
	}
}

func TestSameReceipt_OnlyTheLogHeadDiffers_ReportsTrue(t *testing.T) {
	op := bellcord.Receipt{End: bellcord.EndStopped}
	stored := op
	stored.LogHead = &bellcord.LogHead{}
	if !lifecycle.SameReceipt(&stored, op) {
		t.Error("a receipt with the head of the log is not the same")
	}
	if stored.LogHead == nil {
		t.Error("the comparison changes the stored receipt")
	}
}
