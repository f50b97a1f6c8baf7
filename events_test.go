package bellcord_test

import (
	"go/ast"
	"go/constant"
	"go/types"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/typecheck"
)

// consumer is code that has to do something with every kind of event, or to
// leave it out on purpose. The kinds that it handles are read from the cases of
// its type switches; the others are listed here with the reason.
type consumer struct {
	does      string
	path      string
	functions []string
	ignores   map[string]string // reason -> names of body types
}

var consumers = []consumer{
	{"messages for the model", "history", []string{"historian.read", "historian.work", "rewinds.add"}, map[string]string{
		"says how the turn went, not what was said": "StopRequested StepEnded ModelRetryScheduled UsageReported SideRequestStarted SideRequestEnded FilesScanned",
		"is shown to people only":                   "PlanUpdated AgentUpdate CustomEvent",
		"is between a person and the program":       "QuestionOpened QuestionAnswered",
		"is about the session":                      "AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded",
	}},
	{"a turn's answer", "history", []string{"AnswerBuilder.Add"}, map[string]string{
		"is the prompt":                             "TurnAccepted PromptEdited AttachmentLoaded MessageImported",
		"is shown to people only":                   "PlanUpdated AgentUpdate CustomEvent",
		"says how the turn went, not what was said": "TurnStarted StopRequested StepEnded ModelRetryScheduled UsageReported SideRequestStarted SideRequestEnded FilesScanned",
		"only the model needs it":                   "ThinkingSigned ContextAdded",
		"the result has it":                         "ToolOutputDelta",
		"is between a person and the program":       "QuestionOpened QuestionAnswered",
		"is about the session":                      "ConversationCompacted ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
	}},
	{"receipts and usage", "lifecycle", []string{"LostTurn.Observe", "Tally.Observe", "meter.observe"}, map[string]string{
		"the turn's record has it":       "TurnAccepted PromptEdited StopRequested TurnEnded",
		"costs nothing and is no result": "ToolCallUpdated PlanUpdated AgentUpdate CustomEvent MessageImported AttachmentLoaded ContextAdded ThinkingSigned ToolOutputDelta ModelRetryScheduled ConversationCompacted FilesScanned",
		"is about the session":           "ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
	}},
	{"limits on the size of what an agent emits", "hub", []string{"bounds.apply"}, map[string]string{
		"is not emitted by an agent": "TurnAccepted PromptEdited TurnStarted StopRequested TurnEnded ConversationCleared ConversationRewound SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
		"is small":                   "UsageReported QuestionAnswered ModelRetryScheduled StepEnded SideRequestStarted SideRequestEnded ToolCallStarted AgentSessionOpened FilesScanned",
		"is bounded by its producer": "AttachmentLoaded ContextAdded ThinkingSigned QuestionOpened ConversationCompacted",
	}},
	{"bytes of events in memory", "hub/internal/commitlog", []string{"sizeOf"}, map[string]string{
		"has no long text": "TurnStarted StopRequested StepStarted UsageReported ToolCallStarted SideRequestStarted SideRequestEnded ConversationCleared ConversationRewound AgentSessionOpened ProcessConfirmed FilesScanned",
	}},
	{"secrets hidden in failures", "hub", []string{"withoutSecrets"}, map[string]string{
		"has no text of a failure":      "ToolCallUpdated PlanUpdated AgentUpdate CustomEvent MessageImported TurnAccepted PromptEdited TurnStarted StopRequested StepStarted StepEnded AttachmentLoaded ContextAdded UsageReported ThinkingDelta ThinkingSigned TextDelta ToolCallStarted ToolOutputDelta QuestionOpened QuestionAnswered SideRequestStarted SideRequestEnded ConversationCompacted ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone FilesScanned",
		"the hub hides it in its error": "TurnEnded",
	}},
	{"metrics", "internal/telemetry", []string{"Metrics.Watch"}, map[string]string{
		"is counted by its kind, like all": "ToolCallUpdated PlanUpdated AgentUpdate CustomEvent MessageImported TurnAccepted PromptEdited TurnStarted StopRequested StepStarted StepEnded AttachmentLoaded ContextAdded UsageReported ThinkingDelta ThinkingSigned TextDelta ToolCallRequested ToolCallStarted ToolOutputDelta ToolCallEnded QuestionAnswered SideRequestStarted SideRequestEnded ConversationCompacted ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone FilesScanned",
	}},
	{"push messages", "internal/push", []string{"Notifier.Watch"}, map[string]string{
		"needs nobody's attention": "ToolCallUpdated PlanUpdated AgentUpdate CustomEvent MessageImported TurnAccepted PromptEdited TurnStarted StopRequested StepStarted StepEnded AttachmentLoaded ContextAdded UsageReported ThinkingDelta ThinkingSigned TextDelta ToolCallRequested ToolCallStarted ToolOutputDelta ToolCallEnded QuestionAnswered SideRequestStarted SideRequestEnded ConversationCompacted ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone ModelRetryScheduled FilesScanned",
	}},
	{"traces", "internal/telemetry", []string{"Traces.addNote", "turnTrace.addBody"}, untraced},
	{"traces without text", "internal/telemetry", []string{"wordless"}, untraced},
	{"searches", "internal/sessionsearch", []string{"textOf"}, map[string]string{
		"is not a prompt or an answer": "TurnStarted StopRequested StepStarted StepEnded ModelRetryScheduled UsageReported SideRequestStarted SideRequestEnded AttachmentLoaded ContextAdded ThinkingDelta ThinkingSigned ToolCallRequested ToolCallUpdated ToolCallStarted ToolOutputDelta ToolCallEnded PlanUpdated AgentUpdate CustomEvent QuestionOpened QuestionAnswered ConversationCompacted ConversationCleared ConversationRewound TurnEnded FilesScanned",
		"is about the session":         "AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
	}},
	{"shares", "internal/front/web", []string{"snapshot.add", "snapshot.addTo"}, map[string]string{
		"says how the turn went; its end has the outcome": "TurnStarted StopRequested StepStarted StepEnded ModelRetryScheduled UsageReported SideRequestStarted SideRequestEnded FilesScanned",
		"is not shared":                       "ThinkingDelta ThinkingSigned AttachmentLoaded ContextAdded AgentUpdate CustomEvent MessageImported PlanUpdated",
		"the call and its result are shown":   "ToolCallStarted ToolOutputDelta",
		"is between a person and the program": "QuestionOpened QuestionAnswered ConversationCompacted ConversationRewound",
		"is about the session":                "AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
	}},
	{"transcripts", "internal/transcript", []string{"Markdown.writeBody"}, map[string]string{
		"says how the turn went; its end has the outcome": "TurnStarted StopRequested StepStarted StepEnded ModelRetryScheduled UsageReported SideRequestStarted SideRequestEnded FilesScanned",
		"the prompt names it":                             "AttachmentLoaded",
		"only the model needs it":                         "ThinkingSigned ContextAdded",
		"the call and its result are shown":               "ToolCallStarted ToolOutputDelta",
		"the result says what was allowed":                "QuestionOpened QuestionAnswered AnswerForwarded",
		"is about the session":                            "AgentSessionOpened SessionUpdated",
		"has no text":                                     "AgentUpdate CustomEvent",
	}},
	{"lines of bellcord run", "internal/front/line", []string{"View.Follow", "View.Show"}, map[string]string{
		"is what the user typed":            "TurnAccepted PromptEdited AttachmentLoaded QuestionAnswered",
		"a line would say nothing new":      "TurnStarted StepStarted StepEnded ToolCallStarted",
		"thinking and output are not shown": "ThinkingDelta ThinkingSigned ToolOutputDelta",
		"only the model needs it":           "ContextAdded",
		"the receipt has the usage":         "UsageReported SideRequestStarted SideRequestEnded",
		"is about the session":              "ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated",
		"comes after the turn's end":        "ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
		"has no text":                       "AgentUpdate CustomEvent",
	}},
	{"lines of a watched session", "internal/front/line", []string{"Watch.Show", "Watch.note", "View.Show"}, map[string]string{
		"the prompt names it":          "AttachmentLoaded",
		"a line would say nothing new": "StepStarted StepEnded ToolCallStarted",
		"thinking is not shown":        "ThinkingDelta ThinkingSigned",
		"only the model needs it":      "ContextAdded",
		"the receipt has the usage":    "UsageReported SideRequestStarted SideRequestEnded",
		"is about the session":         "ConversationCleared AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded",
		"has no text":                  "AgentUpdate CustomEvent",
	}},
	{"the terminal", "internal/front/chat", []string{"story.life", "story.work", "meter.count"}, map[string]string{
		"the prompt names it":      "AttachmentLoaded",
		"only the model needs it":  "ThinkingSigned ContextAdded",
		"the status has the agent": "AgentSessionOpened",
		"the turn has the answer":  "AnswerForwarded",
		"has no text":              "AgentUpdate CustomEvent",
	}},
	{"texts that cannot control a terminal", "internal/front/chat", []string{"tame"}, map[string]string{
		"has no text that is printed":        "AgentUpdate CustomEvent AnswerForwarded StopRequested StepStarted StepEnded AttachmentLoaded ContextAdded UsageReported ThinkingDelta ThinkingSigned ToolCallStarted ToolOutputDelta SideRequestStarted SideRequestEnded ConversationCompacted ConversationCleared ConversationRewound AgentSessionOpened SessionUpdated ChangesRecorded Undone FilesScanned",
		"line.Watch makes its text harmless": "MessageImported TurnAccepted PromptEdited TurnStarted QuestionAnswered",
	}},
	{"chats", "internal/front/chats", []string{"chat.showEvent", "shared.past", "content.apply"}, map[string]string{
		"the user's own message shows it": "PromptEdited AttachmentLoaded",
		"only the model needs it":         "ThinkingSigned ContextAdded",
		"a chat shows calls, not output":  "ToolCallStarted ToolOutputDelta AgentUpdate CustomEvent MessageImported",
		"the receipt has the usage":       "StepEnded UsageReported SideRequestStarted SideRequestEnded",
		"is about the session":            "ConversationCompacted ConversationRewound AgentSessionOpened SessionUpdated ProcessConfirmed AnswerForwarded",
	}},
}

