package fakegram

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif" // formats of photos
	_ "image/jpeg"
	_ "image/png"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

const (
	largestDownload = 20 << 20
	largestPhoto    = 10 << 20
)

// file is a file that the bot or a person uploaded.
type file struct {
	id, path      string
	name, mime    string
	width, height int // of a picture
	data          []byte
}

// keep stores an upload under a new file_id. The caller must hold the lock.
func (s *Server) keep(folder string, u upload) *file {
	n := len(s.files) + 1
	f := &file{
		id: fmt.Sprintf("BQACAgIAAxk%06d", n), path: fmt.Sprintf("%s/file_%d%s", folder, n, path.Ext(u.name)),
		name: path.Base(u.name), mime: u.mime, data: u.data,
	}
	if f.mime == "" || f.mime == "application/octet-stream" {
		f.mime = mime.TypeByExtension(path.Ext(u.name))
	}
	s.files[f.id] = f
	return f
}

func (f *file) document() *Document {
	return &Document{FileID: f.id, UniqueID: "u" + f.id, Name: f.name, Mime: f.mime, Size: len(f.data)}
}

func (f *file) photo() []PhotoSize {
	return []PhotoSize{{FileID: f.id, UniqueID: "u" + f.id, Width: f.width, Height: f.height, Size: len(f.data)}}
}

// keepPhoto stores a picture. It refuses what Telegram cannot show as one.
func (s *Server) keepPhoto(u upload) (*file, error) {
	picture, _, err := image.DecodeConfig(bytes.NewReader(u.data))
	switch {
	case err != nil:
		return nil, bad("IMAGE_PROCESS_FAILED")
	case len(u.data) > largestPhoto:
		return nil, bad("file is too big")
	case picture.Width+picture.Height > 10_000 || picture.Width > 20*picture.Height || picture.Height > 20*picture.Width:
		return nil, bad("PHOTO_INVALID_DIMENSIONS")
	}
	f := s.keep("photos", u)
	f.width, f.height = picture.Width, picture.Height
	return f, nil
}

// attached returns the file of a parameter: an upload in its place, one
// elsewhere in the form (attach://), or a stored file (by file_id).
func (p *play) attached(name string) (u upload, stored *file, err error) {
	value := p.q.params[name]
	if part, is := strings.CutPrefix(value, "attach://"); is {
		name = part
	} else if f := p.files[value]; f != nil {
		return upload{}, f, nil
	} else if value != "" {
		return upload{}, nil, bad("wrong remote file identifier specified: no such file here, and none is fetched")
	}
	u, sent := p.q.files[name]
	switch {
	case !sent:
		return u, nil, bad("there is no %s in the request", name)
	case len(u.data) == 0:
		return u, nil, bad("file must be non-empty")
	case len(u.data) > largestUpload:
		return u, nil, problem{code: http.StatusRequestEntityTooLarge, words: "Request Entity Too Large"}
	}
	return u, nil, nil
}

func (p *play) captioned(m *Message) error {
	f, err := p.formatted("caption", "caption_entities")
	if err == nil && units(f.text) > longestCaption {
		err = bad("message caption is too long")
	}
	m.Caption, m.CaptionEntities = f.text, f.entities
	return err
}

func (p *play) sendDocument() (any, error) {
	m := &Message{}
	if err := p.captioned(m); err != nil {
		return nil, err
	}
	u, f, err := p.attached("document")
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = p.keep("documents", u)
	}
	m.Document = f.document()
	return p.completeMessage(m)
}

func (p *play) sendPhoto() (any, error) {
	m := &Message{}
	if err := p.captioned(m); err != nil {
		return nil, err
	}
	u, f, err := p.attached("photo")
	if err == nil && f == nil {
		f, err = p.keepPhoto(u)
	}
	if err != nil {
		return nil, err
	}
	m.Photo = f.photo()
	return p.completeMessage(m)
}

func (p *play) getFile() (any, error) {
	f := p.files[p.q.params["file_id"]]
	switch {
	case p.q.params["file_id"] == "":
		return nil, bad("file_id not specified")
	case f == nil:
		return nil, bad("wrong file_id or the file is temporarily unavailable")
	case len(f.data) > largestDownload:
		return nil, bad("file is too big")
	}
	return struct {
		ID     string `json:"file_id"`
		Unique string `json:"file_unique_id"`
		Size   int    `json:"file_size"`
		Path   string `json:"file_path"`
	}{f.id, "u" + f.id, len(f.data), f.path}, nil
}

// download serves a file by the path that getFile returned.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	var found *file
	s.read(func(time.Time) {
		for _, f := range s.files {
			if f.path == r.PathValue("path") {
				found = f
			}
		}
	})
	status, body := encodeAnswer(nil, problem{code: http.StatusNotFound, words: "Not Found"})
	switch {
	case r.PathValue("bot") != "bot"+s.token:
		status, body = encodeAnswer(nil, problem{code: http.StatusUnauthorized, words: "Unauthorized"})
	case found != nil:
		status, body = http.StatusOK, found.data
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		s.logger.Warn("file not delivered", "err", err)
	}
}
