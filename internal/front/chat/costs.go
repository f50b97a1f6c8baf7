package chat

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// costs is what a session has used, by model.
func costs(spent []bellcord.Spent) string {
	if len(spent) == 0 {
		return "Nothing has been used yet."
	}
	var lines []string
	total := bellcord.Usage{Exact: true}
	for _, s := range spent {
		lines = append(lines, s.Model+": "+used(s.Usage))
		total = total.Add(s.Usage)
	}
	if len(spent) > 1 {
		lines = append(lines, "in all: "+used(total))
	}
	return strings.Join(lines, "\n")
}

func used(u bellcord.Usage) string {
	text := fmt.Sprintf("%s in (%s cached), %s out", tokens(u.Input), tokens(u.CacheRead), tokens(u.Output))
	if u.Cost > 0 {
		text += ", " + money(u.Cost)
	}
	if !u.Exact {
		text += ", estimated"
	}
	return text
}
