package web

import (
	"bytes"
	"context"
	"errors"

	"github.com/bellcord/bellcord/internal/transcript"
)

func (s *Server) transcript(ctx context.Context, in *struct {
	SessionPath
	Format string `query:"format" enum:"markdown,json" default:"markdown"`
},
) (*struct {
	Type string `header:"Content-Type"`
	Body []byte
}, error,
) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	var text bytes.Buffer
	var writer transcript.Writer
	kind := "text/markdown; charset=utf-8"
	if in.Format == "json" { // each constructor starts to write
		writer, kind = transcript.NewJSON(&text, found), "application/json"
	} else {
		writer = transcript.NewMarkdown(&text, found)
	}
	err = s.eachEvent(ctx, found.ID, writer.Write)
	if err = errors.Join(err, writer.Close()); err != nil {
		return nil, s.fail(err)
	}
	return &struct {
		Type string `header:"Content-Type"`
		Body []byte
	}{kind, text.Bytes()}, nil
}
