package api

import "time"

// Project is a directory that sessions can work in.
type Project struct {
	Dir      string    `json:"dir" doc:"absolute path"`
	Branch   string    `json:"branch,omitempty" doc:"branch of git that is checked out"`
	Sessions int       `json:"sessions,omitempty" doc:"number of your recent sessions in this directory"`
	Updated  time.Time `json:"updated,omitzero" doc:"when the last of these sessions changed"`
}

// Projects is the response to GET /v1/projects.
type Projects struct {
	Projects []Project `json:"projects" nullable:"false" doc:"directories of your recent sessions, most recent first"`
	Roots    []Project `json:"roots" nullable:"false" doc:"directories in which you may start sessions; with the admin scope, every other directory too"`
	Browse   bool      `json:"browse" doc:"whether GET /v1/dirs lists directories for you"`
	Home     string    `json:"home,omitempty" doc:"home directory of the server's user; only with the admin scope"`
}

// Dir is a directory in a listing.
type Dir struct {
	Name string `json:"name"`
	Dir  string `json:"dir" doc:"absolute path without symbolic links"`
}

// Dirs is the response to GET /v1/dirs.
type Dirs struct {
	Dir       string `json:"dir,omitempty" doc:"the listed directory, without symbolic links in its path; empty if the list contains the directories to start from"`
	Parent    string `json:"parent,omitempty" doc:"the directory above, if you may list it"`
	Dirs      []Dir  `json:"dirs" nullable:"false" doc:"directories in it, by name; files are not listed"`
	Truncated bool   `json:"truncated,omitempty" doc:"the directory has more entries than are listed"`
}
