//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"runtime"
)

func (b *Box) search() {
	b.level, b.missing = None, []string{"Bellcord has no sandbox for " + runtime.GOOS}
}

func (b *Box) wrap(Profile, []string, string) (*Wrapped, error) {
	return nil, errors.New("this system has no sandbox")
}

func abstractGap() bool { return true }

func hasLandlock() bool { return false }

func landlockGaps(Profile) []string { return nil }
