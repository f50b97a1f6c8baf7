package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/edit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const applyPatchDescription = `Change files with a patch:
*** Begin Patch
*** Add File: PATH
+every line of the new file
*** Delete File: PATH
*** Update File: PATH
*** Move to: NEWPATH
@@ a line before the change, such as the head of a function
 context line
-removed line
+added line
*** End Patch
"*** Move to" is optional, and so is the text after @@. Give about three lines of context around each change, so that it has exactly one place. Paths are relative to the working directory. ` +
	"If any part does not fit, no file is changed. Returns what changed."

const applyPatchSchema = `{"type":"object","required":["patch"],"additionalProperties":false,"properties":{"patch":{"type":"string"}}}`

type applyPatchArgs struct {
	Patch string `json:"patch"`
}

// ApplyPatch returns the tool that changes several files inside the session's
// directory with one patch.
func ApplyPatch() Tool {
	return Tool{
		Tool:     llm.Tool{Name: "apply_patch", Description: applyPatchDescription, Schema: json.RawMessage(applyPatchSchema)},
		Effect:   permit.Edits,
		Parts:    patchParts,
		Question: askPatch,
		Check: func(args json.RawMessage) error {
			_, err := parsePatch(args)
			return err
		},
		Preview: previewPatch(onDisk),
		Refuse:  refusePatch(onDisk),
		Run:     applyPatch(onDisk),
	}
}

// Offered returns the tools to offer to a model. Models that are trained on
// patches get apply_patch instead of edit_file. Every tool can be called,
// offered or not.
func Offered(tools []Tool, model string) []Tool {
	hidden := "apply_patch"
	if patchModels().MatchString(strings.ToLower(model)) {
		hidden = "edit_file"
	}
	var all []Tool
	for _, t := range tools {
		if t.Name != hidden {
			all = append(all, t)
		}
	}
	return all
}

// patchModels matches the ids of models that are trained on apply_patch: codex
// models, GPT-4.1, and GPT-5 and later.
var patchModels = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`codex|(?:\A|/)gpt-(?:4\.1|[5-9]|[1-9][0-9])`)
})

func parsePatch(args json.RawMessage) ([]edit.FilePatch, error) {
	a, err := parse[applyPatchArgs](args)
	if err == nil && strings.TrimSpace(a.Patch) == "" {
		err = errors.New("arguments: patch is missing")
	}
	if err != nil {
		return nil, err
	}
	files, err := edit.ParsePatch(a.Patch)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range files {
		for _, path := range []string{f.Path, f.MoveTo} {
			clean := filepath.Clean(path)
			if path != "" && seen[clean] {
				return nil, fmt.Errorf("the patch names %s twice; put all changes of a file into one section", workspace.Shown(path))
			}
			seen[clean] = path != ""
		}
		if err := edit.Placeholder(f.Text); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// patchParts returns the calls that a patch stands for. Rules for edit_file and
// write_file apply to it.
func patchParts(args json.RawMessage) []Part {
	files, err := parsePatch(args)
	if err != nil { // checked before
		return nil
	}
	var all []Part
	for _, f := range files {
		if f.Op != edit.Add {
			all = append(all, Part{"edit_file", f.Path})
		}
		if f.Op != edit.Update || f.MoveTo != "" {
			all = append(all, Part{"write_file", f.Path})
		}
		if f.MoveTo != "" {
			all = append(all, Part{"write_file", f.MoveTo})
		}
	}
	return all
}

// mostPatchLines is the maximum number of lines of a patch in a question. The
// changes of the question are complete.
const mostPatchLines = 200

func askPatch(args json.RawMessage) string {
	a, err := parse[applyPatchArgs](args)
	files, _ := parsePatch(args)
	if err != nil || len(files) == 0 { // checked before
		return "Apply a patch?"
	}
	var names []string
	for _, f := range files {
		names = append(names, workspace.Shown(f.Path))
		if f.MoveTo != "" {
			names = append(names, workspace.Shown(f.MoveTo))
		}
	}
	return fmt.Sprintf("Apply a patch to %s?\n%s", strings.Join(names, ", "), diffLines("", a.Patch, mostPatchLines))
}

// previewPatch returns the Preview function of apply_patch.
func previewPatch(open opener) func(context.Context, Call) []bellcord.Change {
	return func(ctx context.Context, call Call) []bellcord.Change {
		files, err := parsePatch(call.Args)
		if err != nil {
			return nil
		}
		plan, err := planPatch(ctx, open, call, files)
		defer plan.close()
		if err != nil {
			return nil
		}
		var all []bellcord.Change
		for _, s := range plan {
			all = append(all, s.changes(call)...)
		}
		return all
	}
}

// refusePatch returns the Refuse function of apply_patch: nobody is asked about a
// patch that does not fit.
func refusePatch(open opener) func(context.Context, Call) error {
	return func(ctx context.Context, call Call) error {
		files, err := parsePatch(call.Args)
		if err != nil {
			return err
		}
		plan, err := planPatch(ctx, open, call, files)
		defer plan.close()
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
}

// applyPatch returns the Run function of apply_patch.
func applyPatch(open opener) func(context.Context, Call) Result {
	return func(ctx context.Context, call Call) Result {
		files, err := parsePatch(call.Args)
		if err != nil {
			return failed(err)
		}
		plan, err := planPatch(ctx, open, call, files)
		defer plan.close()
		switch {
		case ctx.Err() != nil:
			return Result{Text: "[stopped before anything was written: no file is changed]", Fate: bellcord.CallStopped}
		case err != nil:
			return failed(fmt.Errorf("%w\nNo file was changed", err))
		}
		return plan.carryOut(ctx, call)
	}
}
