package react

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// attach reads the files, or ranges of lines, that the prompt links to, with
// the same tool that the model would use. So it stays inside the session's
// directories and includes unsaved changes of the editor. Links that cannot be
// read are skipped: the model has the link and may try itself.
func (j *job) attach(ctx context.Context) error {
	i := slices.IndexFunc(j.tools, func(t tool.Tool) bool { return t.Name == "read_file" })
	if i < 0 {
		return nil
	}
	for _, link := range j.w.Prompt.Links {
		args := readArgs(link.URI)
		if args == nil || !j.allowed(j.tools[i], args) {
			continue
		}
		result := j.tools[i].Run(ctx, tool.Call{
			Turn: j.w.Turn, Session: j.w.Session.ID, Dir: j.w.Session.Dir, AdditionalDirs: j.w.Session.AdditionalDirs, Args: args, AsWritten: true, Held: &j.held, Output: func(string) {},
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if result.Failed || result.Fate != bellcord.CallFinished {
			continue
		}
		if err := j.w.Emit(bellcord.AttachmentLoaded{Link: link, Text: result.Text}); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) allowed(read tool.Tool, args json.RawMessage) bool {
	s := j.w.Session
	return j.policy().Decide(session(s), permit.Mode(s.Mode), read.Permission(s.Dir, args, s.AdditionalDirs...)).Verdict == permit.Allow
}

// lineRange matches the line ranges that editors append to a file's URL: #L10,
// #L10-20, #L10:20, #L10-L20.
var lineRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^L(\d{1,9})(?:[-:]L?(\d{1,9}))?$`) })

// readArgs returns the arguments of read_file for a link, or nil if the link
// does not refer to a local file.
func readArgs(uri string) json.RawMessage {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return nil
	}
	args := map[string]any{"path": u.Path}
	if m := lineRange().FindStringSubmatch(u.Fragment); m != nil {
		first, _ := strconv.Atoi(m[1])
		last := first
		if m[2] != "" {
			last, _ = strconv.Atoi(m[2])
		}
		if first < 1 || last < first {
			return nil
		}
		args["offset"], args["limit"] = first, last-first+1
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	return text
}
