package sandbox

import (
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// bubblewrap lets bubblewrap create the namespaces. Distributions that restrict
// unprivileged user namespaces have an exception for it. The helper runs inside as
// process 1, finishes the restrictions, and starts the command.
func (w *wrapping) bubblewrap(b *Box, p Profile, args []string) error {
	w.pass(nil) // the plan
	if err := w.confined(p); err != nil {
		return err
	}
	// The options are passed in a file: the command can read the arguments of
	// process 1, and they contain the names of what is hidden.
	options, err := memory("options", []byte(strings.Join(bubblewrapOptions(p), "\x00")))
	if err != nil {
		return err
	}
	fd := w.pass(options)
	exe, err := duplicate(b.exe)
	if err != nil {
		return err
	}
	w.plan.ExtraFD = w.pass(exe)
	w.Args = append([]string{
		b.bwrap, "--args", strconv.FormatInt(fd, 10), "--",
		"/proc/self/fd/" + strconv.FormatInt(w.plan.ExtraFD, 10), stage.Word, stage.Inside,
	}, args...)
	return w.seal()
}

// bubblewrapOptions returns the steps of a profile as options of bubblewrap.
// Sources are paths of the host, even if they are covered.
func bubblewrapOptions(p Profile) []string {
	o := []string{
		"--unshare-user", "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL",
	}
	if p.Network != On {
		o = append(o, "--unshare-net")
	}
	all := steps(p)
	root := "--ro-bind"
	if len(all) > 0 && all[0].Path == "/" && all[0].Kind == stage.Write {
		root, all = "--bind", all[1:]
	}
	o = append(o, root, "/", "/")
	var sealed []string
	for _, s := range all {
		switch s.Kind {
		case stage.Write:
			o = append(o, "--bind-try", s.Path, s.Path)
		case stage.ReadOnly:
			o = append(o, "--ro-bind-try", s.Path, s.Path)
		case stage.HideDir:
			if visible(s.Path, all) {
				o = append(o, "--tmpfs", s.Path)
				sealed = append(sealed, s.Path)
			}
		case stage.HideFile:
			if visible(s.Path, all) {
				o = append(o, "--dev-bind", "/dev/null", s.Path)
			}
		case stage.Bind:
			o = append(o, "--bind", s.Source, s.Path)
		case stage.Private:
			o = append(o, "--size", strconv.FormatInt(s.Size, 10), "--perms", "1777", "--tmpfs", s.Path)
		case stage.Devices:
			o = append(o, "--dev", s.Path, "--size", strconv.FormatInt(s.Size, 10), "--perms", "1777", "--tmpfs", s.Path+"/shm")
			sealed = append(sealed, s.Path)
		case stage.Proc:
			o = append(o, "--proc", s.Path)
			for _, path := range stage.Guarded {
				o = append(o, "--ro-bind-try", path, path)
			}
		}
	}
	for _, path := range sealed {
		o = append(o, "--remount-ro", path)
	}
	return o
}

// visible reports whether the closest step above a path shows the path of the host.
func visible(path string, all []stage.Step) bool {
	shown := true
	for _, s := range all {
		if strings.HasPrefix(path, s.Path+"/") {
			shown = s.Kind == stage.Write || s.Kind == stage.ReadOnly
		}
	}
	return shown
}
