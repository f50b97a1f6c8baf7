package drive

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func permissionProbes() []probe {
	inCall := func(member string) func(*Visit) Finding {
		return func(v *Visit) Finding {
			var stages []string
			for _, name := range toolStages {
				for _, p := range v.stage(name).received("session/request_permission") {
					value := at(p, "toolCall", member)
					if list, isList := value.([]any); value != nil && (!isList || len(list) > 0) {
						stages = append(stages, name)
					}
				}
			}
			return all(member+" in a permission request", stages)
		}
	}
	return []probe{
		{"permission: the agent's options", permissionOptions},
		{"permission: kind", inCall("kind")},
		{"permission: rawInput", inCall("rawInput")},
		{"permission: diff", permissionDiff},
		{"permission: locations", inCall("locations")},
	}
}

func permissionOptions(v *Visit) Finding {
	var options []string
	for _, name := range toolStages {
		for _, p := range v.stage(name).received("session/request_permission") {
			for _, o := range listAt(p, "options") {
				options = append(options, textAt(o, "kind")+" "+textAt(o, "name"))
			}
		}
	}
	return all("permission request", options)
}

func permissionDiff(v *Visit) Finding {
	var calls []object
	for _, name := range []string{"create", "change", "patch"} {
		for _, p := range v.stage(name).received("session/request_permission") {
			if call, is := p["toolCall"].(object); is {
				calls = append(calls, call)
			}
		}
	}
	return diffIn(v, calls)
}

func contentProbes() []probe {
	return []probe{
		{"images", func(v *Visit) Finding { return v.reaches("image", "image", hasImage) }},
		{"embedded resource", func(v *Visit) Finding { return v.reaches("resource", "embeddedContext", contains(embeddedText)) }},
		{"resource link", func(v *Visit) Finding { return v.reaches("link", "", contains("resource.txt")) }},
		{"thoughts", func(v *Visit) Finding {
			return when(len(v.stage("thought").updates("agent_thought_chunk")) > 0, "agent_thought_chunk")
		}},
	}
}

func contains(text string) func([]byte) bool {
	return func(raw []byte) bool { return bytes.Contains(raw, []byte(text)) }
}

// hasImage reports whether a request has an image, in any format. Some agents change its size.
func hasImage(raw []byte) bool {
	return slices.ContainsFunc([]string{pixel[:40], "data:image/", `"inlineData"`, `"media_type":"image/`}, func(sign string) bool { return bytes.Contains(raw, []byte(sign)) })
}

// reaches checks that a part of the prompt is in a request to the model.
func (v *Visit) reaches(name, capability string, has func([]byte) bool) Finding {
	if capability != "" && !isSet(at(v.stage("initialize").result, "agentCapabilities", "promptCapabilities", capability)) {
		return none("promptCapabilities.%s is not offered", capability)
	}
	if f, is := v.tried(name); is {
		return f
	}
	found := slices.ContainsFunc(v.stage(name).requests, func(q fakemodel.Request) bool { return has(q.Raw) })
	return when(found, "in the request to the model")
}

func reportProbes() []probe {
	return []probe{
		{"usage with size", usageSize},
		{"usage with cost", usageCost},
		{"usage in the answer", usageInAnswer},
		{"notices", func(v *Visit) Finding { return v.kindSeen("notice") }},
		{"compaction updates", func(v *Visit) Finding { return v.kindSeen("compaction_update") }},
		{"questions as forms (elicitation)", elicitation},
		{"questions of MCP servers", mcpElicitation},
		{"message ids", messageIDs},
		{"title of the session", func(v *Visit) Finding { return v.kindSeen("session_info_update") }},
		{"other kinds of updates", otherKinds},
		{"other requests and notifications", otherMethods},
		{"_meta of updates", metaOfUpdates},
		{"_meta of initialize", metaOfInitialize},
		{"_meta of answers", metaOfAnswers},
	}
}

// everywhere returns the updates of all stages but those of the bare preparation.
func (v *Visit) everywhere(kinds ...string) []object {
	var found []object
	for _, name := range v.order {
		if name != "own" {
			found = append(found, v.stage(name).updates(kinds...)...)
		}
	}
	return found
}

func (v *Visit) kindSeen(kind string) Finding {
	if found := v.everywhere(kind); len(found) > 0 {
		return yes("%s", encode(found[0]))
	}
	return no("no %s", kind)
}

func usageSize(v *Visit) Finding {
	var sizes []string
	for _, u := range v.everywhere("usage_update") {
		if size, is := u["size"].(float64); is && size > 0 {
			sizes = append(sizes, fmt.Sprint(int64(size)))
		}
	}
	return all("usage_update with a size", sizes)
}

func usageCost(v *Visit) Finding {
	for _, u := range v.everywhere("usage_update") {
		if cost, is := u["cost"].(object); is {
			return yes("%s", encode(cost))
		}
	}
	return no("no cost")
}

func usageInAnswer(v *Visit) Finding {
	if usage := at(v.stage("hello").result, "usage"); usage != nil {
		return yes("%s", encode(usage))
	}
	return no("no usage in the answer")
}

func elicitation(v *Visit) Finding {
	if f, is := v.tried("question"); is {
		return f
	}
	if questions := v.stage("question").received("elicitation/create"); len(questions) > 0 {
		return yes("%s", encode(questions[0]["message"]))
	}
	return no("no elicitation/create")
}

