package chats

import (
	"fmt"
	"testing"
)

func TestNotices_ManyStrangers_AreBounded(t *testing.T) {
	t.Parallel()
	f := &Front{noticed: map[notice]bool{}}
	for i := range 3 * mostNoticed {
		n := notice{text: fmt.Sprint(i)}
		if !f.isNew(n) {
			t.Fatalf("notice %d was never sent", i)
		}
		if len(f.noticed) < mostNoticed && f.isNew(n) {
			t.Fatalf("notice %d is sent twice", i)
		}
	}
	if len(f.noticed) > mostNoticed {
		t.Errorf("%d notices are kept", len(f.noticed))
	}
}
