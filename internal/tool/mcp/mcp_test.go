package mcp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

func TestCall_Stopped_CancellationIsWrittenBeforeReturn(t *testing.T) {
	t.Parallel()
	server, set := openScripted(t, func(req request) []string {
		switch req.Method {
		case "tools/list":
			return []string{result(req, `{"tools":[`+toolList("hang")+`]}`)}
		case "tools/call":
			return []string{progressOf(req, "on")}
		}
		return nil
	})
	hang := tools(t, set)["mcp_fake_hang"]
	for i := range 100 {
		_, took := stopIn(t, hang, `{}`, 1)
		if server.canceled() {
			continue
		}
		if took < 40*time.Millisecond { // on a busy machine it may not be written within the time that a stop waits
			t.Fatalf("stop %d returned after %v, before its cancelling was written", i, took)
		}
		eventually(t, "the cancelling is written", server.canceled)
	}
}

func TestTools_Names_AreValidUniqueAndStable(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 30)
	_, set := openScripted(t, func(req request) []string {
		if req.Method != "tools/list" {
			return nil
		}
		return []string{result(req, `{"tools":[`+toolList("a.b", "a/b", "é", long+"1", long+"2", "a.b")+`]}`)}
	})
	legal := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	first, _ := set.Tools(within(t))
	again, _ := set.Tools(within(t))
	if len(byName(first)) != 5 || len(first) != 5 || len(again) != 5 {
		t.Fatalf("%d and %d tools, %d names", len(first), len(again), len(byName(first)))
	}
	for i, one := range first {
		if !legal.MatchString(one.Name) || again[i].Name != one.Name {
			t.Errorf("the name %q, then %q", one.Name, again[i].Name)
		}
	}
}

func TestTools_Description_MatchesServer(t *testing.T) {
	t.Parallel()
	s := &scripted{reply: func(req request) []string {
		if req.Method != "tools/list" {
			return nil
		}
		return []string{result(req, `{"tools":[`+
			`{"name":"look","description":"Looks.","inputSchema":{"type":"object","properties":{"at":{"type":"string"}}},"annotations":{"readOnlyHint":true}},`+
			`{"name":"touch","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]}`)}
	}}
	set := mcp.Open([]mcp.Server{{Name: "fake", Command: []string{"fake"}, TrustHints: true}}, s.spawn, mcp.Options{})
	t.Cleanup(set.Close)
	all := tools(t, set)
	look, touch := all["mcp_fake_look"], all["mcp_fake_touch"]
	if !look.Safe || look.Effect != permit.Reads || look.Description != "Looks." || !strings.Contains(string(look.Schema), `"at":{"type":"string"}`) {
		t.Errorf("look is %+v, its schema %s", look, look.Schema)
	}
	if touch.Safe || touch.Effect != permit.Reaches || touch.Question == nil {
		t.Fatalf("touch is %+v", touch)
	}
	asked := touch.Question(json.RawMessage(`{"path":"` + strings.Repeat("x", 5000) + `"}`))
	if len(asked) > 600 || !strings.Contains(asked, "touch") || !strings.Contains(asked, "fake") || !strings.Contains(asked, `{"path":"xx`) {
		t.Errorf("the question is %q", asked)
	}
	if touch.Check(json.RawMessage(`[]`)) == nil || touch.Check(json.RawMessage(`{}`)) != nil {
		t.Error("arguments are an object and nothing else")
	}
}

func TestTools_ListChanged_IsReadAgainToItsEnd(t *testing.T) {
	t.Parallel()
	var lists, grown atomic.Int64
	server, set := openScripted(t, func(req request) []string {
		if req.Method != "tools/list" {
			return nil
		}
		if req.Params.Cursor == "" {
			lists.Add(1)
			return []string{result(req, `{"tools":[`+toolList("one")+`],"nextCursor":"2"}`)}
		}
		return []string{result(req, `{"tools":[`+toolList([]string{"two", "three"}[:1+grown.Load()]...)+`]}`)}
	})
	for range 3 {
		if n := len(tools(t, set)); n != 2 {
			t.Fatalf("%d tools, want 2", n)
		}
	}
	if n := lists.Load(); n != 1 {
		t.Fatalf("the list was read %d times without a change", n)
	}
	grown.Store(1)
	server.writeLines(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	eventually(t, "the new tool is offered", func() bool { return len(tools(t, set)) == 3 })
}

func TestTools_EndlessList_IsCutWithError(t *testing.T) {
	t.Parallel()
	var page atomic.Int64
	_, set := openScripted(t, func(req request) []string {
		if req.Method != "tools/list" {
			return nil
		}
		n := page.Add(1)
		return []string{result(req, fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, toolList(fmt.Sprint("t", n)), n))}
	})
	list, errs := set.Tools(within(t))
	if len(list) != 100 || len(errs) != 1 {
		t.Fatalf("%d tools and %v", len(list), errs)
	}
}