var untraced = map[string]string{
	"has no duration":            "ToolCallUpdated PlanUpdated AgentUpdate CustomEvent MessageImported PromptEdited AttachmentLoaded ContextAdded UsageReported ConversationCompacted AgentSessionOpened FilesScanned",
	"would have text in a trace": "ThinkingDelta ThinkingSigned TextDelta ToolOutputDelta",
	"belongs to no turn's trace": "ConversationCleared ConversationRewound SessionUpdated ProcessConfirmed AnswerForwarded ProcessesRecovered ChangesRecorded Undone",
}

func TestEvents_EveryKind_IsHandledOrIgnoredByEveryConsumer(t *testing.T) {
	t.Parallel()
	all := bodyNames(t)
	m := typecheck.List(t, "./...")
	for _, c := range consumers {
		pkg := m.Load(t, module+"/"+c.path)
		handled, missing := cases(pkg, c.functions)
		for _, f := range missing {
			t.Errorf("%s: %s has no function %s", c.does, c.path, f)
		}
		check(t, c.does+" ("+c.path+")", all, handled, c.ignores)
	}
}

// The page is not Go: it has the kinds as keys of a table, and as strings that it
// compares.
func TestEvents_EveryKind_IsHandledOrIgnoredByThePage(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("web/src/record.ts")
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := bellcord.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	handled := map[string]bool{}
	for kind, body := range kinds {
		if regexp.MustCompile(`(?m)^  ` + kind + `: \(|ev\.kind === '` + kind + `'`).Match(source) {
			handled[reflect.TypeOf(body).Name()] = true
		}
	}
	check(t, "the page (web/src/record.ts)", bodyNames(t), handled, map[string]string{
		"the prompt names it":        "AttachmentLoaded",
		"only the model needs it":    "ThinkingSigned ContextAdded",
		"the receipt has the usage":  "UsageReported",
		"the session has its agent":  "AgentSessionOpened",
		"the page shows no late end": "ProcessConfirmed",
		"the turn has the answer":    "AnswerForwarded",
		"has no text":                "AgentUpdate CustomEvent",
	})
}

