package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// replyTo sends a message from Anna and returns the bot's reply.
func (s *stage) replyTo(text string) string {
	s.Helper()
	before := len(s.bot(anna))
	s.sendText(anna, text)
	s.pass(3 * time.Second)
	got := s.bot(anna)
	if len(got) != before+1 {
		s.Fatalf("%s is answered with %q", text, got[before:])
	}
	return got[before]
}

// labels returns the button labels of the bot's last message.
func (s *stage) labels(chat int64) (words []string) {
	s.Helper()
	if m := s.last(chat); m.Markup != nil {
		for _, b := range slices.Concat(m.Markup.Rows...) {
			words = append(words, b.Text)
		}
	}
	return words
}

func TestAgent_ChosenByNameOrButton_StartsNewSession(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/agent"); got != "Agent: bellcord\n\nChoosing another agent starts a new session." {
			t.Errorf("it says %q", got)
		}
		if got := s.labels(anna); !slices.Equal(got, []string{"bellcord", "pi"}) {
			t.Errorf("it offers %q", got)
		}
		s.replyTo("say With bellcord.")
		s.press(anna, anna, "pi")
		s.pass(3 * time.Second)
		if got := s.last(anna).Text; got != "Agent: pi. Your next message starts a new session with it." {
			t.Errorf("after the press it says %q", got)
		}
		s.replyTo("say With pi.")
		if got := s.replyTo("/agent nobody"); got != "There is no agent called nobody. Send /agent to see them all." {
			t.Errorf("of one that is not there it says %q", got)
		}
		s.replyTo("/agent bellcord")
		s.replyTo("say With bellcord again.")
		var agents []string
		for _, found := range s.sessions("anna") {
			agents = append(agents, found.Agent)
		}
		if want := []string{"", "pi", ""}; !slices.Equal(agents, want) {
			t.Errorf("the agents are %q", agents)
		}
	})
}

func TestAgent_ChosenDuringTurn_TurnContinuesAndIsShown(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(time.Second)
		s.sendText(anna, "/agent pi")
		s.pass(10 * time.Second)
		got := s.bot(anna)
		if len(got) != 2 || !strings.HasSuffix(got[1], "word49") {
			t.Errorf("the chat shows %q", got)
		}
	})
}

func TestModel_Chosen_AnswersInTheSameSession(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/model"); got != "Model: the agent's default" {
			t.Errorf("it says %q", got)
		}
		s.replyTo("/model fake/one")
		s.replyTo("say First.")
		if got := s.replyTo("/model"); got != "Model: fake/one" {
			t.Errorf("it says %q", got)
		}
		s.press(anna, anna, "fake/two")
		s.pass(3 * time.Second)
		if got := s.last(anna).Text; got != "Model: fake/two, from your next message on." {
			t.Errorf("after the press it says %q", got)
		}
		if got := s.replyTo("/model fake/three"); got != "There is no model called fake/three. Send /model to see them all." {
			t.Errorf("of one that is not there it says %q", got)
		}
		s.replyTo("say Second.")
		all := s.sessions("anna")
		if len(all) != 1 || all[0].Model != "fake/two" {
			t.Errorf("the sessions are %+v", all)
		}
	})
}

func TestSessions_SeveralOwners_ListsOwnSessionsAndMarksTheCurrent(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/sessions"); got != "There are no sessions yet." {
			t.Errorf("it says %q", got)
		}
		s.sendText(ben, "say Of ben.")
		s.replyTo("say The first.")
		s.replyTo("/new")
		s.replyTo("say The second.")
		s.replyTo("/sessions")
		got := s.labels(anna)
		if len(got) != 2 || !strings.HasPrefix(got[0], "● say The second.") || !strings.HasPrefix(got[1], "say The first.") {
			t.Errorf("it offers %q", got)
		}
		if answer := s.forge(anna, "o:"+string(s.sessions("ben")[0].ID)); answer != "That session no longer exists." {
			t.Errorf("another's conversation is %q", answer)
		}
		s.press(anna, anna, "The first")
		s.pass(3 * time.Second)
		if got := s.replyTo("recall"); !strings.Contains(got, "The first.") || strings.Contains(got, "The second.") || strings.Contains(got, "Of ben.") {
			t.Errorf("in the first one it knows %q", got)
		}
	})
}

func TestCost_SeveralSessions_ReportsCurrentSessionAndToday(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/cost"); got != "Today: 0 tokens, $0" {
			t.Errorf("before anything was said: %q", got)
		}
		s.sendText(ben, "spend 7000 7000")
		s.replyTo("spend 1000 500\nsay One.")
		if got := s.replyTo("/cost"); got != "This session: 1500 tokens, $0.001500\nToday: 1500 tokens, $0.001500" {
			t.Errorf("after one answer: %q", got)
		}
		s.replyTo("/new")
		s.replyTo("spend 20 30\nsay Two.")
		if got := s.replyTo("/cost"); got != "This session: 50 tokens, $0.000050\nToday: 1550 tokens, $0.001550" {
			t.Errorf("in a new conversation: %q", got)
		}
	})
}

func TestStatus_EachStateOfATurn_IsReported(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		status := func(want string) {
			t.Helper()
			s.sendText(anna, "/status")
			s.pass(2500 * time.Millisecond)
			for _, text := range slices.Backward(s.bot(anna)) {
				if strings.Contains(text, "Nothing is running") || strings.HasPrefix(text, "●") || strings.HasPrefix(text, "■") {
					if !strings.HasPrefix(text, want) {
						t.Errorf("the status is %q, not %q", text, want)
					}
					return
				}
			}
			t.Errorf("there is no status: %q", s.bot(anna))
		}
		status("Nothing is running. Your next message starts a session.")
		s.replyTo("say Hello.")
		status("Nothing is running.\n\nSession: say Hello.\nAgent: bellcord")
		s.sendText(anna, "say Words.\nstubborn 6s")
		s.pass(5 * time.Second)
		status("● Running for 5.0 s.\n")
		s.sendText(anna, "say Later.")
		s.pass(3 * time.Second)
		status("● Running for 10 s. 1 message queued.\n")
		s.sendText(anna, "/stop")
		status("■ Stopping. 1 message queued.\n")
		s.pass(10 * time.Second)
		status("Nothing is running. 1 message queued.\n")
	})
}

func TestStatus_OpenQuestion_ReportsThatItWaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "ask May I?")
		s.pass(3 * time.Second)
		if got := s.replyTo("/status"); !strings.HasPrefix(got, "● Running for 3.0 s, waiting for your answer.\n") {
			t.Errorf("the status is %q", got)
		}
	})
}

func TestUnknownCommand_AnyLength_IsReported(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/nonsense"); got != "Unknown command /nonsense (see /help); to send it as text, write //nonsense." {
			t.Errorf("it says %q", got)
		}
		s.replyTo("say Hello.")
		for _, command := range []string{"/", "/agent ", "/model ", "/file "} {
			if got := s.replyTo(command + strings.Repeat("x", 4096-len(command))); !strings.Contains(got, "xxx") {
				t.Errorf("it says %q", got)
			}
		}
	})
}
