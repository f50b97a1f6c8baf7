//go:build linux

// The documents use programs that other systems do not have, such as setsid and timeout.

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/short"
)

// notRun contains the documents with commands that a test cannot run, and the reason.
var notRun = map[string]string{
	"docs/dev/agent-eval.md":  "commands that take minutes; TestEval_FastCases_AreSolved runs some of the cases",
	"docs/agents.md":          "agents of other programs; peers/matrix has them",
	"docs/how-agents-stop.md": "agents of other programs; TestProbe_URLOfAServer_PassesWhatNeedsNoProcess runs it",
	"docs/dev/tests.md":       "commands of a checkout and agents of other programs",
	"docs/page.md":            "a person's browser; peers/page has one",
	"docs/models.md":          "a fake model at the port that people use",
}

// runElsewhere contains the documents that need more than a new installation, and the tests that run
// all of their commands.
var runElsewhere = map[string]func(*testing.T){
	"docs/http.md":                TestDocs_HTTPCommands_ReturnShownAnswers,
	"docs/tutorial-bot.md":        TestDocs_BotTutorial_PrintsShownOutput,
	"docs/tutorial-go.md":         TestDocs_GoTutorial_PrintsShownOutput,
	"docs/tutorial-terminal.md":   TestDocs_TerminalTutorial_PrintsShownOutput,
	"docs/tutorial-typescript.md": TestDocs_TypeScriptTutorial_PrintsShownOutput,
}

// The test runs every sh block of every document, those of one document in one shell, in the
// environment of a new installation.
func TestDocs_ShellBlocks_PrintShownOutput(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for _, document := range documents(t) {
		all := blocks(t, filepath.Join("..", "..", document))
		if runElsewhere[document] != nil {
			continue
		}
		switch reason, excused := notRun[document]; {
		case excused && len(all) == 0:
			t.Errorf("%s is not run (%s), but there is nothing in it to run", document, reason)
		case !excused && len(all) > 0:
			t.Run(document, func(t *testing.T) {
				t.Parallel()
				r := newReader(t)
				tutorial := strings.HasPrefix(document, "docs/tutorial-")
				if tutorial {
					r.hasSettings()
				}
				r.follows(r.elsewhere(all, "4500"))
				if tutorial {
					r.leavesNothing()
				}
			})
		}
	}
}
