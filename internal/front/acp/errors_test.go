package acp_test

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestRequest_Invalid_RepliesWithItsErrorCode(t *testing.T) {
	t.Parallel()
	const nowhere = "00000000-0000-7000-8000-000000000000"
	text := []obj{{"type": "text", "text": "hello"}}
	tests := []struct {
		name   string
		method string
		params obj // "here" stands for the open session
		code   int
	}{
		{"a method that nobody knows", "session/fork", obj{}, -32601},
		{"an extension that nobody knows", "_ours/status", obj{}, -32601},
		{"a session in a directory that is not absolute", "session/new", obj{"cwd": "here"}, -32602},
		{"a prompt to a session that does not exist", "session/prompt", obj{"sessionId": nowhere, "prompt": text}, -32002},
		{"the close of a session that does not exist", "session/close", obj{"sessionId": nowhere}, -32002},
		{"the load of a session that does not exist", "session/load", obj{"sessionId": nowhere, "cwd": "/"}, -32002},
		{"the resume of a session that does not exist", "session/resume", obj{"sessionId": nowhere, "cwd": "/"}, -32002},
		{"a mode for a session that does not exist", "session/set_mode", obj{"sessionId": nowhere, "modeId": "full"}, -32002},
		{"a prompt of the wrong type", "session/prompt", obj{"sessionId": "here", "prompt": "hello"}, -32602},
		{"a prompt that says nothing", "session/prompt", obj{"sessionId": "here", "prompt": []obj{{"type": "text", "text": " \n"}}}, -32602},
		{"a prompt with a picture of nothing", "session/prompt", obj{"sessionId": "here", "prompt": []obj{{"type": "image", "data": "", "mimeType": "image/png"}}}, -32602},
		{"a prompt with a resource that is no text", "session/prompt", obj{"sessionId": "here", "prompt": []obj{{"type": "resource", "resource": obj{"uri": "file:///x", "blob": "AA=="}}}}, -32602},
		{"a prompt that is too long", "session/prompt", obj{"sessionId": "here", "prompt": []obj{{"type": "text", "text": strings.Repeat("a", 1<<20+1)}}}, -32602},
		{"a mode that does not exist", "session/set_mode", obj{"sessionId": "here", "modeId": "yolo"}, -32602},
		{"no mode", "session/set_mode", obj{"sessionId": "here"}, -32602},
		{"an option that does not exist", "session/set_config_option", obj{"sessionId": "here", "configId": "colour", "value": "red"}, -32602},
		{"a model that does not exist", "session/set_config_option", obj{"sessionId": "here", "configId": "model", "value": "fake/three"}, -32602},
		{"a page that does not exist", "session/list", obj{"cursor": "next"}, -32602},
		{"an initialize of the wrong type", "initialize", obj{"clientInfo": "vim"}, -32602},
	}
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		for _, test := range tests {
			if test.params["sessionId"] == "here" {
				test.params["sessionId"] = e.session
			}
			f := e.request(test.method, test.params)
			if f.Error == nil || f.Error.Code != test.code || f.Error.Message == "" {
				t.Errorf("%s: answered %v %+v, want %d", test.name, f.Result, f.Error, test.code)
			}
		}
		if left := e.hub.Unsettled(); len(left) > 0 {
			t.Errorf("%d turns were started", len(left))
		}
	})
}

func TestRequest_UnknownSessionOrNotification_IsNoError(t *testing.T) {
	t.Parallel()
	edit(t, waits, nil, func(t *testing.T, e *editor) {
		if f := e.request("session/delete", obj{"sessionId": "never was"}); f.Error != nil || f.Result == nil {
			t.Errorf("the delete of an unknown session was answered %+v", f)
		}
		before := e.count()
		e.notify("session/cancel", obj{"sessionId": "never was"})
		e.notify("session/cancel", nil)
		e.notify("$/cancel_request", obj{"requestId": "never was"})
		e.notify("$/progress", obj{})
		e.notify("_ours/hint", obj{})
		synctest.Wait()
		if after := e.count(); after != before {
			t.Errorf("notifications were answered: %+v", e.frames[before:])
		}
	})
}
