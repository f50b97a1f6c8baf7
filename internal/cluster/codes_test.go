package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A node of another version may have another text for the same error.
func TestErrorOf_AnotherTextOfTheSameCode_ReturnsTheSameError(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, entry := range codes {
		if entry.code == "" || seen[entry.code] {
			t.Errorf("code %q of %q is empty or not unique", entry.code, entry.err)
		}
		seen[entry.code] = true
		var sent reply
		sent.Code, sent.Error = codeOf(fmt.Errorf("accept: %w", entry.err))
		sent.Error = "other words"
		data, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		var got reply
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if err := errorOf(got.Code, got.Error); !errors.Is(err, entry.err) {
			t.Errorf("%s arrives as %v, want %v", data, err, entry.err)
		}
	}
}

// localErrors are the errors of the core that no reply of a node contains, with
// the reason.
var localErrors = map[string]string{
	"ErrWithdrawn":    "Accept returns the reason of the withdrawal instead",
	"ErrStopRecorded": "the hub that ends the turn handles it",
	"ErrNotCommitted": "marks another error",
	"ErrStoreLost":    "is part of ErrStoreDown",
	"ErrDamaged":      "the node that reads the store returns it",
}

func TestCodes_EveryErrorOfTheCore_HasACodeOrAReason(t *testing.T) {
	t.Parallel()
	listed, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	core, err := os.ReadFile("../../errors.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^(?:var |\t)(Err\w+)\s+= errors.New`).FindAllSubmatch(core, -1) {
		name := string(match[1])
		if has := strings.Contains(string(listed), "bellcord."+name+"}"); has == (localErrors[name] != "") {
			t.Errorf("%s: has a code %v, is local because %q; it must be one of the two", name, has, localErrors[name])
		}
	}
}

func TestErrorOf_UnknownCodeOrNone_KeepsTheText(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "of-a-newer-version"} {
		if err := errorOf(code, "no luck"); err == nil || err.Error() != "no luck" {
			t.Errorf("code %q: %v", code, err)
		}
	}
	if err := errorOf(codeOf(nil)); err != nil {
		t.Errorf("success arrives as %v", err)
	}
	if err := errorOf("of-a-newer-version", ""); err == nil {
		t.Error("an error with a code and no text arrives as success")
	}
}
