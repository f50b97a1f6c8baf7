package acp

import (
	"context"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// EditorTools gives an agent access to the tools of the editor: its view of the files,
// including unsaved changes, and its terminals.
type EditorTools struct {
	Reads, Writes, Terminals bool // what the editor supports

	conn    *jsonrpc.Conn
	session string
	dir     string // of the session
	cwd     string // its path as the editor has named it, perhaps with symbolic links
}

// named returns a path in the session's directory as the editor names it.
func (d *EditorTools) named(path string) string {
	rel, err := filepath.Rel(d.dir, path)
	if d.cwd == "" || err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.Join(d.cwd, rel)
}

// requestEditor sends a request to the editor and waits for the reply. When ctx
// ends, it cancels the request, drops the reply and returns the cause of ctx.
func (d *EditorTools) requestEditor(ctx context.Context, method string, params, result any) error {
	request := d.conn.Request(method, params)
	defer context.AfterFunc(ctx, func() { request.Cancel() })()
	err := request.Wait(result)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// ReadText returns a text file as the editor has it, from the given line
// (counted from 1) and at most limit lines. A line of 0 starts at the
// beginning; a limit of 0 means no limit.
func (d *EditorTools) ReadText(ctx context.Context, path string, line, limit int) (string, error) {
	var result acp.ReadTextFileResponse
	params := acp.ReadTextFileRequest{SessionID: d.session, Path: d.named(path), Line: max(line, 0), Limit: max(limit, 0)}
	err := d.requestEditor(ctx, acp.MethodReadTextFile, params, &result)
	return result.Content, err
}

// WriteText writes a text file through the editor.
func (d *EditorTools) WriteText(ctx context.Context, path, content string) error {
	var none struct{}
	return d.requestEditor(ctx, acp.MethodWriteTextFile, acp.WriteTextFileRequest{SessionID: d.session, Path: d.named(path), Content: content}, &none)
}
