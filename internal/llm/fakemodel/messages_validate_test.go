package fakemodel_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func signed(thinking string) string {
	sum := sha256.Sum256([]byte("thought of the fake model: " + thinking))
	return hex.EncodeToString(sum[:])
}

func byUser(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func byAssistant(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func messagesRequest(fields string, messages ...string) string {
	if fields != "" {
		fields += ","
	}
	return `{` + fields + `"model":"m","max_tokens":2000,"messages":[` + strings.Join(messages, ",") + `]}`
}

const (
	mText    = `{"type":"text","text":"t"}`
	mCached  = `{"type":"text","text":"t","cache_control":{"type":"ephemeral"}}`
	mImage   = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}`
	mUse     = `{"type":"tool_use","id":"A","name":"f","input":{"x":[1]}}`
	mUseB    = `{"type":"tool_use","id":"B","name":"f","input":{}}`
	mResult  = `{"type":"tool_result","tool_use_id":"A","content":"ra"}`
	mResultB = `{"type":"tool_result","tool_use_id":"B","is_error":true,"content":[{"type":"text","text":"rb"}]}`
	mTool    = `{"name":"f","description":"d","input_schema":{"type":"object"}}`
	mEnabled = `"thinking":{"type":"enabled","budget_tokens":1024}`
	mOff     = `"thinking":{"type":"disabled"}`
)

var (
	mThought  = fmt.Sprintf(`{"type":"thinking","thinking":"hm","signature":%q}`, signed("hm"))
	mRedacted = fmt.Sprintf(`{"type":"redacted_thinking","data":"redacted:x:%s"}`, signed("x"))
)

func TestValidateMessages_ValidRequests_ReturnsNil(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		messagesRequest("", byUser(mText)), messagesRequest(`"stream":true`, `{"role":"user","content":"u"}`),
		messagesRequest(`"system":"s"`, byUser(mImage, mText)), messagesRequest(`"system":[`+mCached+`]`, byUser(mText, mText)),
		messagesRequest("", byUser(mText), byAssistant(mText), byUser(mText)),
		messagesRequest("", byUser(mText), byAssistant(mText, mUse), byUser(mResult)),
		messagesRequest("", byUser(mText), byAssistant(mUse, mUseB), byUser(mResultB, mResult, mText, mImage)),
		messagesRequest("", byUser(mText), byAssistant(mThought, mUse), byUser(mResult)),
		messagesRequest(mOff, byUser(mText), byAssistant(mThought, mText), byUser(mText), byAssistant(mUse), byUser(mResult)),
		messagesRequest(mEnabled, byUser(mText), byAssistant(mThought, mUse), byUser(mResult)),
		messagesRequest(mEnabled, byUser(mText), byAssistant(mRedacted, mUse), byUser(mResult)),
		messagesRequest(mEnabled, byUser(mText), byAssistant(mThought, mUse), byUser(mResult), byAssistant(mUseB), byUser(mResultB)),
		messagesRequest(mEnabled, byUser(mText), byAssistant(mText), byUser(mText)),
		messagesRequest(mEnabled, byUser(mText), byAssistant(mUse), byUser(mResult), byAssistant(mText), byUser(mText)),
		messagesRequest(mEnabled, byUser(mText), byAssistant(mText, mThought, mRedacted, mText), byUser(mText)),
		messagesRequest(`"thinking":{"type":"adaptive","display":"summarized"}`, byUser(mText), byAssistant(mUse), byUser(mResult)),
		messagesRequest(`"tools":[`+mTool+`]`, byUser(mText)),
		messagesRequest(`"system":[`+mCached+`]`, byUser(mCached, mCached), byAssistant(mText), byUser(mCached)),
	} {
		if err := fakemodel.ValidateMessages([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestValidateMessages_InvalidRequests_ReturnsReason(t *testing.T) {
	t.Parallel()
	used := func(use string) string { return messagesRequest("", byUser(mText), byAssistant(use), byUser(mResult)) }
	answered := func(blocks ...string) string {
		return messagesRequest("", byUser(mText), byAssistant(mUse), byUser(blocks...))
	}
	tool := func(old, by string) string {
		return messagesRequest(`"tools":[`+strings.Replace(mTool, old, by, 1)+`]`, byUser(mText))
	}
	for _, tc := range []struct{ body, want string }{
		{``, "request: is missing"},
		{`{`, "request: is not valid json"},
		{"{\"model\":\"\xff\"}", "request: is not valid utf-8"},
		{messagesRequest(`"stream_options":{}`, byUser(mText)), `request: field "stream_options" is not permitted`},
		{`{"max_tokens":1,"messages":[` + byUser(mText) + `]}`, "model: is missing"},
		{`{"model":"m","messages":[` + byUser(mText) + `]}`, "max_tokens: is missing"},
		{`{"model":"m","max_tokens":0,"messages":[` + byUser(mText) + `]}`, "max_tokens: is not above 0"},
		{`{"model":"m","max_tokens":"9","messages":[` + byUser(mText) + `]}`, "max_tokens: is not a whole number"},
		{`{"model":"m","max_tokens":1}`, "messages: is missing"},
		{messagesRequest(""), "messages: is empty"},
		{messagesRequest(`"stream":1`, byUser(mText)), "stream: is not true or false"},
		{messagesRequest(`"system":" "`, byUser(mText)), "system: is empty"},
		{messagesRequest(`"system":[{"type":"text","text":""}]`, byUser(mText)), "system[0]: text: is empty"},
		{messagesRequest(`"system":[`+mImage+`]`, byUser(mText)), `system[0]: block of type "image"`},
		{messagesRequest("", byAssistant(mText), byUser(mText)), `messages[0]: role is "assistant", expected user`},
		{messagesRequest("", byUser(mText), byUser(mText)), `messages[1]: role is "user", expected assistant`},
		{messagesRequest("", `{"role":"system","content":"s"}`), `messages[0]: role is "system"`},
		{messagesRequest("", `{"role":"user","content":"u","name":"n"}`), `messages[0]: field "name" is not permitted`},
		{messagesRequest("", byUser(mText), byAssistant(mText)), "messages[1]: the last message has role assistant"},
		{messagesRequest("", `{"role":"user","content":""}`), "messages[0]: content: is empty"},
		{messagesRequest("", `{"role":"user"}`), "messages[0]: content: is missing"},
		{messagesRequest("", byUser()), "messages[0]: content: is empty"},
		{messagesRequest("", byUser(`{"type":"text","text":" \n"}`)), "messages[0]: content: [0]: text: is empty"},
		{messagesRequest("", byUser(`{"type":"text","text":"t","x":1}`)), `messages[0]: content: [0]: field "x" is not permitted`},
		{messagesRequest("", byUser(`{"type":"audio"}`)), `messages[0]: content: [0]: block of type "audio"`},
		{messagesRequest(`"output_config":{"effort":"extreme"}`, byUser(mText)), `output_config: effort is "extreme"`},
		{messagesRequest(`"output_config":"low"`, byUser(mText)), "output_config: "},
		{messagesRequest("", byUser(mThought, mText)), `messages[0]: content: [0]: block of type "thinking"`},
		{messagesRequest("", byUser(mText), byAssistant(mImage), byUser(mText)), `messages[1]: content: [0]: block of type "image"`},
		{messagesRequest("", byUser(strings.Replace(mImage, "png", "tiff", 1))), "messages[0]: content: [0]: source: media_type"},
		{messagesRequest("", byUser(strings.Replace(mImage, "iVBO", "i?", 1))), "messages[0]: content: [0]: source: data"},
		{messagesRequest("", byUser(strings.Replace(mImage, "base64", "url", 1))), "messages[0]: content: [0]: source: type"},
		{used(strings.Replace(mUse, `"A"`, `"A.1"`, 1)), `messages[1]: content: [0]: id "A.1" does not match`},
		{used(strings.Replace(mUse, `"f"`, `"f g"`, 1)), `messages[1]: content: [0]: name "f g" does not match`},
		{used(strings.Replace(mUse, `{"x":[1]}`, `"{}"`, 1)), "messages[1]: content: [0]: input is not a json object"},
		{used(strings.Replace(mUse, `{"x":[1]}`, `null`, 1)), "messages[1]: content: [0]: input is not a json object"},
		{used(`{"type":"tool_use","id":"A","name":"f"}`), "messages[1]: content: [0]: input is not a json object"},
		{used(mUse + `,` + mUse), `messages[1]: content: [1]: id "A" is a duplicate`},
		{messagesRequest("", byUser(mText), byAssistant(mUse), byUser(mResult), byAssistant(mUse), byUser(mResult)), `messages[3]: content: [0]: id "A" is a duplicate`},
		{used(mUse + `,` + mUseB), "messages[2]: tool_use ids were found without tool_result blocks immediately after: B"},
		{answered(mText), "messages[2]: tool_use ids were found without tool_result blocks immediately after: A"},
		{answered(mText, mResult), "messages[2]: content: [1]: a tool_result comes after a block of type text"},
		{answered(mResult, mResult), `messages[2]: content: [1]: tool_use_id "A" does not match a call`},
		{answered(mResult, mResultB), `messages[2]: content: [1]: tool_use_id "B" does not match a call`},
		{messagesRequest("", byUser(mResult)), `messages[0]: content: [0]: tool_use_id "A" does not match a call`},
		{answered(strings.Replace(mResult, `"ra"`, `""`, 1)), "messages[2]: content: [0]: content: is empty"},
		{answered(strings.Replace(mResult, `"ra"`, `"ra","is_error":1`, 1)), "messages[2]: content: [0]: is_error"},
		{answered(strings.Replace(mResult, `"ra"`, `[`+mUseB+`]`, 1)), "messages[2]: content: [0]: content[0]: block of type"},
		{tool(`"f"`, `"f.g"`), `tools[0]: name "f.g" does not match`},
		{tool(`"object"`, `"array"`), "tools[0]: input_schema: type is not object"},
		{tool(`"input_schema"`, `"parameters"`), `tools[0]: field "parameters" is not permitted`},
		{tool(`"d"`, `""`), "tools[0]: description"},
		{messagesRequest(`"tools":[`+mTool+`,`+mTool+`]`, byUser(mText)), `tools[1]: name "f" is a duplicate`},
		{messagesRequest(`"tools":[]`, byUser(mText)), "tools: is empty"},
		{messagesRequest("", byUser(strings.Replace(mCached, "ephemeral", "x", 1))), "messages[0]: content: [0]: cache_control: type"},
		{messagesRequest(`"system":[`+mCached+`]`, byUser(mCached, mCached, mCached, mCached)), "cache_control: at most 4"},
		{messagesRequest("", byUser(mText), byAssistant(strings.Replace(mThought, "}", `,"cache_control":{}}`, 1), mText), byUser(mText)), `messages[1]: content: [0]: field "cache_control"`},
		{messagesRequest("", byUser(mText), byAssistant(mText, mThought), byUser(mText)), "messages[1]: the final block in an assistant message cannot be thinking"},
		{messagesRequest("", byUser(mText), byAssistant(mRedacted), byUser(mText)), "messages[1]: the final block in an assistant message cannot be thinking"},
		{messagesRequest("", byUser(mText), byAssistant(strings.Replace(mThought, "hm", "ho", 1), mText), byUser(mText)), "messages[1]: content: [0]: invalid signature"},
		{messagesRequest("", byUser(mText), byAssistant(`{"type":"thinking","thinking":"hm"}`, mText), byUser(mText)), "messages[1]: content: [0]: invalid signature"},
		{messagesRequest("", byUser(mText), byAssistant(`{"type":"thinking","signature":"s"}`, mText), byUser(mText)), "messages[1]: content: [0]: thinking: is not a string"},
		{messagesRequest("", byUser(mText), byAssistant(strings.Replace(mRedacted, ":x:", ":y:", 1), mText), byUser(mText)), "messages[1]: content: [0]: invalid data"},
		{messagesRequest(mEnabled, byUser(mText), byAssistant(mUse), byUser(mResult)), "messages[1]: content: [0]: expected thinking or redacted_thinking, but found tool_use"},
		{messagesRequest(mEnabled, byUser(mText), byAssistant(mText, mThought, mUse), byUser(mResult)), "messages[1]: content: [0]: expected thinking or redacted_thinking, but found text"},
		{messagesRequest(mEnabled, byUser(mText), byAssistant(mUse), byUser(mResult), byAssistant(mThought, mUseB), byUser(mResultB)), "messages[1]: content: [0]: expected thinking"},
		{messagesRequest(mEnabled, byUser(mText), byAssistant(mUse), byUser(mResult, mText)), "messages[1]: content: [0]: expected thinking"},
		{messagesRequest(mOff, byUser(mText), byAssistant(mThought, mUse), byUser(mResult), byAssistant(mUseB), byUser(mResultB)), "messages[1]: content: contains thinking, but thinking is disabled"},
		{messagesRequest(strings.Replace(mEnabled, "1024", "1023", 1), byUser(mText)), "thinking: budget_tokens: is below 1024"},
		{messagesRequest(strings.Replace(mEnabled, "1024", "2000", 1), byUser(mText)), "thinking: budget_tokens: is not below max_tokens"},
		{messagesRequest(`"thinking":{"type":"enabled"}`, byUser(mText)), "thinking: budget_tokens: is missing"},
		{messagesRequest(`"thinking":{"type":"adaptive","budget_tokens":1024}`, byUser(mText)), `thinking: field "budget_tokens"`},
		{messagesRequest(`"thinking":{"type":"on"}`, byUser(mText)), `thinking: type "on" is unknown`},
		{messagesRequest(`"temperature":0.5,`+mEnabled, byUser(mText)), "temperature: may not be set"},
	} {
		err := fakemodel.ValidateMessages([]byte(tc.body))
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s\n got: %v\nwant: %s", tc.body, err, tc.want)
		}
	}
}

func TestValidateMessages_TruncatedRequests_ReturnsError(t *testing.T) {
	t.Parallel()
	body := []byte(messagesRequest(mEnabled, byUser(mImage, mCached), byAssistant(mThought, mUse, mUseB), byUser(mResult, mResultB, mText)))
	if err := fakemodel.ValidateMessages(body); err != nil {
		t.Fatal(err)
	}
	for i := range body {
		if err := fakemodel.ValidateMessages(body[:i]); err == nil {
			t.Errorf("passed although cut at byte %d", i)
		}
		for _, damage := range []byte("\x00\"{}[],:n\xff") {
			damaged := append([]byte{}, body...)
			damaged[i] = damage
			_ = fakemodel.ValidateMessages(damaged)
		}
	}
}
