package hub_test

import (
	"context"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// must is for examples only: a program handles its errors.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A session runs one turn at a time. The others wait in its queue, where they can be
// changed.
func ExampleHub_Queue() {
	ctx := context.Background()
	agent := worker{started: make(chan struct{})}
	h, session, done := openHub(ctx, agent)
	defer done()

	must(h.Prompt(session, bellcord.Prompt{Text: "work"}))
	<-agent.started
	first := must(h.Prompt(session, bellcord.Prompt{Text: "write the tests"}))
	second := must(h.Prompt(session, bellcord.Prompt{Text: "write the manual"}))
	if err := h.Edit(first.ID, "write the tests, with examples"); err != nil {
		panic(err)
	}
	if err := h.MoveToFront(second.ID); err != nil {
		panic(err)
	}
	for _, entry := range h.Queue(session) {
		fmt.Println(entry.Position, entry.State, entry.Text)
	}
	// Output:
	// 0 running work
	// 1 queued write the manual
	// 2 queued write the tests, with examples
}

// A prompt with BusyReplace stops the running turn and runs next.
func ExampleHub_Prompt_replace() {
	ctx := context.Background()
	agent := once{worker{started: make(chan struct{})}}
	h, session, done := openHub(ctx, agent)
	defer done()

	wrong := must(h.Prompt(session, bellcord.Prompt{Text: "[wait]"}))
	<-agent.started
	right := must(h.Prompt(session, bellcord.Prompt{Text: "do this instead", WhenBusy: bellcord.BusyReplace}))
	<-right.Settled()
	fmt.Println(wrong.Receipt().End, wrong.Receipt().Cause.Kind)
	fmt.Println(right.Receipt().End)
	// Output:
	// stopped replaced
	// done
}

// once works until it is stopped if the prompt is "[wait]".
type once struct{ worker }

func (o once) Run(ctx context.Context, work *hub.Work) error {
	if work.Prompt.Text == "[wait]" {
		return o.worker.Run(ctx, work)
	}
	return echo{}.Run(ctx, work)
}

// A stop of a session with QueueDrop ends its running turn and those that wait.
func ExampleHub_Stop_session() {
	ctx := context.Background()
	agent := worker{started: make(chan struct{})}
	h, session, done := openHub(ctx, agent)
	defer done()

	must(h.Prompt(session, bellcord.Prompt{Text: "work"}))
	<-agent.started
	must(h.Prompt(session, bellcord.Prompt{Text: "more work"}))
	stop := bellcord.StopSession(session, bellcord.Cause{Kind: bellcord.CausePerson, By: "anna"})
	stop.Queue = bellcord.QueueDrop
	for _, answer := range must(h.Stop(stop).Wait(ctx)) {
		fmt.Printf("%s %q\n", answer.Receipt.End, answer.Receipt.Prompt) // of a turn that never started
	}
	// Output:
	// stopped ""
	// stopped "more work"
}

// A turn that reaches one of its limits is stopped. The receipt names the limit.
func ExampleHub_Prompt_limits() {
	ctx := context.Background()
	h, session, done := openHub(ctx, endless{})
	defer done()

	turn := must(h.Prompt(session, bellcord.Prompt{Text: "try again", MaxSteps: 3, Deadline: time.Minute}))
	<-turn.Settled()
	r := turn.Receipt()
	fmt.Println(r.End, r.Cause.Kind)
	// Output: stopped step_limit
}

// endless is an agent that requests one answer of a model after the other.
type endless struct{}

func (endless) Run(ctx context.Context, work *hub.Work) error {
	for {
		if err := work.Step(ctx, bellcord.StepStarted{Model: "example/model"}); err != nil {
			return err
		}
		if err := work.Emit(bellcord.StepEnded{Finish: "stop"}); err != nil {
			return err
		}
	}
}

// Drain ends every turn and accepts no others, for the end of a program.
func ExampleHub_Drain() {
	ctx := context.Background()
	agent := worker{started: make(chan struct{})}
	h, session, done := openHub(ctx, agent)
	defer done()

	turn := must(h.Prompt(session, bellcord.Prompt{Text: "work"}))
	<-agent.started
	if err := h.Drain(ctx, bellcord.Cause{Kind: bellcord.CauseShutdown, By: "example"}); err != nil {
		panic(err)
	}
	_, err := h.Prompt(session, bellcord.Prompt{Text: "more"})
	fmt.Println(turn.Receipt().End, turn.Receipt().Cause.Kind)
	fmt.Println(err)
	// Output:
	// stopped shutdown
	// shutting down, no new turns
}
