// Package laws contains the law suite: each law of a stop is a test with the
// law's number, run at every cut point, that is, at every place where a stop
// can take effect (see the table in cuts_test.go). Only the clock and the model
// are fake: the store, the agent loop and the providers are real, and the
// providers use HTTP to the fake model. The tests run under testing/synctest,
// so "immediately" is tested as zero elapsed time.
package laws