func check(t *testing.T, reader string, all []string, handled map[string]bool, ignores map[string]string) {
	t.Helper()
	ignored := map[string]string{}
	for reason, names := range ignores {
		for name := range strings.FieldsSeq(names) {
			ignored[name] = reason
			if !slices.Contains(all, name) {
				t.Errorf("%s ignores %s, which is not an event", reader, name)
			}
		}
	}
	if handled[unknown] {
		t.Errorf("%s handles events of an unknown kind; they are ignored", reader)
	}
	for _, name := range all {
		switch reason, is := ignored[name]; {
		case is && handled[name]:
			t.Errorf("%s handles %s, and is listed to ignore it (%s)", reader, name, reason)
		case !is && !handled[name]:
			t.Errorf("%s forgets %s: handle it, or list it with the reason why it is ignored", reader, name)
		}
	}
}

// unknown is the type of events that this version does not have. Every consumer
// ignores it.
const unknown = "UnknownEvent"

// bodyNames lists the types that implement Body, and requires that DecodeBody
// reads each of them.
func bodyNames(t *testing.T) []string {
	t.Helper()
	core, err := typecheck.List(t, module).Import(module)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := core.Scope().Lookup("Body").Type().Underlying().(*types.Interface)
	var all []string
	for _, name := range core.Scope().Names() {
		o, is := core.Scope().Lookup(name).(*types.TypeName)
		if is && name != unknown && !types.IsInterface(o.Type()) && types.Implements(o.Type(), body) {
			all = append(all, name)
		}
	}
	kinds, err := bellcord.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	var decoded []string
	for kind, body := range kinds {
		if body.Kind() != kind {
			t.Errorf("%q is decoded as %T, whose kind is %q", kind, body, body.Kind())
		}
		decoded = append(decoded, reflect.TypeOf(body).Name())
	}
	if slices.Sort(decoded); !slices.Equal(all, decoded) {
		t.Errorf("there are %d event types, and DecodeBody reads %d:\n%q\n%q", len(all), len(decoded), all, decoded)
	}
	return all
}

