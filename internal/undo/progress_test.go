package undo_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

func TestProgress_ScanOfAnyLength_IsReportedOnlyIfItTakesLong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lasts time.Duration
		want  []bellcord.Body
	}{
		"short": {699 * time.Millisecond, nil},
		"long":  {701 * time.Millisecond, []bellcord.Body{bellcord.FilesScanned{Files: 1, Bytes: 1 << 20}, bellcord.FilesScanned{Files: 1, Bytes: 1 << 20, Done: true}}},
		"longer": {3 * time.Second, []bellcord.Body{
			bellcord.FilesScanned{Files: 1, Bytes: 1 << 20}, bellcord.FilesScanned{Files: 2, Bytes: 1 << 20}, bellcord.FilesScanned{Files: 2, Bytes: 1 << 20, Done: true},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := &receipt{}
				reads := int64(0)
				end := undo.ReportProgress(func() snapshot.Progress {
					reads++
					return snapshot.Progress{Files: reads, Bytes: 1 << 20 / reads} // the second scan reads less
				}, r.Emit)
				ctx, done := context.WithTimeout(t.Context(), test.lasts)
				defer done()
				<-ctx.Done()
				end()
				if !slices.Equal(r.events, test.want) {
					t.Errorf("events %+v, want %+v", r.events, test.want)
				}
			})
		})
	}
}
