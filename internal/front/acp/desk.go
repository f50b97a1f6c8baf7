package acp

import (
	"context"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Desk is what an editor lets an agent use of its own: its view of the files,
// unsaved changes included, and its terminals.
type Desk struct {
	Reads, Writes, Terminals bool // what it offers

	conn    *jsonrpc.Conn
	session string
}

// requestEditor sends a request to the editor. When ctx ends, the editor gets
// a cancel, and its answer is dropped.
func (d *Desk) requestEditor(ctx context.Context, method string, params, result any) error {
	request := d.conn.Request(method, params)
	defer context.AfterFunc(ctx, func() { request.Cancel() })()
	err := request.Wait(result)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// ReadText returns a text file as the editor has it, from the given line (from
// 1) and at most limit lines; 0 means all.
func (d *Desk) ReadText(ctx context.Context, path string, line, limit int) (string, error) {
	var result acp.ReadTextFileResponse
	params := acp.ReadTextFileRequest{SessionID: d.session, Path: path, Line: max(line, 0), Limit: max(limit, 0)}
	err := d.requestEditor(ctx, acp.MethodReadTextFile, params, &result)
	return result.Content, err
}

// WriteText writes a text file through the editor.
func (d *Desk) WriteText(ctx context.Context, path, content string) error {
	var none struct{}
	return d.requestEditor(ctx, acp.MethodWriteTextFile, acp.WriteTextFileRequest{SessionID: d.session, Path: path, Content: content}, &none)
}