// cases returns the types of the core that are cases of type switches, or are
// asserted, in the given functions.
func cases(pkg typecheck.Package, functions []string) (found map[string]bool, missing []string) {
	found, missing = map[string]bool{}, slices.Clone(functions)
	pkg.Functions(func(name string, body *ast.BlockStmt) {
		if !slices.Contains(functions, name) {
			return
		}
		missing = slices.DeleteFunc(missing, func(f string) bool { return f == name })
		ast.Inspect(body, func(n ast.Node) bool {
			var list []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				list = n.List
			case *ast.TypeAssertExpr:
				list = []ast.Expr{n.Type} // nil in a type switch
			}
			for _, e := range list {
				if named, is := types.Unalias(pkg.Info.TypeOf(e)).(*types.Named); is && pkg.Info.Types[e].IsType() && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == module {
					found[named.Obj().Name()] = true
				}
			}
			return true
		})
	})
	return found, missing
}

// A list or a table of stop causes is not a switch: no linter sees that one is
// missing.
func TestCauses_EveryKind_IsInTheMetricsAndOnThePage(t *testing.T) {
	t.Parallel()
	m := typecheck.List(t, module+"/internal/telemetry")
	core, err := m.Import(module)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("web/src/turn.tsx")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for id, o := range m.Load(t, module+"/internal/telemetry").Info.Uses {
		listed[id.Name] = listed[id.Name] || o.Pkg() == core
	}
	causes := 0
	for _, name := range core.Scope().Names() {
		c, is := core.Scope().Lookup(name).(*types.Const)
		if !is || c.Type() != core.Scope().Lookup("CauseKind").Type() {
			continue
		}
		causes++
		kind := constant.StringVal(c.Val())
		if !listed[name] {
			t.Errorf("%s is not among the causes in internal/telemetry", name)
		}
		if kind != string(bellcord.CausePerson) && !strings.Contains(string(page), kind+": '") {
			t.Errorf("the page has no words for %s", name)
		}
	}
	if causes == 0 {
		t.Error("no causes were found")
	}
}
