// Package drive finds the features that an agent has, alone and behind
// Bellcord. It drives the agent as an editor does, with a fake model as the only
// service, and takes it through the same stages each way: see drive.go.
// Everything that the agent sends and every request to its model is recorded, and
// one probe for each feature reads the record.
package drive

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Results are the findings of one visit by feature, or the reason why the visit
// failed.
type Results struct {
	Findings map[string]Finding `json:"findings,omitempty"`
	Failed   string             `json:"failed,omitempty"`
}

// Names returns all features in the order of a table.
func Names() []string {
	var names []string
	for _, p := range probes() {
		names = append(names, p.name)
	}
	return names
}

// Look drives the agent and returns what the probes found.
func (v *Visit) Look() (Results, error) {
	if v.way == Bare && v.kit.name == "pi" {
		return v.drivePi()
	}
	if err := v.drive(); err != nil {
		return Results{}, err
	}
	found := Results{Findings: map[string]Finding{}}
	for _, p := range probes() {
		found.Findings[p.name] = p.look(v)
	}
	return found, nil
}

// Version returns the version that the agent has reported.
func (v *Visit) Version() string {
	return textAt(v.stage("initialize").result, "agentInfo", "version")
}

// WriteRecord writes the frames of the visit and its longest model request to
// files with this name and different endings.
func (v *Visit) WriteRecord(name string) error {
	var frames strings.Builder
	for _, stageName := range append([]string{"initialize"}, v.order...) {
		s := v.stage(stageName)
		fmt.Fprintf(&frames, "== %s err=%v\n", s.name, s.err)
		for _, f := range s.frames {
			direction := "<-"
			if f.sent {
				direction = "->"
			}
			fmt.Fprintf(&frames, "%s %s %s\n", f.at.Format("05.000"), direction, f.raw)
		}
		for _, q := range s.requests {
			fmt.Fprintf(&frames, "MODEL %s %d messages, status %d, tools %s, prompt %.600q, sent %.200q, suspect %.200q\n", q.Model, q.Messages, q.Status, toolNames(q.Raw), q.Prompt, q.Sent, q.Suspect)
		}
	}
	var last []byte
	for _, q := range v.stage("hello").requests {
		if len(q.Raw) > len(last) {
			last = q.Raw // the longest request is that of the turn, not of a title
		}
	}
	return errors.Join(writeFile(name+".frames", frames.String()), writeFile(name+".request.json", string(last)))
}

// FileName returns a name for the files of the visit in a directory.
func (v *Visit) FileName(dir string) string {
	return filepath.Join(dir, v.kit.name+"-"+string(v.way))
}
