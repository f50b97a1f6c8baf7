package sandbox

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// bubblewrap lets bubblewrap create the namespaces. Distributions that restrict
// unprivileged user namespaces have an exception for it. The helper runs inside as
// process 1, finishes the restrictions, and starts the command.
func (w *wrapping) bubblewrap(b *Box, v *view, args []string) error {
	w.pass(nil) // the plan
	if err := w.confined(v.Profile); err != nil {
		return err
	}
	all, err := w.bubblewrapOptions(v)
	if err != nil {
		return err
	}
	if w.plan.Mounts, err = bubblewrapMounts(v.steps()); err != nil {
		return err
	}
	// The options are passed in a file: the command can read the arguments of
	// process 1, and they contain the names of what is hidden.
	options, err := memory("options", []byte(strings.Join(all, "\x00")))
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

// bubblewrapOptions returns the steps of a view as options of bubblewrap. What the
// command sees is passed as an open file: bubblewrap refuses another file at its path.
// The helper refuses mounts at other places.
func (w *wrapping) bubblewrapOptions(v *view) ([]string, error) {
	o := []string{
		"--unshare-user", "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL",
	}
	if v.Network != On {
		o = append(o, "--unshare-net")
	}
	all := v.steps()
	root := "--ro-bind"
	if len(all) > 0 && all[0].Path == "/" && all[0].Kind == stage.Write {
		root, all = "--bind", all[1:]
	}
	o = append(o, root, "/", "/")
	var sealed []string
	for _, s := range filesLast(all) {
		switch s.Kind {
		case stage.Write, stage.ReadOnly:
			bind, err := w.bubblewrapBind(s)
			if err != nil {
				return nil, err
			}
			o = append(o, bind...)
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
			size := strconv.FormatInt(s.Size, 10)
			o = append(o, "--dev", s.Path, "--size", size, "--perms", "1777", "--tmpfs", s.Path+"/shm")
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
	return o, nil
}

// filesLast returns the steps with those for files at the end: first those that hide,
// then the others, each the closest to the root first. Bubblewrap follows a link at the
// path of a file, and creates what is missing, which empties a file that appears
// meanwhile. A command that runs can cause this only at paths that it can change. When
// bubblewrap comes to these, what else the command must not change is covered or
// read-only.
func filesLast(all []step) []step {
	class := func(s step) int {
		switch {
		case s.Kind == stage.HideFile:
			return 1
		case s.isFile:
			return 2
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b step) int {
		if of := class(a); of != class(b) || of == 0 {
			return of - class(b)
		}
		return strings.Count(a.Path, "/") - strings.Count(b.Path, "/")
	})
}

// bubblewrapBind returns the options that show one path.
func (w *wrapping) bubblewrapBind(s step) ([]string, error) {
	if s.file == nil { // of the system
		return []string{"--ro-bind-try", s.Path, s.Path}, nil
	}
	option := "--bind-fd"
	if s.Kind == stage.ReadOnly {
		option = "--ro-bind-fd"
	}
	f, err := duplicate(s.file)
	if err != nil {
		return nil, err
	}
	return []string{option, strconv.FormatInt(w.pass(f), 10), s.Path}, nil
}

// visible reports whether the closest step above a path shows the path of the host.
func visible(path string, all []step) bool {
	shown := true
	for _, s := range all {
		if strings.HasPrefix(path, s.Path+"/") {
			shown = s.Kind == stage.Write || s.Kind == stage.ReadOnly
		}
	}
	return shown
}
