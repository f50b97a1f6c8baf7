package machine

// Rules are the rules of the product. Each can be switched off to check that the
// auditor detects it.
type Rules struct {
	// Rules of the store's statements.
	AcceptChecksNode    bool // a node without a row cannot accept a turn
	ClaimChecksOwner    bool // only the node that owns a turn can claim it
	ClaimChecksLease    bool // a claim needs a lease; it renews an expired one if the node's row exists
	ClaimChecksSession  bool // a claim fails while another turn of the session is running
	AppendIsFenced      bool // an append needs the fence
	AppendIsNumbered    bool // an append follows the previous one and is applied once
	FinishIsFenced      bool // a finish needs the fence
	FinishIsOnce        bool // a turn cannot end twice
	FinishHeedsStop     bool // with a recorded stop that cuts now, the end is stopped
	StopIsRecorded      bool // a stop is acknowledged when it is recorded, not when it is sent
	EarlyStopIsKept     bool // a stop for a turn that does not exist yet is kept for it
	QueuedStopCuts      bool // a stop of a turn that has not started cuts now, also one that waits for a step
	ScopeIsRecorded     bool // a stop of a scope is acknowledged when it is recorded for the turns of other nodes
	ScopeHasTaken       bool // a stop of a scope is also recorded for turns that its node has taken over
	ScopeUsesOneClock   bool // a stop of a scope and the turns have times of the database, not of the nodes
	ScopeSparesLater    bool // a stop of a scope does not affect turns that were sent after it
	ScopeHasOwner       bool // a stop of an owner's turns does not affect those of other owners
	FenceHasNode        bool // the fence compares the node, which has a unique ID
	FenceHasNumber      bool // the fence compares the number
	TakeOverRaisesFence bool // a takeover increments the number
	RepeatIsAnswered    bool // a repeated op gets the same answer as the first one
	RepeatWaits         bool // a repeated commit waits for the locks of the first one

	// Rules of the nodes.
	LostAnswerIsNoFailure bool // a commit with a lost answer is repeated unchanged, not with new ops
	LostAnswerIsNoSuccess bool // nor is it treated as a success
	LateEndIsFollowed     bool // an end without a waiter is still completed
	FencedNodeEnds        bool // a node that was taken over ends its turns and exits
	ClaimAppliesStop      bool // a stop in the answer to a claim applies before the agent runs
	StopNamesItsTurn      bool // a stop from the bus applies to its turn only, not to the running one
	IntentBeforeEffect    bool // a tool starts only when its call is durable
	LeaseBeforeEffect     bool // a tool starts only under a valid lease
	LeaseFromRequest      bool // a lease counts from its request, not from the answer
	LeaseHasMargin        bool // a node counts on less than the full lease, because clocks differ in rate
	DurableBeforeShown    bool // a watcher receives only stored events
}

// Product returns the rules of the product: all are on.
func Product() Rules {
	return Rules{
		AcceptChecksNode: true,
		ClaimChecksOwner: true, ClaimChecksLease: true, ClaimChecksSession: true,
		AppendIsFenced: true, AppendIsNumbered: true,
		FinishIsFenced: true, FinishIsOnce: true, FinishHeedsStop: true,
		StopIsRecorded: true, EarlyStopIsKept: true, QueuedStopCuts: true,
		ScopeIsRecorded: true, ScopeHasTaken: true, ScopeUsesOneClock: true, ScopeSparesLater: true, ScopeHasOwner: true,
		FenceHasNode: true, FenceHasNumber: true, TakeOverRaisesFence: true,
		RepeatIsAnswered: true, RepeatWaits: true,

		LostAnswerIsNoFailure: true, LostAnswerIsNoSuccess: true, LateEndIsFollowed: true,
		FencedNodeEnds: true, ClaimAppliesStop: true, StopNamesItsTurn: true,
		IntentBeforeEffect: true, LeaseBeforeEffect: true, LeaseFromRequest: true, LeaseHasMargin: true,
		DurableBeforeShown: true,
	}
}
