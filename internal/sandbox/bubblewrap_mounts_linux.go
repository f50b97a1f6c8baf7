package sandbox

import (
	"os"
	"slices"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// bubblewrapMounts returns the places of all mounts that the steps of a view create in
// the namespaces of bubblewrap. A place occurs as often as there may be mounts at it.
func bubblewrapMounts(all []step) ([]string, error) {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	host := stage.MountPoints(info)
	places := append(slices.Clone(host), "/") // all of the host's appear below the new root
	for _, s := range all {
		switch s.Kind {
		case stage.Write, stage.ReadOnly: // with the mounts below it
			places = append(places, s.Path)
			for _, at := range host {
				if contains(s.Path, at) {
					places = append(places, at)
				}
			}
		case stage.HideDir, stage.HideFile:
			if visible(s.Path, all) {
				places = append(places, s.Path)
			}
		case stage.Bind, stage.Private:
			places = append(places, s.Path)
		case stage.Devices:
			places = append(places, s.Path)
			for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty", "pts", "shm", "console"} {
				places = append(places, s.Path+"/"+name)
			}
		case stage.Proc:
			places = append(places, s.Path)
			places = slices.Concat(places, stage.Guarded, stage.Guarded) // bubblewrap covers them, too
		}
	}
	return places, nil
}
