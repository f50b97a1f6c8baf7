package undo

import (
	"fmt"
	"time"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// Times after which the progress of a scan is shown for the first time, and again.
const (
	firstNote = 700 * time.Millisecond
	nextNote  = 2 * time.Second
)

// watchProgress passes the progress of a scan that takes long to note, until the
// returned function is called.
func watchProgress(w *snapshot.Workspace, note func(string)) (stop func()) {
	if note == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		wait := firstNote
		for {
			select {
			case <-end:
				return
			case <-time.After(wait):
				p := w.Progress()
				note(fmt.Sprintf("[keeping the files for undo: %d files, %d MB so far]\n", p.Files, p.Bytes>>20))
				wait = nextNote
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
