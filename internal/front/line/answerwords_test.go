package line

import (
	"os"
	"strings"
	"testing"
)

func TestAnswerWords_ListOfThePage_IsTheSame(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../web/src/deliberate.ts")
	if err != nil {
		t.Fatal(err)
	}
	if want := "const answerWords = '" + strings.Join(answerWords, "|") + "'.split('|')"; !strings.Contains(string(page), want) {
		t.Errorf("web/src/deliberate.ts does not contain %s", want)
	}
}
