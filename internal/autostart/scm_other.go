//go:build !windows

package autostart

import (
	"errors"
	"os"
)

var errNoWindows = errors.New("only available on Windows")

func (scm) found() (exists, own bool, err error)           { return false, false, nil }
func (scm) create() error                                  { return errNoWindows }
func (scm) start() error                                   { return errNoWindows }
func (scm) stop() error                                    { return errNoWindows }
func (scm) remove() error                                  { return errNoWindows }
func (scm) running() (yes bool, words string, err error)   { return false, "", errNoWindows }
func (scm) reachable() (yes bool, words string, err error) { return false, "", errNoWindows }

// Host calls serve with the channel that receives the signal to end. Only a
// Windows service sends to it; other managers send signals to the process.
func Host(serve func(signals chan os.Signal) error) error { return serve(make(chan os.Signal, 8)) }
