package store

import (
	"errors"
)

// Errors of ops and of commits, for the hub.
var (
	ErrFenced       = errors.New("the turn has ended or belongs to another process")
	ErrStopRecorded = errors.New("a stop is already recorded")
	// ErrNotCommitted marks an error after which no part of the commit is in
	// the store.
	ErrNotCommitted = errors.New("nothing was committed")
)

// notCommitted wraps the error of a transaction that changed nothing.
type notCommitted struct{ error }

func (e notCommitted) Unwrap() []error { return []error{e.error, ErrNotCommitted} }

// NotCommitted returns an error that matches both err and ErrNotCommitted and
// has err's text.
func NotCommitted(err error) error { return notCommitted{err} }
