package fakegram

import (
	"embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

//go:embed page
var pageFiles embed.FS

const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';" +
	" base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageRoutes registers the routes for a person with a browser. They allow
// acting as any person, so they accept only loopback host names, and no
// requests from other sites.
func (s *Server) pageRoutes() {
	guarded := func(pattern string, h http.HandlerFunc) {
		s.mux.Handle(pattern, http.NewCrossOriginProtection().Handler(guard(h)))
	}
	for path, name := range map[string]string{"/{$}": "index.html", "/page.css": "page.css", "/page.js": "page.js", "/text.js": "text.js", "/icon.svg": "icon.svg"} {
		guarded("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, pageFiles, "page/"+name) })
	}
	guarded("GET /live", s.live)
	guarded("GET /files/{id}", s.showFile)
	guarded("POST /say", act(func(in pageInput) error {
		_, err := s.utter(in.Chat, in.User, Message{Text: in.Text}, in.Message)
		return err
	}))
	guarded("POST /press", act(func(in pageInput) error {
		_, err := s.Press(in.User, Button{Chat: in.Chat, Message: in.Message, Data: in.Text})
		return err
	}))
	guarded("POST /stop", act(func(in pageInput) error { return s.PressStopIn(in.Chat, in.Thread) }))
}

func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !loopback(host) {
			http.Error(w, "this page can be opened on this machine only", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// pageInput is an action of a person on the page.
type pageInput struct {
	Chat    int64  `json:"chat"`
	User    int64  `json:"user"`
	Thread  int    `json:"thread"`
	Message int    `json:"message"`
	Text    string `json:"text"` // message text, or the data of a button
}

func act(do func(pageInput) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in pageInput
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in)
		if err == nil {
			err = do(in)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// live sends the whole state at first and after every change, including changes
// that elapsed time causes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for {
		changed, due := s.watch()
		if _, err := fmt.Fprintf(w, "data: %s\n\n", encode(s.picture())); err != nil {
			return
		}
		if out.Flush() != nil || pause(r.Context(), changed, due) != nil {
			return
		}
	}
}

// picture is everything that the page shows.
type picture struct {
	Bot        User        `json:"bot"`
	People     []User      `json:"people"`
	Chats      []seat      `json:"chats"`
	Commands   []Command   `json:"commands"`
	Violations []Violation `json:"violations"`
	Calls      int         `json:"calls"`
	Answers    []toast     `json:"answers"`
}

// seat is a chat as one of its members sees it.
type seat struct {
	As int64 `json:"as"`
	View
}

type toast struct {
	ID    string `json:"id"`
	User  int64  `json:"user"`
	Text  string `json:"text"`
	Alert bool   `json:"alert"`
}

const shownMessages = 200

func (s *Server) picture() (p picture) {
	s.read(func(now time.Time) {
		p = picture{Bot: s.me, People: []User{}, Chats: []seat{}, Violations: append([]Violation{}, s.violations...), Calls: len(s.calls), Answers: []toast{}}
		p.Commands = append([]Command{}, s.commands[`{"type":"default"}`]...)
		for _, u := range s.people {
			p.People = append(p.People, *u)
			p.Chats = append(p.Chats, seat{u.ID, s.chats[u.ID].view()})
		}
		for _, id := range s.groups {
			for _, u := range s.people {
				if s.chats[id].holds(u.ID) {
					p.Chats = append(p.Chats, seat{u.ID, s.chats[id].view()})
				}
			}
		}
		for _, q := range s.queries {
			if q.answered && now.Before(q.until) {
				p.Answers = append(p.Answers, toast{q.id, q.user, q.text, q.alert})
			}
		}
	})
	for i, c := range p.Chats {
		p.Chats[i].Messages = c.Messages[max(0, len(c.Messages)-shownMessages):]
	}
	return p
}

// showFile serves pictures for display and everything else as a download.
func (s *Server) showFile(w http.ResponseWriter, r *http.Request) {
	var found *file
	s.read(func(time.Time) { found = s.files[r.PathValue("id")] })
	if found == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if found.width > 0 {
		w.Header().Set("Content-Type", http.DetectContentType(found.data))
	} else {
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", found.name))
	}
	if _, err := w.Write(found.data); err != nil {
		s.logger.Warn("file not delivered", "err", err)
	}
}
