// Package page serves the web page at / and the operations page at /ops. make
// page builds its files from the sources in web/; the result is committed here,
// so that building the program needs nothing else.
//
// The files contain no secrets and are the same for all users: access is
// checked by the requests that the page sends to /v1. The files load nothing
// from other sites, and the content security policy forbids it.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed dist
var built embed.FS

// policy is the page's content security policy. Only the page's own scripts and
// styles run, no site can frame it, and text cannot become markup: the page can
// create one Trusted Types policy, which returns only the address of worker.js.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'none'; object-src 'none'; worker-src 'self'; frame-src 'none'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types bellcord-worker"

// features disables browser features that the page does not use.
const features = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(), clipboard-write=(self)"

// file is a file of the page; tag is derived from its content.
type file struct {
	name, tag string
	content   []byte
}

// files returns the page's files by URL path. They are read with the first request,
// because every command of the program would wait for it.
var files = sync.OnceValue(read)

func read() map[string]file {
	all := map[string]file{}
	names, err := fs.Glob(built, "dist/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		content, err := built.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		sum := sha256.Sum256(content)
		all["/"+path.Base(name)] = file{path.Base(name), `"` + hex.EncodeToString(sum[:16]) + `"`, content}
	}
	return all
}

// at returns the file for a URL path. All views share index.html; the page
// selects the view from the path.
func at(address string) (file, bool) {
	switch {
	case address == "/", address == "/login", address == "/ops", address == "/settings", address == "/search":
		address = "/index.html"
	case address == "/index.html":
		return file{}, false // the page is served only at /
	case isSession(address):
		address = "/index.html"
	case isShare(address):
		address = "/index.html"
	}
	found, exists := files()[address]
	return found, exists
}

// isSession reports whether a URL path is that of a session, /s/ID, or of a turn
// in it, /s/ID/t/TURN.
func isSession(address string) bool {
	parts := strings.Split(address, "/")
	session := len(parts) == 3 || len(parts) == 5 && parts[3] == "t" && parts[4] != ""
	return session && parts[1] == "s" && parts[2] != ""
}

// isShare reports whether a URL path is that of a shared conversation.
func isShare(address string) bool {
	token, is := strings.CutPrefix(address, "/share/")
	return is && token != "" && !strings.Contains(token, "/")
}

// Holds reports whether the page handles the request: a GET or HEAD of one of
// its files, or of an unknown path by a browser.
func Holds(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	_, exists := at(r.URL.Path)
	return exists || isLost(r)
}

// programs lists the path prefixes that programs use. Errors below them are
// never HTML.
var programs = []string{"/v1", "/healthz", "/readyz", "/metrics", "/debug"}

// isLost reports whether a browser requests an unknown path: it accepts HTML,
// and the path is not one for programs.
func isLost(r *http.Request) bool {
	for _, prefix := range programs {
		if r.URL.Path == prefix || strings.HasPrefix(r.URL.Path, prefix+"/") {
			return false
		}
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// ServeHTTP serves a request for which Holds returns true. An unknown path gets
// the page with status 404.
func ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, exists := at(r.URL.Path)
	if !exists {
		found = files()["/index.html"]
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Permissions-Policy", features)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if isShare(r.URL.Path) {
		h.Set("X-Robots-Tag", "noindex, nofollow")
	}
	h.Set("Cache-Control", "no-cache") // cached but revalidated: a new version has a new page
	if !exists {                       // the page reports the unknown path and links back
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		if r.Method == http.MethodGet {
			_, _ = w.Write(found.content) // the client may have disconnected
		}
		return
	}
	h.Set("ETag", found.tag)
	if strings.HasSuffix(found.name, ".webmanifest") { // not every system lists the type
		h.Set("Content-Type", "application/manifest+json")
	}
	http.ServeContent(w, r, found.name, time.Time{}, bytes.NewReader(found.content))
}
