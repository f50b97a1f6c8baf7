package undo

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// Times after which the progress of a scan is reported for the first time, and
// again.
const (
	firstReport = 700 * time.Millisecond
	nextReport  = 2 * time.Second
)

// progress returns the progress of the operation that is running in the
// directory, which is zero while its index is being read.
func (d *directory) progress() snapshot.Progress {
	select {
	case <-d.ready:
	default:
		return snapshot.Progress{}
	}
	if d.workspace == nil {
		return snapshot.Progress{}
	}
	return d.workspace.Progress()
}

// reportProgress emits the progress of a scan that takes long, until the returned
// function is called. That function emits the end if progress was emitted, with
// the last numbers: another operation may be running by then. It does not wait for
// the scan.
func reportProgress(read func() snapshot.Progress, emit func(bellcord.Body) error) (end func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var now bellcord.FilesScanned
		timer := time.NewTimer(firstReport)
		defer timer.Stop()
		for reported := false; ; reported = true {
			select {
			case <-over:
				if now.Done = true; reported {
					_ = emit(now) // fails only after a stop
				}
				return
			case <-timer.C:
				p := read() // of a later scan that found less to read, it can be smaller
				now.Files, now.Bytes = max(now.Files, p.Files), max(now.Bytes, p.Bytes)
				_ = emit(now) // fails only after a stop
				timer.Reset(nextReport)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
