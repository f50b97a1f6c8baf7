package drive

import "slices"

// choice is a setting of the session with its values: a config option, or in older versions of the
// protocol the modes and models of the session.
type choice struct {
	id, category, kind string
	current            any
	values             []string
	method, member     string // how it is set
}

// choicesIn returns the settings in the result of session/new.
func choicesIn(result object) []choice {
	var found []choice
	if modes, is := result["modes"].(object); is {
		found = append(found, choice{
			id: "modes", category: "mode", kind: "select", current: textAt(modes, "currentModeId"),
			values: textsAt(listAt(modes, "availableModes"), "id"), method: "session/set_mode", member: "modeId",
		})
	}
	if models, is := result["models"].(object); is {
		found = append(found, choice{
			id: "models", category: "model", kind: "select", current: textAt(models, "currentModelId"),
			values: textsAt(listAt(models, "availableModels"), "modelId"), method: "session/set_model", member: "modelId",
		})
	}
	for _, option := range listAt(result, "configOptions") {
		found = append(found, choice{
			id: textAt(option, "id"), category: textAt(option, "category"), kind: textAt(option, "type"), current: at(option, "currentValue"),
			values: valuesOf(listAt(option, "options")), method: "session/set_config_option", member: "value",
		})
	}
	return found
}

// valuesOf returns the values of options, which may be grouped.
func valuesOf(options []any) []string {
	values := textsAt(options, "value")
	for _, group := range options {
		values = append(values, valuesOf(listAt(group, "options"))...)
	}
	return values
}

// ofCategory returns the settings of a category; config options come last and take precedence for
// clients that support them.
func ofCategory(choices []choice, category string) []choice {
	var found []choice
	for _, c := range choices {
		if c.category == category {
			found = append(found, c)
		}
	}
	return found
}

// other returns a value that is not the current one: the wanted one if it exists, or the last.
func (c choice) other(value string) (any, bool) {
	if slices.Contains(c.values, value) {
		return value, true
	}
	if c.kind == "boolean" {
		on, is := c.current.(bool)
		return !on, is
	}
	for _, value := range slices.Backward(c.values) {
		if value != c.current {
			return value, true
		}
	}
	return nil, false
}

// set sends the request that changes a setting.
func (v *Visit) set(c choice, value any) (object, error) {
	params := object{"sessionId": v.session, c.member: value}
	if c.method == "session/set_config_option" {
		params["configId"] = c.id
		if c.kind == "boolean" {
			params["type"] = "boolean"
		}
	}
	return v.client.call(v.ctx, c.method, params)
}

// changeSettings sets every kind of setting to another value, and back. The stage of a kind is
// named "set KIND".
func (v *Visit) changeSettings() {
	choices := v.choices()
	for _, category := range []string{"thought_level", "model", "mode", "boolean"} {
		at := slices.IndexFunc(choices, func(c choice) bool {
			_, can := c.other(v.kit.otherModel)
			return can && (c.category == category && c.kind != "boolean" || category == "boolean" && c.kind == "boolean")
		})
		if at < 0 {
			continue
		}
		c := choices[at]
		value, _ := c.other(v.kit.otherModel)
		v.run(v.client, "set "+category, func() (object, error) { return v.set(c, value) })
		v.stages["set "+category].wanted = value
		v.say("after "+category, "[say set]")
		v.run(v.client, "reset "+category, func() (object, error) { return v.set(c, c.current) })
	}
}

// choices returns the newest settings of the session: those of session/new, with config options
// that updates replaced.
func (v *Visit) choices() []choice {
	result := v.stage("new").result
	for _, name := range v.order {
		for _, u := range v.stage(name).updates("config_option_update") {
			if options := listAt(u, "configOptions"); len(options) > 0 {
				newer := object{"configOptions": options}
				for _, member := range []string{"modes", "models"} {
					if result[member] != nil {
						newer[member] = result[member]
					}
				}
				result = newer
			}
		}
	}
	return choicesIn(result)
}
