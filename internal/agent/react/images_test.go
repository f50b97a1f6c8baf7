package react_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// showing returns a tool that returns a picture of size bytes.
func showing(size int) func(*stage) []tool.Tool {
	return func(*stage) []tool.Tool {
		return []tool.Tool{made("show", func(_ context.Context, call tool.Call) tool.Result {
			if !call.Media.Images {
				return tool.Result{Text: "no images", Fate: bellcord.CallFinished}
			}
			return tool.Result{Text: "shown\n", Fate: bellcord.CallFinished, Images: []bellcord.Image{{Type: "image/png", Data: make([]byte, size)}}}
		})}
	}
}

// images returns the images in the results of a request.
func images(req llm.Request) (all []bellcord.Image) {
	for _, m := range req.Messages {
		if m.Role == bellcord.RoleTool {
			all = append(all, m.Images...)
		}
	}
	return all
}

// accepting lets the models with the given names accept images.
func (s *stage) accepting(names string) {
	find := s.agent.Model
	s.agent.Model = func(name string) (react.Model, error) {
		m, err := find(name)
		m.Media.Images, m.Window = strings.Contains(names, name), 0
		return m, err
	}
}

func TestRun_ResultWithImage_ReachesModelInEveryLaterRequest(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{step(1, "show", `{}`), {text: "a picture"}, {text: "again"}}}
	onStage(t, m, "full", showing(100), func(t *testing.T, s *stage) {
		s.accepting("fake/one")
		for _, text := range []string{"look", "and now?"} {
			if r := s.run(text); r.End != bellcord.EndDone {
				t.Fatalf("ended %s", r.End)
			}
		}
		for i, want := range []int{0, 1, 1} {
			if got := images(m.requests[i]); len(got) != want {
				t.Errorf("request %d has %d images", i, len(got))
			}
		}
	})
}

func TestRun_ModelWithoutImages_GetsTextOfEarlierImage(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{step(1, "show", `{}`), {text: "a picture"}, step(2, "show", `{}`), {text: "no picture"}}}
	onStage(t, m, "full", showing(100), func(t *testing.T, s *stage) {
		s.accepting("fake/one")
		s.run("look")
		if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Model: "fake/two"}); err != nil {
			t.Fatal(err)
		}
		s.run("look again")
		last := m.requests[len(m.requests)-1]
		if n := len(images(last)); n != 0 {
			t.Errorf("the model got %d images", n)
		}
		if got := s.resultSent("1"); !strings.Contains(got, "this model does not accept them") {
			t.Errorf("the first result is %q", got)
		}
		if got := s.resultSent("2"); got != "no images" {
			t.Errorf("the second result is %q", got)
		}
	})
}

func TestRun_ManyImages_AreBoundedAndEarlierOnesStay(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{10: 50, 4 << 20: 3} {
		m := &model{}
		for n := range want + 2 {
			m.script = append(m.script, step(n, "show", `{}`))
		}
		onStage(t, m, "full", showing(size), func(t *testing.T, s *stage) {
			s.accepting("fake/one")
			if r := s.run("look"); r.End != bellcord.EndDone {
				t.Fatalf("ended %s: %s", r.End, r.Error)
			}
			last := m.requests[len(m.requests)-1]
			if got := len(images(last)); got != want {
				t.Errorf("of %d bytes each, %d images were sent", size, got)
			}
			results := 0
			for _, msg := range last.Messages {
				if msg.Role != bellcord.RoleTool {
					continue
				}
				if results++; (len(msg.Images) == 1) != (results <= want) || (results > want) != strings.Contains(msg.Text, "omitted: the conversation has") {
					t.Errorf("result %d has %d images: %q", results, len(msg.Images), msg.Text)
				}
			}
		})
	}
}
