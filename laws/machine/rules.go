package machine

// Rules are what the product keeps. Each can be switched off, to see that the
// auditor notices.
type Rules struct {
	// Of the store's statements.
	AcceptChecksNode    bool // a node whose row was removed accepts nothing
	ClaimChecksOwner    bool // a turn is claimed by the node that has it
	ClaimChecksLease    bool // a claim needs a lease; it renews one that ran out, if the node's row is there
	ClaimChecksSession  bool // a claim waits while another turn of the session runs
	AppendIsFenced      bool // an append needs the fence
	AppendIsNumbered    bool // an append follows the one before it, and is made once
	FinishIsFenced      bool // a finish needs the fence
	FinishIsOnce        bool // a turn that has ended does not end again
	FinishHeedsStop     bool // with a stop on record that cuts now, the end is stopped
	StopIsRecorded      bool // a stop is acknowledged once it is on record, not once it is sent
	EarlyStopIsKept     bool // a stop for a turn that has not come is kept for it
	FenceHasNode        bool // the fence compares the node, whose id is used once
	FenceHasNumber      bool // the fence compares the number
	TakeOverRaisesFence bool // a take-over raises the number
	RepeatIsAnswered    bool // an op that was carried out before is answered as it was then
	RepeatWaits         bool // a repeated commit waits for the locks of the one that it repeats

	// Of the nodes.
	LostAnswerIsNoFailure bool // a commit whose answer was lost is repeated as it was, not made anew
	LostAnswerIsNoSuccess bool // nor is it taken for done
	LateEndIsFollowed     bool // an end that nobody waits for any more is still seen through
	FencedNodeEnds        bool // a node that was taken for dead ends its turns, and then itself
	ClaimHearsStop        bool // the stop in the answer to a claim is heard before the agent runs
	StopNamesItsTurn      bool // a stop that comes over the bus is for its turn, not for what runs
	IntentBeforeEffect    bool // a tool starts once its call is durable
	LeaseBeforeEffect     bool // a tool starts under a lease that holds
	LeaseFromAsking       bool // a lease counts from before it was asked for, not from the answer
	LeaseHasMargin        bool // a lease is believed for less than its time, clocks differ in rate
	DurableBeforeShown    bool // what a watcher sees is in the store
}

// Product returns the rules with all of them kept, as the product does.
func Product() Rules {
	return Rules{
		AcceptChecksNode: true,
		ClaimChecksOwner: true, ClaimChecksLease: true, ClaimChecksSession: true,
		AppendIsFenced: true, AppendIsNumbered: true,
		FinishIsFenced: true, FinishIsOnce: true, FinishHeedsStop: true,
		StopIsRecorded: true, EarlyStopIsKept: true,
		FenceHasNode: true, FenceHasNumber: true, TakeOverRaisesFence: true,
		RepeatIsAnswered: true, RepeatWaits: true,

		LostAnswerIsNoFailure: true, LostAnswerIsNoSuccess: true, LateEndIsFollowed: true,
		FencedNodeEnds: true, ClaimHearsStop: true, StopNamesItsTurn: true,
		IntentBeforeEffect: true, LeaseBeforeEffect: true, LeaseFromAsking: true, LeaseHasMargin: true,
		DurableBeforeShown: true,
	}
}
