package chat_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
)

const prices = "| Name | Price |\n|---|--:|\n| tea | 2.50 |\n| **cake** with cream | 12.00 |\n"

// answered returns the screen of an answer, without styles.
func answered(t *testing.T, text string, width int) string {
	t.Helper()
	s := newStage(t).runs("go").happens(bellcord.TextDelta{Text: text + "\n\nafter it\n"})
	return s.screen(width, 40)
}

func TestTable_Fits_IsDrawnInColumns(t *testing.T) {
	t.Parallel()
	want := strings.Join([]string{
		"Name            │ Price",
		"────────────────┼──────",
		"tea             │  2.50",
		"cake with cream │ 12.00",
		"",
		"after it",
	}, "\n")
	if got := answered(t, prices, 60); !strings.Contains(got, want) {
		t.Errorf("the screen is\n%s\nwant\n%s", got, want)
	}
}

func TestTable_TooWide_WrapsItsCells(t *testing.T) {
	t.Parallel()
	got := answered(t, prices, 18)
	for _, want := range []string{"Name     ", "cake with", "cream", "12.00"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on the screen:\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > 18 {
			t.Errorf("%q has %d columns", line, w)
		}
	}
}

func TestTable_TooManyColumns_IsDrawnAsRecords(t *testing.T) {
	t.Parallel()
	got := answered(t, "| First name | Last name | Town of birth |\n|---|---|---|\n| Ada Augusta | Lovelace | London Town |\n", 20)
	if !strings.Contains(got, "First name: Ada") || !strings.Contains(got, "Last name: Lovelace") {
		t.Errorf("the screen is\n%s", got)
	}
}

func TestTable_RowsWithOtherNumbersOfCells_KeepTheColumns(t *testing.T) {
	t.Parallel()
	got := answered(t, "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n| x \\| y | z |\n", 60)
	for _, want := range []string{"a     │ b", "1     │\n", "1     │ 2\n", "x | y │ z"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on the screen:\n%s", want, got)
		}
	}
}

func TestTable_LineWithBarsOnly_IsShownAsItIs(t *testing.T) {
	t.Parallel()
	if got := answered(t, "| not | a table |\n| at all |\n", 60); !strings.Contains(got, "| not | a table |") {
		t.Errorf("the screen is\n%s", got)
	}
}
