package acp_test

import (
	"context"
	"encoding/base64"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func spoken(s string) obj           { return obj{"type": "text", "text": s} }
func picture(kind, data string) obj { return obj{"type": "image", "mimeType": kind, "data": data} }
func embedded(fields obj) obj       { return obj{"type": "resource", "resource": fields} }
func link(name, uri string) obj     { return obj{"type": "resource_link", "name": name, "uri": uri} }

func (e *editor) showing(blocks ...obj) obj { return obj{"sessionId": e.session, "prompt": blocks} }

func TestPrompt_MixedContent_KeepsItsOrder(t *testing.T) {
	t.Parallel()
	png := bellcord.Image{Type: "image/png", Data: []byte("png")}
	webp := bellcord.Image{Type: "image/webp", Data: []byte("webp!")}
	tests := []struct {
		name   string
		blocks []obj
		want   bellcord.Prompt
	}{
		{"text as it is", []obj{spoken(" a\n"), spoken("b")}, bellcord.Prompt{Text: " a\n\nb"}},
		{
			"an image alone",
			[]obj{picture("image/png", "cG5n")},
			bellcord.Prompt{Text: "[image 1]", Images: []bellcord.Image{png}},
		},
		{
			"images between texts",
			[]obj{spoken("this"), picture("image/png", "cG5n"), spoken("or"), picture("image/webp", "d2VicCE="), spoken("?")},
			bellcord.Prompt{Text: "this\n[image 1]\nor\n[image 2]\n?", Images: []bellcord.Image{png, webp}},
		},
		{
			"an image in a resource",
			[]obj{embedded(obj{"uri": "file:///a.png", "mimeType": "image/png", "blob": "cG5n"}), spoken("?")},
			bellcord.Prompt{Text: "[image 1]\n?", Images: []bellcord.Image{png}},
		},
		{
			"a link",
			[]obj{spoken("look at"), link("a.go", "file:///a.go")},
			bellcord.Prompt{Text: "look at\n[a.go](file:///a.go)", Links: []bellcord.Link{{Name: "a.go", URI: "file:///a.go"}}},
		},
		{
			"links to lines, as they came",
			[]obj{link("a.go", "file:///a.go#L10:20"), link("b.go", "file:///b.go#L10-20"), link("c.go", "file:///c%20d.go#L7")},
			bellcord.Prompt{
				Text: "[a.go](file:///a.go#L10:20)\n[b.go](file:///b.go#L10-20)\n[c.go](file:///c%20d.go#L7)",
				Links: []bellcord.Link{
					{Name: "a.go", URI: "file:///a.go#L10:20"},
					{Name: "b.go", URI: "file:///b.go#L10-20"},
					{Name: "c.go", URI: "file:///c%20d.go#L7"},
				},
			},
		},
		{
			"an embedded text",
			[]obj{spoken("look at"), embedded(obj{"uri": "file:///b.go#L1:2", "text": "package b"})},
			bellcord.Prompt{Text: "look at\n<resource uri=\"file:///b.go#L1:2\">\npackage b\n</resource>"},
		},
		{
			"an embedded text that is empty",
			[]obj{embedded(obj{"uri": "file:///b.go", "text": ""})},
			bellcord.Prompt{Text: "<resource uri=\"file:///b.go\">\n\n</resource>"},
		},
	}
	var given atomic.Pointer[bellcord.Prompt]
	agent := func(_ context.Context, w *hub.Work) error {
		given.Store(&w.Prompt)
		return nil
	}
	edit(t, agent, nil, func(t *testing.T, e *editor) {
		for _, test := range tests {
			e.ends(e.send("session/prompt", e.showing(test.blocks...)), "end_turn")
			got := given.Load()
			if got.Text != test.want.Text || !reflect.DeepEqual(got.Images, test.want.Images) || !reflect.DeepEqual(got.Links, test.want.Links) {
				t.Errorf("%s: the turn was given %+v, want %+v", test.name, got, test.want)
			}
		}
	})
}

func TestPrompt_UnsupportedContent_IsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	small := picture("image/gif", "Z2lm")
	zeros := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }
	tests := []struct {
		name   string
		blocks []obj
		want   string
	}{
		{"an image of another type", []obj{small, picture("image/bmp", "Ym1w")}, `block 2: image 2: unsupported type "image/bmp"`},
		{"an image without a type", []obj{picture("", "Ym1w")}, `image 1: unsupported type ""`},
		{"an image that is no base64", []obj{picture("image/png", "data:image/png;base64,cG5n")}, "image 1: invalid base64"},
		{"an image of nothing", []obj{spoken("see"), picture("image/jpeg", "")}, "block 2: image 1 is empty"},
		{
			"an image that is too big, behind one of the largest size",
			[]obj{picture("image/png", zeros(5<<20)), picture("image/png", zeros(5<<20+1))},
			"block 2: image 2 is too large: 5242881 bytes (at most 5 MB)",
		},
		{"too many images", slices.Repeat([]obj{small}, 21), "block 21: too many images (at most 20)"},
		{"a blob that is no image", []obj{embedded(obj{"uri": "file:///a.zip", "mimeType": "application/zip", "blob": "UEs="})}, "file:///a.zip: it is neither"},
		{"a blob of an image type that no model takes", []obj{embedded(obj{"uri": "file:///a.svg", "mimeType": "image/svg+xml", "blob": "PHN2Zz4="})}, `"image/svg+xml"`},
		{"a resource of nothing", []obj{{"type": "resource"}}, "the embedded resource is missing"},
		{"a link to nowhere", []obj{link("a.go", "")}, "no uri"},
		{"a sound", []obj{{"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}}, `unsupported content type "audio"`},
		{"no blocks", []obj{}, "the prompt is empty"},
	}
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		for _, test := range tests {
			f := e.request("session/prompt", e.showing(test.blocks...))
			if f.Error == nil || f.Error.Code != -32602 || !strings.Contains(f.Error.Message, test.want) {
				t.Errorf("%s: answered %v %+v, want %q", test.name, f.Result, f.Error, test.want)
			}
		}
		if left := e.hub.Unsettled(); len(left) > 0 {
			t.Errorf("%d turns were started", len(left))
		}
	})
}

func TestInitialize_PromptCapabilities_IncludeImagesAndEmbeddedText(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		hello := e.request("initialize", obj{"protocolVersion": 1}).Result
		can := hello["agentCapabilities"].(obj)["promptCapabilities"]
		if want := (obj{"image": true, "audio": false, "embeddedContext": true}); !reflect.DeepEqual(can, want) {
			t.Errorf("prompts may hold %v", can)
		}
	})
}

func TestLoad_PromptWithImages_ShowsThemBeforeTheText(t *testing.T) {
	t.Parallel()
	edit(t, echoes, nil, func(t *testing.T, e *editor) {
		e.ends(e.send("session/prompt", e.showing(
			spoken("which"), picture("image/png", "cG5n"), picture("image/gif", "Z2lm"), link("a.go", "file:///a.go"),
		)), "end_turn")
		from := e.count()
		e.request("session/load", obj{"sessionId": e.session, "cwd": e.dir})
		synctest.Wait()
		want := []string{
			"session_info_update which",
			"user_message_chunk image/png cG5n",
			"user_message_chunk image/gif Z2lm",
			`user_message_chunk "which\n[image 1]\n[image 2]\n[a.go](file:///a.go)"`,
			`agent_message_chunk "echo: which\n[image 1]\n[image 2]\n[a.go](file:///a.go)"`,
			"available_commands_update",
		}
		if got := e.since(from); !reflect.DeepEqual(got, want) {
			t.Errorf("replayed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
