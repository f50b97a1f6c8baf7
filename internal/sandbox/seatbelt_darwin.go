package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

const sandboxExec = "/usr/bin/sandbox-exec"

// search tries Seatbelt once. This file is compiled and vetted; it was never run
// on a Mac.
func (b *Box) search() {
	b.level = None
	if b.options.Level != "" && b.options.Level != Seatbelt {
		b.missing = []string{"macOS has no " + string(b.options.Level)}
		return
	}
	if err := b.attempt(); err != nil {
		b.missing = []string{"seatbelt: " + err.Error()}
		return
	}
	b.level = Seatbelt
}

// attempt checks that a hidden file cannot be read and a write outside fails.
func (b *Box) attempt() error {
	dir, err := os.MkdirTemp(b.options.Temp, "bellcord-sandbox-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	hidden, write := filepath.Join(dir, "hidden"), filepath.Join(dir, "write")
	if err := errors.Join(os.WriteFile(hidden, []byte("hidden"), 0o600), os.Mkdir(write, 0o700)); err != nil {
		return err
	}
	w, err := b.wrap(Profile{Write: []string{write}, Hide: []string{hidden}}.complete(), []string{
		"/bin/sh", "-c", `echo x > "$0/write/file" && ! cat "$0/hidden" && ! (echo x > "$0/outside")`, dir,
	}, "")
	if err != nil {
		return err
	}
	defer w.Close()
	return exec.CommandContext(b.ctx, w.Args[0], w.Args[1:]...).Run()
}

func (b *Box) wrap(p Profile, args []string, _ string) (*Wrapped, error) {
	p.Own, p.Write, p.ReadOnly, p.Hide = resolve(p.Own), resolve(p.Write), resolve(p.ReadOnly), resolve(p.Hide)
	p.Conceal, p.Read = resolve(p.Conceal), resolve(p.Read)
	temp, remove := p.Tmp, func() {}
	if temp == "" {
		var err error
		if temp, err = os.MkdirTemp(b.options.Temp, "bellcord-tmp-"); err != nil {
			return nil, fmt.Errorf("prepare the sandbox: %w", err)
		}
		own := temp
		remove = func() { _ = os.RemoveAll(own) }
	}
	if real, err := filepath.EvalSymlinks(temp); err == nil {
		temp = real
	}
	w := &Wrapped{Env: []string{"TMPDIR=" + temp}}
	port, closeListener := 0, func() {}
	if p.Network == Proxy {
		l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // does not block
		if err != nil {
			remove()
			return nil, fmt.Errorf("prepare the sandbox: %w", err)
		}
		var taken atomic.Bool // the caller closes it
		closeListener = func() {
			if !taken.Load() {
				_ = l.Close()
			}
		}
		w.Listener = func(context.Context) (net.Listener, error) {
			taken.Store(true)
			return l, nil
		}
		port = l.Addr().(*net.TCPAddr).Port
		password := rand.Text()
		w.ProxyPassword = password
		w.Env = append(w.Env, proxyEnv("http://bellcord:"+password+"@"+l.Addr().String())...)
	}
	w.Close = sync.OnceFunc(func() {
		closeListener()
		remove()
	})
	w.Args = append([]string{sandboxExec, "-p", seatbelt(p, temp, port)}, args...)
	return w, nil
}

// seatbelt returns the profile in Seatbelt's language. Of several rules that
// match, the last one counts, so rules with longer paths follow.
func seatbelt(p Profile, temp string, port int) string {
	var s strings.Builder
	s.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	s.WriteString(`(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys"))` + "\n")
	s.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n(deny process-info* (target others))\n(deny mach-priv*)\n")
	for _, r := range seatbeltRules(p, temp) {
		fmt.Fprintf(&s, "%s (subpath %s))\n", r.rule, strconv.Quote(r.path))
	}
	switch p.Network {
	case On:
	case Proxy:
		fmt.Fprintf(&s, "(deny network*)\n(allow network-outbound (remote ip \"localhost:%d\"))\n", port)
	case Off:
		s.WriteString("(deny network*)\n")
	}
	return s.String()
}

type seatbeltRule struct{ path, rule string }

func seatbeltRules(p Profile, temp string) []seatbeltRule {
	var all []seatbeltRule
	add := func(rule string, paths ...string) {
		for _, path := range paths {
			all = append(all, seatbeltRule{path, rule})
		}
	}
	add("(deny file-read* file-write*", p.Conceal...)
	add("(allow file-read*", p.Read...)
	add("(allow file-read* file-write*", slices.Concat([]string{temp}, p.Own, p.Write)...)
	add("(deny file-write*", p.ReadOnly...)
	add("(deny file-read* file-write*", p.Hide...)
	// Stable: of equal paths the stricter rule stays last.
	slices.SortStableFunc(all, func(a, b seatbeltRule) int { return strings.Compare(a.path, b.path) })
	return all
}

func resolve(paths []string) []string {
	var all []string
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			all = append(all, real)
		}
	}
	return all
}

func abstractGap() bool { return true }

func hasLandlock() bool { return false }

func landlockGaps(Profile) []string { return nil }
