//go:build !race

package storetest

// longSession is the number of events in a long session.
const longSession = 100_000
