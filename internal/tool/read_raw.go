package tool

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// mostRaw is the maximum number of bytes that a raw call of read_file returns.
const mostRaw = 8 << 20

// errTooLong is returned instead of a part: a program that writes a part back
// would damage the file.
var errTooLong = errors.New("the file, or one of its lines, is too long")

// raw returns lines for a program: without numbers, notes and other limits than
// mostRaw.
func (a readFileArgs) raw(ctx context.Context, call Call) Result {
	root, path, err := call.dirs().OpenDir(a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()
	f, _, err := workspace.OpenRegular(root, path, call.private)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = f.Close() }()
	text, err := rawLines(ctx, f, max(a.Offset, 1), a.Limit)
	switch {
	case ctx.Err() != nil:
		return stopped("")
	case err != nil:
		return failed(err)
	}
	return finished(text)
}

// rawLines reads limit lines from line first on, or all if limit is 0.
func rawLines(ctx context.Context, f io.Reader, first, limit int) (string, error) {
	r := bufio.NewReaderSize(f, 64<<10)
	var out strings.Builder
	for n := 1; limit == 0 || n < first+limit; {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		piece, err := r.ReadSlice('\n')
		if n >= first {
			out.Write(piece)
		}
		switch {
		case out.Len() > mostRaw:
			return "", errTooLong
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return valid(out.String()), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
	return valid(out.String()), nil
}

// readRaw returns lines for a program as the editor has them.
func (d EditorTools) readRaw(ctx context.Context, call Call, a readFileArgs) Result {
	path, err := editorPath(call, a.Path)
	if err != nil {
		return failed(err)
	}
	text, err := d.text(ctx, call, path, a.Offset, a.Limit)
	switch {
	case ctx.Err() != nil:
		return stopped("")
	case err == nil && len(text) > mostRaw:
		err = errTooLong
	}
	if err != nil {
		return failed(err)
	}
	return finished(text)
}
