package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// asking is an agent that asks before it deletes a file.
type asking struct{}

func (asking) Run(ctx context.Context, work *hub.Work) error {
	choice, err := work.Ask(ctx, bellcord.Question{Text: "Delete notes.txt?", Choices: []bellcord.Choice{
		{ID: "yes", Text: "Delete it", Kind: "allow_once"}, {ID: "no", Text: "Keep it", Kind: "reject_once"},
	}})
	if err != nil {
		return err // the turn was stopped: the question is withdrawn
	}
	return work.Emit(bellcord.TextDelta{Text: "The answer was " + choice + "."})
}

// An agent waits for an answer to its question. A stop ends the wait.
func ExampleWork_Ask() {
	ctx := context.Background()
	h, session, done := openHub(ctx, asking{})
	defer done()

	turn := must(h.Prompt(session, bellcord.Prompt{Text: "tidy up"}))
	cursor := must(h.Events(ctx, session, 0))
	defer cursor.Close()
	for asked := false; !asked; {
		for _, ev := range must(cursor.Next(ctx)) {
			if opened, is := ev.Body.(bellcord.QuestionOpened); is {
				fmt.Println(opened.Question.Text)
				if err := h.Answer(turn.ID, opened.Question.ID, bellcord.Reply{Choice: "no"}, "anna"); err != nil {
					panic(err)
				}
				asked = true
			}
		}
	}
	<-turn.Settled()
	fmt.Println(must(h.TurnAnswer(ctx, turn.ID)).Text)
	// Output:
	// Delete notes.txt?
	// The answer was no.
}

// reporting is an agent that reports what only its own program understands.
type reporting struct{}

func (reporting) Run(_ context.Context, work *hub.Work) error {
	return work.Emit(bellcord.CustomEvent{Name: "example.progress", Data: json.RawMessage(`{"percent":50}`)})
}

// A program records its own events in the log, and reads them from there. With the
// number of the last event that it has read, it continues where it ended.
func ExampleHub_Events_resume() {
	ctx := context.Background()
	h, session, done := openHub(ctx, reporting{})
	defer done()

	turn := must(h.Prompt(session, bellcord.Prompt{Text: "work"}))
	<-turn.Settled()
	const seen = 2 // turn_accepted and turn_started
	cursor := must(h.Events(ctx, session, seen))
	defer cursor.Close()
	for _, ev := range must(cursor.Next(ctx)) {
		if own, is := ev.Body.(bellcord.CustomEvent); is {
			fmt.Println(ev.Seq, own.Name, string(own.Data))
		}
	}
	// Output: 3 example.progress {"percent":50}
}

// caller is an agent whose tool call runs until it is stopped. Asked what happened, it
// repeats the conversation that a model would read.
type caller struct{ started chan struct{} }

func (c caller) Run(ctx context.Context, work *hub.Work) error {
	if work.Prompt.Text == "what happened?" {
		return tell(ctx, work)
	}
	if err := work.Step(ctx, bellcord.StepStarted{Model: "example/model"}); err != nil {
		return err
	}
	for _, b := range []bellcord.Body{
		bellcord.ToolCallRequested{Call: "c1", Name: "shell", Arguments: json.RawMessage(`{"command":"make"}`)},
		bellcord.ToolCallStarted{Call: "c1"},
		bellcord.ToolOutputDelta{Call: "c1", Text: "compiling"},
	} {
		if err := work.Emit(b); err != nil {
			return err
		}
	}
	close(c.started)
	<-ctx.Done()
	return context.Cause(ctx)
}

func tell(ctx context.Context, work *hub.Work) error {
	messages, err := work.History(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&text, "%s says %q\n", m.Role, m.Text)
		for _, call := range m.Calls {
			fmt.Fprintf(&text, "calls %s %s\n", call.Name, call.Arguments)
		}
	}
	return work.Emit(bellcord.TextDelta{Text: text.String()})
}

// After a stop the conversation is complete: the model of the next turn reads what the
// call had printed, and that it was stopped.
func ExampleWork_History() {
	ctx := context.Background()
	agent := caller{started: make(chan struct{})}
	h, session, done := openHub(ctx, agent)
	defer done()

	turn := must(h.Prompt(session, bellcord.Prompt{Text: "build it"}))
	<-agent.started
	must(h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson, By: "anna"})).Wait(ctx))
	next := must(h.Prompt(session, bellcord.Prompt{Text: "what happened?"}))
	<-next.Settled()
	fmt.Print(must(h.TurnAnswer(ctx, next.ID)).Text)
	// Output:
	// user says "build it"
	// assistant says ""
	// calls shell {"command":"make"}
	// tool says "[output so far]\ncompiling\n[stopped while running; it may have had effects]"
	// user says "[the previous turn was stopped before it was complete]\n\nwhat happened?"
}
