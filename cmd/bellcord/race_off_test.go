//go:build !race

package main

// raceDetector reports whether the program, which is also the server that tests
// start, was built with the race detector.
const raceDetector = false
