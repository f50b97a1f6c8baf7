package bellcord

import "strings"

// File is a text file that is attached to a prompt. It has a name and no place:
// it need not exist where the agent runs.
type File struct {
	Name string `json:"name" minLength:"1" maxLength:"255"`
	Text string `json:"text"`
}

// FullText returns the text of the prompt, followed by its files. Each file has
// its name and a fence that its content cannot close. It is the prompt for an
// agent that accepts only text.
func (p Prompt) FullText() string {
	var all strings.Builder
	all.WriteString(p.Text)
	for _, f := range p.Files {
		fence := "````"
		for strings.Contains(f.Text, fence) {
			fence += "`"
		}
		all.WriteString("\n\n" + f.Name + ":\n" + fence + "\n" + f.Text)
		if !strings.HasSuffix(f.Text, "\n") {
			all.WriteString("\n")
		}
		all.WriteString(fence)
	}
	return all.String()
}

// TextSize returns the length of the text of the prompt and of its files in
// bytes.
func (p Prompt) TextSize() int {
	size := len(p.Text)
	for _, f := range p.Files {
		size += len(f.Name) + len(f.Text)
	}
	return size
}
