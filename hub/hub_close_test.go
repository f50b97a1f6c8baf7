package hub_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

func TestClose_CalledTwice_ReturnsTheSameResult(t *testing.T) {
	t.Parallel()
	h := open(t, script(streamWords), hub.Options{}) // the cleanup closes it a third time
	if first, second := h.Close(context.Background()), h.Close(context.Background()); first != nil || second != nil {
		t.Errorf("first %v, second %v", first, second)
	}
}

func TestLaw29_Replace_CauseAndReceiptHaveSameQueueAction(t *testing.T) {
	t.Parallel()
	h := open(t, script(streamWords), hub.Options{})
	first, err := h.Prompt(h.session, bellcord.Prompt{Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Prompt(h.session, bellcord.Prompt{Text: "two", WhenBusy: bellcord.BusyReplace}); err != nil {
		t.Fatal(err)
	}
	<-first.Settled()
	if r := first.Receipt(); r.Cause.Kind != bellcord.CauseReplaced || r.Queue != bellcord.QueueDrop && r.Queue != "" || r.Cause.Queue != bellcord.QueueDrop {
		t.Errorf("cause %+v, queue %q; want both to be drop", r.Cause, r.Queue)
	}
}

func TestOpen_NoStoreOrAgent_ErrorNamesTheMissingArgument(t *testing.T) {
	t.Parallel()
	for _, missing := range []struct {
		what  string
		store store.Store
		agent hub.Agent
	}{
		{"store", nil, script(streamWords)},
		{"agent", struct{ store.Store }{}, nil},
		{"store", nil, nil},
	} {
		h, err := hub.Open(t.Context(), missing.store, missing.agent, hub.Options{})
		if err == nil || !strings.Contains(err.Error(), "no "+missing.what) {
			t.Errorf("without %s: %v, %v", missing.what, h, err)
		}
	}
}
