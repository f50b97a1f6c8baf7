package chat_test

import (
	"strings"
	"testing"
)

func TestHelp_Keys_ComeFirstAndFitInto80Columns(t *testing.T) {
	t.Parallel()
	s := newStage(t).types("?")
	var groups []string
	for line := range strings.Lines(s.screen(80, 24)) {
		if word, _, found := strings.Cut(line, " "); found && word != "" && word[0] != '/' {
			groups = append(groups, word)
		}
	}
	if got := strings.Join(groups, " "); got != "Help Stop Send Write Recall Look Answer Queue Exit" {
		t.Errorf("the groups are %s:\n%s", got, s.screen(80, 24))
	}
}

func TestOverlay_WhileATurnRuns_NamesTheKeyThatStops(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").types("?")
	s.hasAt(80, spread(80, "Help", "up, down scroll · esc or ? closes · ctrl+c stops"))
	s.hasAt(40, spread(40, "Help", "esc closes"))
	s.press("esc")
	s.types("/mo").hasAt(80, "  tab completes · enter runs · esc closes · ctrl+c stops")
	s.hasAt(80, " ›/model  change the model: provider/model (now openai/fake)")
	s = newStage(t).types("/mo").hasAt(80, "  tab completes · enter runs · esc closes")
	s.press("esc")
	s.runs("go").press("ctrl+r")
	s.has(" · esc closes · ctrl+c stops\n")
}
