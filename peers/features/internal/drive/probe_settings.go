package drive

import (
	"fmt"
	"slices"
	"strings"
)

func settingProbes() []probe {
	return []probe{
		{"models to choose", func(v *Visit) Finding { return v.choiceValues("model") }},
		{"a chosen model is used", chosenModel},
		{"effort to choose", func(v *Visit) Finding { return v.choiceValues("thought_level") }},
		{"a chosen effort is kept", func(v *Visit) Finding { return v.chosen("thought_level") }},
		{"modes to choose", func(v *Visit) Finding { return v.choiceValues("mode") }},
		{"a chosen mode is kept", func(v *Visit) Finding { return v.chosen("mode") }},
		{"boolean options", booleans},
		{"a boolean option is kept", func(v *Visit) Finding { return v.chosen("boolean") }},
		{"other options", otherOptions},
	}
}

// choiceValues returns the values of the settings of a category.
func (v *Visit) choiceValues(category string) Finding {
	var values []string
	for _, c := range ofCategory(v.choices(), category) {
		values = append(values, c.values...)
	}
	return all("option of category "+category, values)
}

func booleans(v *Visit) Finding {
	var ids []string
	for _, c := range v.choices() {
		if c.kind == "boolean" {
			ids = append(ids, c.id)
		}
	}
	return all("boolean option", ids)
}

func otherOptions(v *Visit) Finding {
	var ids []string
	for _, c := range v.choices() {
		if c.kind != "boolean" && !slices.Contains([]string{"mode", "model", "thought_level"}, c.category) && !strings.HasPrefix(c.category, "_bellcord") {
			ids = append(ids, c.id)
		}
	}
	return all("other option", ids)
}

// chosenModel compares the model names in the requests before and after the choice.
func chosenModel(v *Visit) Finding {
	if f, is := v.tried("set model", "after model"); is {
		return f
	}
	before, after := modelsOf(v.stage("hello")), modelsOf(v.stage("after model"))
	return when(len(after) > 0 && !slices.Equal(before, after), fmt.Sprintf("requests for %q, then for %q", before, after))
}

func modelsOf(s *stage) []string {
	var names []string
	for _, q := range s.requests {
		names = append(names, q.Model)
	}
	return unique(names)
}

// chosen checks that the answer or an update has the value that was set.
func (v *Visit) chosen(category string) Finding {
	name := "set " + category
	if f, is := v.tried(name); is {
		return f
	}
	s := v.stage(name)
	for _, option := range listAt(s.result, "configOptions") {
		if at(option, "currentValue") == s.wanted {
			return yes("%s is %v", textAt(option, "id"), s.wanted)
		}
	}
	for _, u := range append(s.updates("current_mode_update"), s.updates("config_option_update")...) {
		if textAt(u, "currentModeId") == s.wanted {
			return yes("current_mode_update with %v", s.wanted)
		}
		for _, option := range listAt(u, "configOptions") {
			if at(option, "currentValue") == s.wanted {
				return yes("config_option_update: %s is %v", textAt(option, "id"), s.wanted)
			}
		}
	}
	if listAt(s.result, "configOptions") == nil {
		return yes("accepted %v", s.wanted) // session/set_mode has an empty answer
	}
	return no("no option has the value %v", s.wanted)
}

func commandProbes() []probe {
	return []probe{
		{"commands announced", commandsAnnounced},
		{"a command typed", func(v *Visit) Finding { return v.expanded("command") }},
		{"a command typed right after a stop", func(v *Visit) Finding { return v.expanded("command after stop") }},
		{"compaction by the agent's command", compacted},
	}
}

func commandsAnnounced(v *Visit) Finding {
	var names []string
	for _, name := range v.order {
		if name == "own" {
			continue
		}
		for _, u := range v.stage(name).updates("available_commands_update") {
			names = append(names, announced(listAt(u, "availableCommands"))...)
		}
	}
	return all("available_commands_update", names)
}

// announced returns commands with their descriptions: Bellcord has commands of the same names.
func announced(commands []any) []string {
	var names []string
	for _, c := range commands {
		names = append(names, textAt(c, "name")+": "+textAt(c, "description"))
	}
	return names
}

// expanded checks that the agent recognized a command: the model received its template, or the agent
// answered without its model.
func (v *Visit) expanded(name string) Finding {
	if f, is := v.tried(name); is {
		return f
	}
	if v.kit.builtin != "" && len(v.stage(name).requests) == 0 {
		return when(v.stage(name).text() != "", "the agent answered "+v.stage(name).text())
	}
	for _, q := range v.stage(name).requests {
		if strings.Contains(string(q.Raw), template) && strings.Contains(q.Prompt, template) {
			return yes("the model received the template")
		}
	}
	for _, q := range v.stage(name).requests {
		return no("the model received %q", q.Prompt)
	}
	return no("no request to the model")
}

// compacted checks that the command reached the agent: it makes a summary with the model, or answers
// that there is nothing to do.
func compacted(v *Visit) Finding {
	if f, is := v.tried("compact"); is {
		return f
	}
	s := v.stage("compact")
	if len(s.requests) > 0 && !strings.HasPrefix(strings.TrimSpace(s.requests[0].Prompt), v.kit.compact) {
		return yes("the agent asked its model for a summary")
	}
	if len(s.requests) > 0 {
		return no("the model received %q", s.requests[0].Prompt)
	}
	return no("no request to the model; answer %q", s.text())
}
