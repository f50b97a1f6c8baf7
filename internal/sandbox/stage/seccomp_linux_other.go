//go:build linux && !amd64 && !arm64

package stage

var calls *numbers // no filter: Landlock is not available without one
