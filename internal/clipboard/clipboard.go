// Package clipboard reads an image from the user's clipboard, with the programs
// that the system has for it.
package clipboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	// Limit is the maximum size of an image in bytes.
	Limit = 10 << 20
	// patience is how long all programs together may take.
	patience = 5 * time.Second
)

// programs print the image of the clipboard as PNG.
var programs = [][]string{
	{"wl-paste", "--type", "image/png"},
	{"xclip", "-selection", "clipboard", "-t", "image/png", "-o"},
	{"pngpaste", "-"},
	{"powershell.exe", "-NoProfile", "-STA", "-Command", "$i = Get-Clipboard -Format Image; if ($i) { $s = New-Object IO.MemoryStream; $i.Save($s, [Drawing.Imaging.ImageFormat]::Png); [Console]::OpenStandardOutput().Write($s.ToArray(), 0, $s.Length) }"},
}

// ErrNoImage is returned if the clipboard contains no image.
var ErrNoImage = errors.New("the clipboard contains no image")

// Image returns the image in the clipboard as PNG.
func Image(ctx context.Context) ([]byte, error) {
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	var names []string
	found := false
	for _, args := range programs {
		names = append(names, args[0])
		path, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		found = true
		data, err := output(ctx, path, args[1:])
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%s did not return the clipboard within %s", args[0], patience)
		case errors.Is(err, errTooLarge):
			return nil, err
		case err == nil && len(data) > 0:
			return data, nil
		}
	}
	if !found {
		return nil, errors.New("to paste images, install one of these programs: " + strings.Join(names[:len(names)-1], ", "))
	}
	return nil, ErrNoImage
}

var errTooLarge = fmt.Errorf("the image is larger than %d MiB", Limit>>20)

// output returns the output of a program. The end of ctx ends the program.
func output(ctx context.Context, path string, args []string) ([]byte, error) {
	var out limited
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // one of programs
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second // for a child that keeps the output open
	err := cmd.Run()
	if out.over {
		return nil, errTooLarge
	}
	return out.kept.Bytes(), err
}

// limited keeps at most Limit bytes. The buffer is not embedded, because its
// ReadFrom would have no limit.
type limited struct {
	kept bytes.Buffer
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.kept.Len()+len(p) > Limit {
		l.over = true
		return 0, errTooLarge
	}
	return l.kept.Write(p)
}
