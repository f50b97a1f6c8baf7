package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
)

// mostImage is the maximum size of an attached image in bytes.
const mostImage = 10 << 20

// The actions for images.
type (
	// PasteImage attaches the image in the clipboard to the input.
	PasteImage struct{}
	// AttachImage attaches an image file to the input. Text is inserted instead if
	// that fails.
	AttachImage struct{ Path, Text string }
)

func (p PasteImage) do(ctx context.Context, e *Runner) Report {
	if e.Clipboard == nil {
		return Report{Of: p, Err: errors.New("this front cannot read the clipboard")}
	}
	data, err := e.Clipboard(ctx)
	if err != nil {
		return Report{Of: p, Err: err}
	}
	image, err := imageOf(data)
	return Report{Of: p, Err: err, Image: image}
}

func (a AttachImage) do(context.Context, *Runner) Report {
	image, err := readImage(a.Path)
	return Report{Of: a, Err: err, Image: image}
}

func (PasteImage) inOrder() bool  { return false }
func (AttachImage) inOrder() bool { return false }

// readImage reads an image file.
func readImage(path string) (*bellcord.Image, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > mostImage:
		return nil, fmt.Errorf("%s is larger than %d MiB", path, mostImage>>20)
	}
	data, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	image, err := imageOf(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return image, nil
}

// imageOf returns data as an image, with the type that its content has.
func imageOf(data []byte) (*bellcord.Image, error) {
	kind := http.DetectContentType(data)
	if !bellcord.IsImageType(kind) {
		return nil, errors.New("not a PNG, JPEG, GIF or WebP image")
	}
	return &bellcord.Image{Type: kind, Data: data}, nil
}

// isImagePath reports whether a path has the name of an image.
func isImagePath(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// droppedImage returns the path of an image file that a terminal pastes when a
// file is dropped on it: alone, perhaps quoted, escaped or as a URL.
func droppedImage(text string) (string, bool) {
	path := strings.TrimSpace(text)
	if n := len(path); n > 1 && (path[0] == '\'' || path[0] == '"') && path[n-1] == path[0] {
		path = path[1 : n-1]
	}
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
		path = u.Path
	}
	path = strings.ReplaceAll(path, `\ `, " ")
	return path, filepath.IsAbs(path) && !strings.ContainsAny(path, "\n\r") && isImagePath(path)
}

// attached applies the result of an action for images.
func (in *input) attached(r Report) {
	if r.Err == nil {
		in.images = append(in.images, *r.Image)
		return
	}
	if of, is := r.Of.(AttachImage); is {
		in.insert(of.Text)
	}
	in.setHint("no image attached: " + r.Err.Error())
}

// imageLines returns one line for each image of the input.
func (in *input) imageLines() []string {
	var lines []string
	for i, image := range in.images {
		text := fmt.Sprintf("  image %d: %s %s", i+1, size(len(image.Data)), strings.TrimPrefix(image.Type, "image/"))
		if i == len(in.images)-1 {
			text += " · backspace at the start of the input removes it"
		}
		lines = append(lines, styled(cyan, text))
	}
	return lines
}

func size(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%d kB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// removeImage removes the last image, if the cursor is at the start of the input.
func (in *input) removeImage(key string) bool {
	if key != "backspace" || in.at > 0 || len(in.images) == 0 {
		return false
	}
	in.images = in.images[:len(in.images)-1]
	return true
}

// refusesImages reports whether a prompt with images cannot be sent, and shows
// the reason.
func (in *input) refusesImages(text string) bool {
	model := in.session.Model
	if len(in.images) == 0 && len(in.mentionedImages(text)) == 0 || in.hosted() || in.takesImages == nil || in.takesImages(model) {
		return false
	}
	in.setHint(orUsual(model) + " accepts no images. Nothing was sent. Remove the image, or choose another model with /model.")
	return true
}

// onlyImages is the text of a prompt that contains only images.
const onlyImages = "See the image."

// withImages adds the images of the input to its prompt.
func withImages(actions []Action, images []bellcord.Image) []Action {
	for i, a := range actions {
		if p, is := a.(Prompt); is && p.Task == bellcord.TaskAnswer {
			p.Images = images
			actions[i] = p
		}
	}
	return actions
}

// withFiles adds the image files of a prompt to its images.
func (p Prompt) withFiles() (Prompt, error) {
	for _, path := range p.ImageFiles {
		image, err := readImage(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // a word with @ that is not a file
		}
		if err != nil {
			return p, err
		}
		p.Images = append(p.Images[:len(p.Images):len(p.Images)], *image)
	}
	return p, nil
}
