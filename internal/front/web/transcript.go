package web

import (
	"bytes"
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/transcript"
)

type transcriptText struct {
	Type string `header:"Content-Type"`
	Body []byte
}

func (s *sessions) transcript(ctx context.Context, found bellcord.Session, in *struct {
	SessionPath
	Format string `query:"format" enum:"markdown,json" default:"markdown"`
},
) (*transcriptText, error) {
	var text bytes.Buffer
	var writer transcript.Writer
	kind := "text/markdown; charset=utf-8"
	if in.Format == "json" { // each constructor starts to write
		writer, kind = transcript.NewJSON(&text, found), "application/json"
	} else {
		writer = transcript.NewMarkdown(&text, found)
	}
	if err := errors.Join(s.eachEvent(ctx, found.ID, writer.Write), writer.Close()); err != nil {
		return nil, err
	}
	return &transcriptText{kind, text.Bytes()}, nil
}
