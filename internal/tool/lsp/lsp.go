// Package lsp finds errors in changed files with language servers. Language servers
// are optional: the user configures a command and the files that it is for.
//
// A server does not belong to a turn. It is started by the first change of one of its
// files in a directory, and ends after a time without changes. A stop ends the
// waiting for a server and not the server. Files are open in a server only during a
// check, so that a later change by another program cannot make its errors outdated.
package lsp

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/proc"
)

// Server describes a language server.
type Server struct {
	Name    string
	Command []string
	Files   []string // patterns of file names, such as *.go
	Env     []string // added to the environment, from which secrets are removed
	Pass    []string // names of secrets in this process's environment to pass on
}

// matches reports whether the server is for files with this name.
func (s Server) matches(path string) bool {
	return slices.ContainsFunc(s.Files, func(pattern string) bool {
		is, err := filepath.Match(pattern, filepath.Base(path))
		return err == nil && is
	})
}

// File is a file that was changed. Before is empty for a new file.
type File struct{ Path, Before, After string }

// Problem is an error in a file.
type Problem struct {
	Path string
	Line int // starts at 1
	Text string
}

// Options are the settings of a Set.
type Options struct {
	// Start starts a server, and returns how it is confined; nil if no sandbox is
	// configured.
	Start   func(proc.Command) (*proc.Running, *bellcord.Sandbox, error)
	Secrets *secret.Set
	Logger  *slog.Logger
	Version string        // of Bellcord, sent to the servers
	Idle    time.Duration // after which a server ends; 0 means 15 minutes
}

// Set contains the configured servers. It is safe for concurrent use. A nil Set has
// no servers.
type Set struct {
	servers []Server
	opts    Options

	mu     sync.Mutex
	closed bool
	links  map[key]*link
}

// key identifies a running server: each directory has its own.
type key struct{ name, dir string }

// mostLinks is the number of servers that run at the same time. The one that was
// used least recently ends first.
const mostLinks = 6

// Open returns a set of the servers. It starts nothing.
func Open(servers []Server, opts Options) *Set {
	if opts.Idle == 0 {
		opts.Idle = 15 * time.Minute
	}
	return &Set{servers: servers, opts: opts, links: map[key]*link{}}
}

// NewErrors returns the errors that changes have caused, in the changed files and in
// others of the same directory, and how the servers are confined. It returns nothing
// for files without a server, and no errors if the server does not answer before ctx
// ends. The files on disk already contain the changes.
func (s *Set) NewErrors(ctx context.Context, dir string, files []File) (all []Problem, weakest *bellcord.Sandbox) {
	if s == nil {
		return nil, nil
	}
	for _, server := range s.servers {
		var own []File
		for _, f := range files {
			if server.matches(f.Path) {
				own = append(own, f)
			}
		}
		if len(own) == 0 {
			continue
		}
		found, box, err := s.check(ctx, server, dir, own)
		weakest = weakest.Weaker(box)
		if err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("a language server did not check the changed files", "server", server.Name, "dir", dir, "err", err)
		}
		all = append(all, found...)
	}
	return all, weakest
}

func (s *Set) check(ctx context.Context, server Server, dir string, files []File) ([]Problem, *bellcord.Sandbox, error) {
	l, err := s.link(server, dir)
	if err != nil {
		return nil, nil, err
	}
	found, err := l.check(ctx, files)
	return found, l.box, err
}

// link returns the running server for a directory, or starts it.
func (s *Set) link(server Server, dir string) (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	at := key{server.Name, dir}
	if l := s.links[at]; l != nil && !l.hasEnded() {
		l.idle.Reset(s.opts.Idle)
		l.used = time.Now()
		return l, nil
	}
	if l := s.links[at]; l != nil && time.Since(l.began) < restartPause {
		return nil, errRestart
	}
	s.endOldestLocked()
	l, err := start(server, dir, s.opts)
	if err != nil {
		return nil, err
	}
	s.links[at] = l
	return l, nil
}

// endOldestLocked ends servers until one more can be started.
func (s *Set) endOldestLocked() {
	for at, l := range s.links {
		if l.hasEnded() && time.Since(l.began) > restartPause {
			delete(s.links, at)
		}
	}
	for len(s.links) >= mostLinks {
		var oldest key
		for at, l := range s.links {
			if o := s.links[oldest]; o == nil || l.used.Before(o.used) {
				oldest = at
			}
		}
		go s.links[oldest].end()
		delete(s.links, oldest)
	}
}

// Close ends all servers and returns when they have ended.
func (s *Set) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.closed = true
	links := s.links
	s.links = nil
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, l := range links {
		ending.Go(l.end)
	}
	ending.Wait()
}

// languageID returns the name of a file's language in the protocol.
func languageID(path string) string {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	for id, extensions := range map[string]string{
		"python": "py pyi", "typescript": "ts mts cts", "typescriptreact": "tsx", "javascript": "js mjs cjs", "javascriptreact": "jsx",
		"rust": "rs", "cpp": "cc cpp cxx hpp hh", "csharp": "cs", "ruby": "rb", "shellscript": "sh bash", "go.mod": "mod", "markdown": "md", "yaml": "yml",
		"kotlin": "kt", "haskell": "hs", "elixir": "ex exs",
	} {
		if slices.Contains(strings.Fields(extensions), ext) {
			return id
		}
	}
	return ext
}