func mcpElicitation(v *Visit) Finding {
	if f, is := v.tried("mcp asks"); is {
		return f
	}
	if questions := v.stage("mcp asks").received("elicitation/create"); len(questions) > 0 {
		return yes("%s", encode(questions[0]["message"]))
	}
	return no("no elicitation/create")
}

func messageIDs(v *Visit) Finding {
	var kinds []string
	for _, u := range v.everywhere("agent_message_chunk", "agent_thought_chunk") {
		if textAt(u, "messageId") != "" {
			kinds = append(kinds, textAt(u, "sessionUpdate"))
		}
	}
	return all("messageId", kinds)
}

// knownKinds have separate rows.
var knownKinds = []string{
	"agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call", "tool_call_update", "plan", "available_commands_update",
	"current_mode_update", "config_option_update", "session_info_update", "usage_update", "notice", "compaction_update",
}

func otherKinds(v *Visit) Finding {
	var kinds []string
	for _, u := range v.everywhere() {
		if kind := textAt(u, "sessionUpdate"); !slices.Contains(knownKinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return all("other kind", kinds)
}

// knownMethods have separate rows, or need none.
var knownMethods = []string{
	"session/update", "session/request_permission", "fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output", "terminal/wait_for_exit",
	"terminal/kill", "terminal/release", "elicitation/create", "elicitation/complete", "$/cancel_request",
}

// otherMethods returns the extensions that the agent uses.
func otherMethods(v *Visit) Finding {
	var methods []string
	for _, name := range v.order {
		if name == "own" {
			continue
		}
		for _, f := range v.stage(name).frames {
			if m := f.method(); m != "" && !f.sent && !slices.Contains(knownMethods, m) {
				methods = append(methods, m)
			}
		}
	}
	return all("other method", methods)
}

func metaOfUpdates(v *Visit) Finding {
	var names []string
	for _, u := range v.everywhere() {
		names = append(names, metaMembers(u, textAt(u, "sessionUpdate"))...)
	}
	return all("_meta", names)
}

func metaOfInitialize(v *Visit) Finding {
	return all("_meta", metaMembers(v.stage("initialize").result, "result"))
}

// metaOfAnswers returns the members of _meta in the answers to each method.
func metaOfAnswers(v *Visit) Finding {
	var names []string
	for _, name := range v.order {
		if name == "own" {
			continue
		}
		methods := map[any]string{}
		for _, f := range v.stage(name).frames {
			if f.sent && f.isRequest() {
				methods[f.body["id"]] = f.method()
			} else if method := methods[f.body["id"]]; method != "" && !f.sent && f.method() == "" {
				names = append(names, metaMembers(f.body["result"], method)...)
			}
		}
	}
	return all("_meta", names)
}

func sessionProbes() []probe {
	return []probe{
		{"login methods", func(v *Visit) Finding {
			return all("login method", textsAt(listAt(v.stage("initialize").result, "authMethods"), "id"))
		}},
		{"logout", func(v *Visit) Finding { return v.works("logout") }},
		{"the agent's own sessions listed", ownListed},
		{"an own session loaded", ownLoaded},
		{"an own session continued", ownContinued},
		{"delete", func(v *Visit) Finding { return v.works("delete") }},
		{"load after a restart", loaded},
		{"resume after a restart", func(v *Visit) Finding { return v.works("resume", "resume prompt") }},
		{"fork", func(v *Visit) Finding { return v.works("fork", "fork prompt") }},
		{"close", func(v *Visit) Finding { return v.works("close") }},
		{"steering", steered},
	}
}

func (v *Visit) works(names ...string) Finding {
	if f, is := v.tried(names...); is {
		return f
	}
	return yes("answered")
}

func ownListed(v *Visit) Finding {
	if f, is := v.tried("list"); is {
		return f
	}
	ids := textsAt(listAt(v.stage("list").result, "sessions"), "sessionId")
	return when(slices.Contains(ids, v.ownSession), fmt.Sprintf("%d sessions", len(ids)))
}

func ownLoaded(v *Visit) Finding {
	if f, is := v.tried("load own"); is {
		return f
	}
	for _, u := range v.stage("load own").updates("agent_message_chunk") {
		if hasText(u, ownText) {
			return yes("its text was replayed")
		}
	}
	return when(strings.Contains(v.stage("load own").text(), ownText), "its text was replayed")
}

func ownContinued(v *Visit) Finding {
	if f, is := v.tried("own prompt"); is {
		return f
	}
	for _, q := range v.stage("own prompt").requests {
		if strings.Contains(string(q.Raw), ownText) {
			return yes("the model received its history")
		}
	}
	return no("the model did not receive its history")
}

func loaded(v *Visit) Finding {
	if f, is := v.tried("load"); is {
		return f
	}
	var kinds []string
	for _, u := range v.stage("load").updates("user_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update") {
		kinds = append(kinds, textAt(u, "sessionUpdate"))
	}
	return all("replayed update", kinds)
}

func steered(v *Visit) Finding {
	if f, is := v.tried("steer"); is {
		return f
	}
	return when(textAt(v.stage("steer").result, "outcome") == "injected", fmt.Sprintf("outcome %q", textAt(v.stage("steer").result, "outcome")))
}
