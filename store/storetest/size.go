//go:build !race

package storetest

// longSession is how many events a long session has.
const longSession = 100_000
