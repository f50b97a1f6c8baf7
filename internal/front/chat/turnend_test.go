package chat_test

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestTurnEnd_Cause_IsNamedUnlessThisUserStopped(t *testing.T) {
	t.Parallel()
	stopped := func(c bellcord.Cause) bellcord.Receipt { return bellcord.Receipt{End: bellcord.EndStopped, Cause: &c} }
	newStage(t).runs("go").ends(stopped(bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Source: "Telegram"})).has("■ stopped after 0.0 s by anna, Telegram · kept: nothing\n")
	newStage(t).runs("go").ends(stopped(bellcord.Cause{Kind: bellcord.CauseDeadline, By: "deadline", Source: "hub"})).has("■ stopped after 0.0 s: time limit · kept: nothing\n")
	s := newStage(t).runs("go")
	s.press("esc")
	s.ends(stopped(bellcord.Cause{Kind: bellcord.CausePerson, By: "me", Source: "terminal"})).has("■ stopped after 0.0 s · kept: nothing\n")
	newStage(t).runs("go").ends(bellcord.Receipt{End: bellcord.EndLost}).has("✗ lost: Bellcord ended during this turn\n")
}

func TestTurnEnd_Calls_AreCountedByWhatIsKept(t *testing.T) {
	t.Parallel()
	s := newStage(t).runs("go").happens(called("a", "shell", `{}`), called("b", "shell", `{}`), called("c", "shell", `{}`))
	one := func(id string) []bellcord.CallRef { return []bellcord.CallRef{{Call: id, Name: "shell"}} }
	s.ends(bellcord.Receipt{
		End: bellcord.EndStopped, Kept: bellcord.Kept{TextBytes: 1, FinishedCalls: 1},
		Calls: bellcord.Calls{Finished: 1, Stopped: one("a"), NotStarted: one("b"), Unknown: one("c")},
	})
	s.has(" · kept: text, 2 results · 1 command not run · ! 1 unknown: may have run\n", "■ shell · not run\n", "✗ shell · unknown: may have run\n")
}

func TestTurnEnd_AnswerIsNotComplete_IsNotShownAsDoneAlone(t *testing.T) {
	t.Parallel()
	ends := func(missing bellcord.Incomplete) *stage {
		return newStage(t).runs("go").ends(bellcord.Receipt{End: bellcord.EndDone, Incomplete: missing}).hasNot("● done")
	}
	ends(bellcord.IncompleteMaxOutput).has("! done 0:00 · cut off at the output limit · /continue\n", "/continue · /receipt")
	ends(bellcord.IncompleteEmpty).has("! done 0:00 · the answer is empty\n")
	ends(bellcord.IncompleteRefused).has("! done 0:00 · refused by the model\n")
}

func TestReceipt_ProcessesAreRecovered_ShowsThemOnce(t *testing.T) {
	t.Parallel()
	lost := bellcord.Receipt{Turn: "t1", End: bellcord.EndLost}
	lost.Processes.Unknown = bellcord.ProcessesNotChecked
	s := newStage(t).runs("go").ends(lost)
	found := bellcord.Processes{Proof: "cgroup_empty", Ended: []bellcord.Process{{PID: 7, Name: "sleep 100", How: "killed"}}}
	s.happens(bellcord.ProcessesRecovered{Turn: "other", Recovery: "0", Processes: found})
	s.enters("/receipt")
	s.has("not known yet")
	for range 2 {
		s.happens(bellcord.ProcessesRecovered{Turn: "t1", Recovery: "1", Processes: found})
	}
	s.enters("/receipt")
	s.has("processes   1 process ended, cgroup empty", "7 killed: sleep 100")
}