func TestCall_ResultWithImages_ReturnsThemToModelThatAcceptsThem(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(file.Bytes())
	part := `{"type":"image","mimeType":"image/png","data":"` + data + `"}`
	answer := `{"content":[{"type":"text","text":"two"},` + part + `,{"type":"resource","resource":{"uri":"file:///a","mimeType":"image/png","blob":"` + data + `"}},` +
		`{"type":"image","mimeType":"image/png","data":"AAAA"}` + strings.Repeat(","+part, 9) + `]}`
	_, set := openScripted(t, func(req request) []string {
		switch req.Method {
		case "tools/list":
			return []string{result(req, `{"tools":[`+toolList("do")+`]}`)}
		case "tools/call":
			return []string{result(req, answer)}
		}
		return nil
	})
	of := tools(t, set)["mcp_fake_do"]
	got := of.Run(within(t), tool.Call{Args: json.RawMessage(`{}`), Media: llm.Media{Images: true}})
	if len(got.Images) != 9 || !bytes.Equal(got.Images[1].Data, file.Bytes()) || got.Images[0].Type != "image/png" {
		t.Errorf("%d images", len(got.Images))
	}
	for _, want := range []string{"two\n", "[image 3 is omitted: the file is damaged", "[images after the first 10 are omitted]"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is missing in %q", want, got.Text)
		}
	}
	got = do(within(t), of, `{}`)
	if len(got.Images) != 0 || !strings.Contains(got.Text, "[image 1 is omitted: it is an image (image/png, ") {
		t.Errorf("without images: %+v", got)
	}
}

func TestCall_EachContentType_ReturnsTextForModel(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"x":1}}`: "a\nb",
		`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`:                             "[image image/png, 3 bytes]",
		`{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAAA"}]}`:                             "[audio audio/wav, 3 bytes]",
		`{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"abc"}}]}`:                   "[resource file:///a, 3 bytes]",
		`{"content":[{"type":"resource_link","uri":"file:///a","name":"a","mimeType":"text/plain"}]}`:     "[resource file:///a text/plain]",
		`{"content":[],"structuredContent":{"x":1}}`:                                                      `{"x":1}`,
		`{"content":[{"type":"text","text":"no"}],"isError":true}`:                                        "FAILED no",
		`{"content":[{"type":"nonsense"}]}`:                                                               "FAILED error: ",
	} {
		_, set := openScripted(t, func(req request) []string {
			switch req.Method {
			case "tools/list":
				return []string{result(req, `{"tools":[`+toolList("do")+`]}`)}
			case "tools/call":
				return []string{result(req, answer)}
			}
			return nil
		})
		r := do(within(t), tools(t, set)["mcp_fake_do"], `{}`)
		got := r.Text
		if r.Failed {
			got = "FAILED " + got
		}
		if r.Fate != bellcord.CallFinished || !strings.HasPrefix(got, want) {
			t.Errorf("%s\nis %q (%s), want %q", answer, got, r.Fate, want)
		}
	}
}

func TestCall_ServerReturnsError_IsFinishedAndFailed(t *testing.T) {
	t.Parallel()
	_, set := openScripted(t, func(req request) []string {
		if req.Method == "tools/list" {
			return []string{result(req, `{"tools":[`+toolList("do")+`]}`)}
		}
		return nil // no such method
	})
	r := do(within(t), tools(t, set)["mcp_fake_do"], `{}`)
	if r.Fate != bellcord.CallFinished || !r.Failed || !strings.Contains(r.Text, "no such method") {
		t.Fatalf("it came to %+v", r)
	}
}

func TestOpen_WithoutUse_StartsNothing(t *testing.T) {
	t.Parallel()
	set := mcp.Open([]mcp.Server{{Name: "x", Command: []string{"x"}}}, func(mcp.Server) (mcp.Process, error) {
		t.Error("it was started")
		return mcp.Process{}, nil
	}, mcp.Options{})
	set.Close()
	set.Close()
}
