package acp_test

import (
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// thoughtLevel returns the option of the category thought_level, or nil.
func thoughtLevel(options any) obj {
	all, _ := options.([]any)
	for _, o := range all {
		if o.(obj)["category"] == "thought_level" {
			return o.(obj)
		}
	}
	return nil
}

func TestEffort_ModelWithEfforts_IsAnOptionThatCanBeSet(t *testing.T) {
	t.Parallel()
	efforts := func(c *acp.Config) {
		c.Efforts = func(model string) []string {
			if model == "fake/one" {
				return []string{"low", "high"}
			}
			return nil
		}
	}
	edit(t, echoes, efforts, func(t *testing.T, e *editor) {
		set := func(id string, value any) frame {
			t.Helper()
			return e.request("session/set_config_option", obj{"sessionId": e.session, "configId": id, "value": value})
		}
		made := e.request("session/resume", obj{"sessionId": e.session, "cwd": e.dir, "mcpServers": []any{}})
		if o := thoughtLevel(made.Result["configOptions"]); o == nil || o["currentValue"] != "default" || len(o["options"].([]any)) != 3 {
			t.Errorf("the session has the option %v", o)
		}
		synctest.Wait()
		from := e.count()
		if o := thoughtLevel(set("effort", "high").Result["configOptions"]); o["currentValue"] != "high" {
			t.Errorf("answered %v", o)
		}
		synctest.Wait()
		if got := e.since(from); len(got) != 1 {
			t.Errorf("told %q, want one update of the options", got)
		}
		if v, err := e.store.Session(t.Context(), bellcord.SessionID(e.session)); err != nil || v.Effort != "high" {
			t.Errorf("stored %+v, %v", v, err)
		}
		for _, value := range []any{"extreme", "", true} {
			if f := set("effort", value); f.Error == nil || f.Error.Code != -32602 {
				t.Errorf("effort %v: %+v %v", value, f.Error, f.Result)
			}
		}
		if o := thoughtLevel(set("model", "fake/two").Result["configOptions"]); o != nil {
			t.Errorf("a model without efforts has the option %v", o)
		}
		if f := set("effort", "low"); f.Error == nil {
			t.Errorf("set for a model without efforts: %v", f.Result)
		}
	})
}
