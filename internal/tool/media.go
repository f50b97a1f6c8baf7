package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"  // for image.DecodeConfig
	"os"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// Limits for a picture or a document in a result. The APIs accept pictures of 5
// MB after their encoding as base64, and of 8000 pixels in each direction.
const (
	mostImage  = 3_750_000 // bytes
	mostPixels = 8000
	mostPDF    = bellcord.MaxImages
)

// isMedia reports whether a file of a kind is one that some models accept.
func isMedia(kind string) bool { return bellcord.IsImageType(kind) || kind == llm.PDF }

// Attach adds a picture or a document to the result of a call, or a note why the
// model does not get it.
func (r *Result) Attach(media llm.Media, name string, file bellcord.Image) {
	if err := attachable(media, file); err != nil {
		r.Text += fmt.Sprintf("[%s is omitted: %v]\n", name, err)
		return
	}
	r.Text += fmt.Sprintf("[%s: %s, %d bytes]\n", name, file.Type, len(file.Data))
	r.Images = append(r.Images, file)
}

// readMedia returns a picture or a document of the given size as a result.
func readMedia(ctx context.Context, call Call, at workspace.Target, f *os.File, kind string, size int64) Result {
	name := workspace.Shown(at.Path)
	if err := acceptable(call.Media, kind, size); err != nil {
		if kind == llm.PDF {
			err = fmt.Errorf("%w; to get its text, use shell, for example: pdftotext -layout %s -", err, name)
		}
		return failed(fmt.Errorf("%s: %w", name, err))
	}
	data, err := readAll(ctx, f, size)
	switch {
	case ctx.Err() != nil:
		return stopped("")
	case err != nil:
		return failed(fmt.Errorf("%s: %w", name, err))
	}
	file := bellcord.Image{Type: kind, Data: []byte(data)}
	if err := attachable(call.Media, file); err != nil {
		return failed(fmt.Errorf("%s: %w", name, err))
	}
	var result Result
	result.Fate = bellcord.CallFinished
	result.Attach(call.Media, name, file)
	return noted(at, result)
}

// acceptable returns an error for a file that the model does not accept, or that
// is too large.
func acceptable(media llm.Media, kind string, size int64) error {
	most := int64(mostImage)
	if kind == llm.PDF {
		most = mostPDF
	}
	switch {
	case !isMedia(kind):
		return fmt.Errorf("%s is a type that models do not accept", kind)
	case !media.Accepts(kind) && kind == llm.PDF:
		return fmt.Errorf("it is a PDF of %d bytes, and this model does not accept PDFs", size)
	case !media.Accepts(kind):
		return fmt.Errorf("it is an image (%s, %d bytes), and this model does not accept images", kind, size)
	case size > most:
		return fmt.Errorf("%s of %d bytes is too large for a model: at most %d bytes", kind, size, most)
	}
	return nil
}

// attachable returns an error for a file that a model would reject. An API
// rejects a whole conversation with a damaged picture in it, now and later.
func attachable(media llm.Media, file bellcord.Image) error {
	if err := acceptable(media, file.Type, int64(len(file.Data))); err != nil {
		return err
	}
	if !hasBothEnds(file) {
		return fmt.Errorf("the file is damaged: it is not a complete %s", file.Type)
	}
	if file.Type == llm.PDF || file.Type == "image/webp" {
		return nil
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(file.Data))
	switch {
	case err != nil:
		return fmt.Errorf("the file is damaged: %w", err)
	case config.Width > mostPixels || config.Height > mostPixels:
		return fmt.Errorf("the image has %d × %d pixels, and models accept at most %d in each direction", config.Width, config.Height, mostPixels)
	case config.Width == 0 || config.Height == 0:
		return errors.New("the image has no pixels")
	}
	return nil
}

// hasBothEnds reports whether a file has the beginning and the end of its type.
func hasBothEnds(file bellcord.Image) bool {
	head, tail := file.Data, file.Data[max(0, len(file.Data)-1024):]
	switch file.Type {
	case "image/png":
		return bytes.HasPrefix(head, []byte("\x89PNG")) && bytes.Contains(tail, []byte("IEND"))
	case "image/jpeg":
		return bytes.HasPrefix(head, []byte("\xff\xd8")) && bytes.Contains(tail, []byte("\xff\xd9"))
	case "image/gif":
		return bytes.HasPrefix(head, []byte("GIF8")) && bytes.IndexByte(tail, ';') >= 0
	case "image/webp":
		if len(head) < 16 || !bytes.HasPrefix(head, []byte("RIFF")) || string(head[8:12]) != "WEBP" {
			return false
		}
		size := int64(head[4]) | int64(head[5])<<8 | int64(head[6])<<16 | int64(head[7])<<24
		return size+8 <= int64(len(head))
	case llm.PDF:
		return bytes.HasPrefix(head, []byte("%PDF-")) && bytes.Contains(tail, []byte("%%EOF"))
	}
	return false
}
