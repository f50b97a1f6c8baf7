//go:build race

package storetest

// longSession is smaller under the race detector, which makes a store written in
// Go forty times slower.
const longSession = 20_000
