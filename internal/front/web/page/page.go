// Package page is what people see in a browser: the page at / and the one for
// operations at /ops. Its files are built from the sources in web/ by make page
// and kept here, so that a build of the program needs nothing else.
//
// The files hold no secret and know nobody: who may see what is decided where
// the page asks, under /v1. Nothing in them comes from elsewhere, and the
// policy that they are served with lets nothing in.
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
	"time"
)

//go:embed dist
var built embed.FS

// policy is what a browser holds the page to. No script and no style but ours
// runs, nobody frames us, and no text becomes markup: nothing in the page may
// even make a policy that would turn one into the other.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'none'; object-src 'none'; worker-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// features are what the page has no use for.
const features = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(), clipboard-write=(self)"

// file is one of the page's, with a name for its content.
type file struct {
	name, tag string
	content   []byte
}

// files are the page's, by their addresses.
var files = read()

func read() map[string]file {
	all := map[string]file{}
	names, err := fs.Glob(built, "dist/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		content, err := built.ReadFile(name)
		if err != nil {
			panic(err) // it is in the program
		}
		sum := sha256.Sum256(content)
		all["/"+path.Base(name)] = file{path.Base(name), `"` + hex.EncodeToString(sum[:16]) + `"`, content}
	}
	return all
}

// at finds what is shown at an address. The page finds out by itself which of
// its faces is asked for.
func at(address string) (file, bool) {
	switch {
	case address == "/", address == "/login", address == "/ops":
		address = "/index.html"
	case address == "/index.html":
		return file{}, false // one page has one address
	case strings.HasPrefix(address, "/s/") && !strings.Contains(address[3:], "/") && len(address) > 3:
		address = "/index.html"
	}
	found, there := files[address]
	return found, there
}

// Holds reports whether the page answers a request: one for its files, or one
// of a browser for an address that leads nowhere.
func Holds(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	_, there := at(r.URL.Path)
	return there || isLost(r)
}

// programs are the addresses that programs use. Their errors are never a page.
var programs = []string{"/v1", "/healthz", "/readyz", "/metrics", "/debug"}

// isLost reports whether a person follows an address that leads nowhere: a
// browser asks for HTML, and the address is not one for programs.
func isLost(r *http.Request) bool {
	for _, prefix := range programs {
		if r.URL.Path == prefix || strings.HasPrefix(r.URL.Path, prefix+"/") {
			return false
		}
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// ServeHTTP answers a request that Holds.
func ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, there := at(r.URL.Path)
	if !there {
		found = files["/index.html"]
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Permissions-Policy", features)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache") // kept, and asked about: a new program has a new page
	if !there {                        // the page shows that there is nothing, and a way back
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		if r.Method == http.MethodGet {
			_, _ = w.Write(found.content) // the browser may have gone
		}
		return
	}
	h.Set("ETag", found.tag)
	http.ServeContent(w, r, found.name, time.Time{}, bytes.NewReader(found.content))
}
