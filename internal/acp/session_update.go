package acp

import (
	"encoding/json"
	"reflect"
)

// SessionUpdate contains one update.
type SessionUpdate struct{ Value Update }

// Update is one of ToolCall, ToolCallUpdate, Plan, Notice, UnknownUpdate, RawUpdate,
// and the types of this package with a name that ends in Chunk or Update.
type Update interface{ kind() string }

// UnknownUpdate is the kind of an update that Bellcord does not decode.
type UnknownUpdate string

// RawUpdate is an update of a hosted agent that is passed on as it is.
type RawUpdate json.RawMessage

func (RawUpdate) kind() string { return "" }

// RawChunk returns a chunk of the kind of like, with content that is passed on as
// it is.
func RawChunk(like Update, content any) RawUpdate {
	update, err := json.Marshal(map[string]any{"sessionUpdate": like.kind(), "content": content})
	if err != nil { // cannot happen: content is valid JSON
		return nil
	}
	return update
}

func (UserMessageChunk) kind() string        { return "user_message_chunk" }
func (AgentMessageChunk) kind() string       { return "agent_message_chunk" }
func (AgentThoughtChunk) kind() string       { return "agent_thought_chunk" }
func (ToolCall) kind() string                { return "tool_call" }
func (ToolCallUpdate) kind() string          { return "tool_call_update" }
func (Plan) kind() string                    { return "plan" }
func (AvailableCommandsUpdate) kind() string { return "available_commands_update" }
func (CurrentModeUpdate) kind() string       { return "current_mode_update" }
func (ConfigOptionUpdate) kind() string      { return "config_option_update" }
func (SessionInfoUpdate) kind() string       { return "session_info_update" }
func (UsageUpdate) kind() string             { return "usage_update" }
func (Notice) kind() string                  { return "notice" }
func (CompactionUpdate) kind() string        { return "compaction_update" }
func (u UnknownUpdate) kind() string         { return string(u) }

var updates = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, u := range []Update{
		UserMessageChunk{},
		AgentMessageChunk{},
		AgentThoughtChunk{},
		ToolCall{},
		ToolCallUpdate{},
		Plan{},
		AvailableCommandsUpdate{},
		CurrentModeUpdate{},
		ConfigOptionUpdate{},
		SessionInfoUpdate{},
		UsageUpdate{},
		Notice{},
		CompactionUpdate{},
	} {
		types[u.kind()] = reflect.TypeOf(u)
	}
	return types
}()

// Kind returns the kind of the update, such as agent_message_chunk, or "" if
// there is no update.
func (u SessionUpdate) Kind() string {
	if u.Value == nil {
		return ""
	}
	return u.Value.kind()
}

// MarshalJSON implements json.Marshaler. It adds the kind to the members of the
// update.
func (u SessionUpdate) MarshalJSON() ([]byte, error) {
	if raw, is := u.Value.(RawUpdate); is {
		return raw, nil
	}
	if u.Value == nil {
		return []byte("null"), nil
	}
	return WithKind(u.Kind(), u.Value)
}

// WithKind returns the members of an update as a JSON object with their kind.
func WithKind(kind string, update any) ([]byte, error) {
	members, err := json.Marshal(update)
	if err != nil {
		return nil, err
	}
	tag := `{"sessionUpdate":"` + kind + `"`
	if len(members) > len("{}") {
		tag += ","
	}
	return append([]byte(tag), members[1:]...), nil
}

// UnmarshalJSON implements json.Unmarshaler. It decodes the type that the kind
// selects, with Decode.
func (u *SessionUpdate) UnmarshalJSON(data []byte) error {
	var tag struct {
		Kind string `json:"sessionUpdate"`
	}
	if err := Decode(data, &tag); err != nil {
		return err
	}
	known := updates[tag.Kind]
	if known == nil {
		u.Value = UnknownUpdate(tag.Kind)
		return nil
	}
	v := reflect.New(known)
	err := Decode(data, v.Interface())
	u.Value = v.Elem().Interface().(Update)
	return err
}
