package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
)

type readFileArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// mostRead is the maximum number of bytes that one call returns.
const mostRead = 256 << 10

// ReadFile returns the tool that reads a text file inside the session's
// directory. Links cannot lead outside.
func ReadFile() Tool {
	return Tool{
		Tool: llm.Tool{
			Name:        "read_file",
			Description: "Read a text file. The path is relative to the working directory (or absolute and inside it). offset is the first line to return, counted from 1; limit is the maximum number of lines.",
			Schema: json.RawMessage(`{"type":"object","required":["path"],"additionalProperties":false,"properties":{` +
				`"path":{"type":"string"},"offset":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}}}`),
		},
		Safe: true,
		Path: "path",
		Check: func(args json.RawMessage) error {
			a, err := parse[readFileArgs](args)
			switch {
			case err == nil && a.Path == "":
				err = errors.New("arguments: path is missing")
			case err == nil && (a.Offset < 0 || a.Limit < 0):
				err = errors.New("arguments: offset and limit must be at least 1")
			}
			return err
		},
		Run: readFile,
	}
}

func readFile(ctx context.Context, call Call) Result {
	a, err := parse[readFileArgs](call.Args)
	if err != nil {
		return failed(err)
	}
	root, path, err := openDir(call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()
	f, _, err := openRegular(root, path, call.private)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = f.Close() }()
	text, err := lines(ctx, f, max(a.Offset, 1), a.Limit)
	switch {
	case ctx.Err() != nil:
		return stopped(text)
	case err != nil:
		return failed(err)
	}
	return finished(text)
}

// lines reads limit lines from line first on, or all if limit is 0. It returns
// at most mostRead bytes, however long the lines are.
func lines(ctx context.Context, f io.Reader, first, limit int) (string, error) {
	r := bufio.NewReaderSize(f, 64<<10)
	var out strings.Builder
	for n := 1; limit == 0 || n < first+limit; {
		if ctx.Err() != nil {
			return valid(out.String()), context.Cause(ctx)
		}
		piece, err := r.ReadSlice('\n')
		if n >= first {
			out.Write(piece)
		}
		if out.Len() > mostRead {
			return valid(out.String()[:mostRead]) + fmt.Sprintf("\n[cut after %d bytes, in line %d; continue with offset]", mostRead, n), nil
		}
		switch {
		case err == nil:
			n++
		case errors.Is(err, io.EOF):
			return valid(out.String()), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return valid(out.String()), err
		}
	}
	return valid(out.String()), nil
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
