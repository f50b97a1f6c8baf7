package bellcord_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
)

func TestCheckName_LongOrInvalidName_IsRejected(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("a", bellcord.MaxName+1), "a\x00", "\xff", "\xed\xa0\x80"} {
		if err := bellcord.CheckName("the name", name); !errors.Is(err, bellcord.ErrRejected) {
			t.Errorf("%.20q: %v, want ErrRejected", name, err)
		}
	}
	for _, name := range []string{"", "openai/gpt", strings.Repeat("a", bellcord.MaxName), "漢"} {
		if err := bellcord.CheckName("the name", name); err != nil {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

func TestValidName_AnyName_IsAcceptedAndStaysDifferent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("漢", 5_000)
	seen := map[string]string{}
	for _, name := range []string{"", "call_1", long, long + "a", long + "b", "\xff", "\xfe", "a\x00", "a\x01\x00", strings.Repeat("\xff", 300), strings.Repeat("\xff", 301)} {
		valid := bellcord.ValidName(name)
		if err := bellcord.CheckName("the name", valid); err != nil {
			t.Errorf("%.20q becomes %q: %v", name, valid, err)
		}
		if other, taken := seen[valid]; taken {
			t.Errorf("%.20q and %.20q become %q", name, other, valid)
		}
		seen[valid] = name
		if again := bellcord.ValidName(valid); again != valid {
			t.Errorf("%q becomes %q", valid, again)
		}
	}
	if got := bellcord.ValidName("call_1"); got != "call_1" {
		t.Errorf("call_1 becomes %q", got)
	}
	if title := bellcord.ValidTitle(long); len(title) > bellcord.MaxTitle || !utf8.ValidString(title) || !strings.HasPrefix(long, title) {
		t.Errorf("the title is %d bytes", len(title))
	}
}
