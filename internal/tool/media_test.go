package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

const aPDF = "%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"

// pictures returns the content of a picture of every type, and of a PDF, by media
// type.
func pictures(t *testing.T) map[string][]byte {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	var p, j, g bytes.Buffer
	for _, err := range []error{png.Encode(&p, picture), jpeg.Encode(&j, picture, nil), gif.Encode(&g, picture, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	webp := append([]byte("RIFF\x0e\x00\x00\x00WEBPVP8L"), 2, 0, 0, 0, '/', 0)
	return map[string][]byte{"image/png": p.Bytes(), "image/jpeg": j.Bytes(), "image/gif": g.Bytes(), "image/webp": webp, llm.PDF: []byte(aPDF)}
}

func readMedia(t *testing.T, of tool.Tool, media llm.Media, content []byte) tool.Result {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file.txt"), content, 0o600); err != nil { // the name does not matter
		t.Fatal(err)
	}
	return of.Run(t.Context(), tool.Call{Dir: dir, Media: media, Args: json.RawMessage(`{"path":"file.txt"}`), Output: func(string) {}})
}

func TestReadFile_PictureOrPDF_ReturnsItToModelThatAcceptsIt(t *testing.T) {
	t.Parallel()
	for kind, content := range pictures(t) {
		got := readMedia(t, tool.ReadFile(), llm.Media{Images: true, PDFs: true}, content)
		if got.Failed || len(got.Images) != 1 || got.Images[0].Type != kind || !bytes.Equal(got.Images[0].Data, content) || !strings.Contains(got.Text, "file.txt: "+kind) {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

func TestReadFile_PictureOrPDF_IsRefusedForModelThatDoesNotAcceptIt(t *testing.T) {
	t.Parallel()
	for kind, content := range pictures(t) {
		want := "this model does not accept images"
		if kind == llm.PDF {
			want = "this model does not accept PDFs; to get its text, use shell, for example: pdftotext"
		}
		for _, media := range []llm.Media{{}, {Images: kind == llm.PDF, PDFs: kind != llm.PDF}} {
			got := readMedia(t, tool.ReadFile(), media, content)
			if !got.Failed || len(got.Images) != 0 || !strings.Contains(got.Text, want) {
				t.Errorf("%s: %+v", kind, got)
			}
		}
	}
}

func TestReadFile_DamagedOrLargePicture_IsRefused(t *testing.T) {
	t.Parallel()
	all := llm.Media{Images: true, PDFs: true}
	for kind, content := range pictures(t) {
		if got := readMedia(t, tool.ReadFile(), all, content[:len(content)*2/3]); !got.Failed || len(got.Images) != 0 {
			t.Errorf("%s, cut: %.200q", kind, got.Text)
		}
		large := append(bytes.Clone(content), make([]byte, 9<<20)...)
		if got := readMedia(t, tool.ReadFile(), all, large); !got.Failed || !strings.Contains(got.Text, "too large for a model") {
			t.Errorf("%s, large: %.200q", kind, got.Text)
		}
	}
	var wide bytes.Buffer
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, 8001, 1))); err != nil {
		t.Fatal(err)
	}
	if got := readMedia(t, tool.ReadFile(), all, wide.Bytes()); !got.Failed || !strings.Contains(got.Text, "at most 8000") {
		t.Errorf("wide: %q", got.Text)
	}
}

func TestReadFile_PictureThroughEditor_IsReadFromDisk(t *testing.T) {
	t.Parallel()
	content := pictures(t)["image/png"]
	editor := tool.EditorTools{Read: func(context.Context, string, int, int) (string, error) {
		return "", errors.New("the editor must not be asked")
	}}
	got := readMedia(t, editor.Tools([]tool.Tool{tool.ReadFile()})[0], llm.Media{Images: true}, content)
	if got.Failed || len(got.Images) != 1 || got.Fate != bellcord.CallFinished {
		t.Errorf("%+v", got)
	}
}
