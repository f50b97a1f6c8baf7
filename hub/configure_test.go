package hub_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

func TestConfigure_ValueThatAnotherProcessHasChanged_IsWritten(t *testing.T) {
	t.Parallel()
	before := bellcord.Session{Dir: "/a", Title: "first", Model: "m-1", Mode: "read-only", Effort: "low", AdditionalDirs: []string{"/x"}}
	for name, c := range map[string]struct {
		theirs, ours bellcord.SessionUpdated
	}{
		"every setting": {
			bellcord.SessionUpdated{Dir: "/b", Title: "second", Model: "m-2", Mode: "full", Effort: "high", AdditionalDirs: &[]string{"/y"}},
			bellcord.SessionUpdated{Dir: "/a", Title: "first", Model: "m-1", Mode: "read-only", Effort: "low", AdditionalDirs: &[]string{"/x"}},
		},
		"the mode alone": {bellcord.SessionUpdated{Mode: "full"}, bellcord.SessionUpdated{Mode: "read-only"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ours, theirs := hubAt(t, dir), hubAt(t, dir)
			s, err := ours.NewSession(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := theirs.OpenSession(t.Context(), s.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := theirs.Configure(s.ID, c.theirs); err != nil {
				t.Fatal(err)
			}
			if got := stored(t, theirs, s.ID); got.Mode != "full" {
				t.Fatalf("the change of the other process: %+v", got)
			}
			if _, err := ours.Configure(s.ID, c.ours); err != nil {
				t.Fatal(err)
			}
			got := stored(t, ours, s.ID)
			if got.Dir != before.Dir || got.Title != before.Title || got.Model != before.Model || got.Mode != before.Mode ||
				got.Effort != before.Effort || !slices.Equal(got.AdditionalDirs, before.AdditionalDirs) {
				t.Errorf("the store has %+v, want the settings of %+v", got, before)
			}
		})
	}
}

func TestConfigure_NoAdditionalDirs_RemovesThoseOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, theirs := hubAt(t, dir), hubAt(t, dir)
	s, err := ours.NewSession(t.Context(), bellcord.Session{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.OpenSession(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Configure(s.ID, bellcord.SessionUpdated{AdditionalDirs: &[]string{"/x"}}); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, theirs, s.ID); len(got.AdditionalDirs) != 1 {
		t.Fatalf("the change of the other process: %+v", got)
	}
	if _, err := ours.Configure(s.ID, bellcord.SessionUpdated{AdditionalDirs: &[]string{}}); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, ours, s.ID); len(got.AdditionalDirs) != 0 {
		t.Errorf("the store has %+v", got)
	}
}

// The race detector reports if one of them uses the session's settings without the lock.
func TestOpenSession_WhileOthersOpenAndConfigureIt_SharesNoUnlockedMemory(t *testing.T) {
	t.Parallel()
	h := hubAt(t, t.TempDir())
	s, err := h.NewSession(t.Context(), bellcord.Session{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				if _, err := h.OpenSession(t.Context(), s.ID); err != nil {
					t.Error(err)
				}
				if _, err := h.Configure(s.ID, bellcord.SessionUpdated{Title: strconv.Itoa(i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// hubAt opens a hub with an own store, as another process does.
func hubAt(t *testing.T, dir string) *hub.Hub {
	t.Helper()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := hub.Open(t.Context(), store, &ran{}, hub.Options{})
	if err != nil {
		t.Fatal(errors.Join(err, store.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(h.Close(context.Background()), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// stored returns the session as the store has it after the changes of the hub.
func stored(t *testing.T, h *hub.Hub, id bellcord.SessionID) bellcord.Session {
	t.Helper()
	s, err := h.Refresh(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
