package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
)

type readFileArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// mostRead is how much of a file one call returns.
const mostRead = 256 << 10

// ReadFile reads a text file inside the session's directory, which it cannot
// leave, through links either.
func ReadFile() Tool {
	return Tool{
		Tool: llm.Tool{
			Name:        "read_file",
			Description: "Read a text file. The path is relative to the working directory (or absolute and inside it). offset is the first line to return, counted from 1; limit is the number of lines.",
			Schema: json.RawMessage(`{"type":"object","required":["path"],"additionalProperties":false,"properties":{` +
				`"path":{"type":"string"},"offset":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}}}`),
		},
		Safe: true,
		Check: func(args json.RawMessage) error {
			a, err := parse[readFileArgs](args)
			if err == nil && a.Path == "" {
				err = errors.New("arguments: path is missing")
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
	path := a.Path
	if filepath.IsAbs(path) {
		if path, err = filepath.Rel(call.Dir, path); err != nil {
			return failed(err)
		}
	}
	root, err := os.OpenRoot(call.Dir)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil {
		return failed(err)
	} else if !info.Mode().IsRegular() {
		return failed(fmt.Errorf("%s is not a regular file", a.Path)) // reading a pipe could wait for ever
	}
	text, err := lines(ctx, f, max(a.Offset, 1), a.Limit)
	if err != nil {
		return failed(err)
	}
	return finished(text)
}

func lines(ctx context.Context, f *os.File, first, limit int) (string, error) {
	r := bufio.NewReader(f)
	var out strings.Builder
	for n := 1; limit == 0 || n < first+limit; n++ {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		line, err := r.ReadString('\n')
		if n >= first {
			out.WriteString(line)
		}
		if out.Len() > mostRead {
			return out.String()[:mostRead] + fmt.Sprintf("\n[cut after %d bytes, in line %d; read on with offset]", mostRead, n), nil
		}
		if err != nil { // the end of the file
			return out.String(), nil
		}
	}
	return out.String(), nil
}
