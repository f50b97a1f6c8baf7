package lsp

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// The messages of the Language Server Protocol 3.17 that a check needs.
type (
	initializeParams struct {
		ProcessID        *int         `json:"processId"`
		ClientInfo       clientInfo   `json:"clientInfo"`
		RootURI          string       `json:"rootUri"`
		WorkspaceFolders []folder     `json:"workspaceFolders"`
		Capabilities     capabilities `json:"capabilities"`
	}
	clientInfo struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	folder struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	capabilities struct {
		TextDocument struct {
			Synchronization    struct{} `json:"synchronization"`
			PublishDiagnostics struct {
				VersionSupport bool `json:"versionSupport"`
			} `json:"publishDiagnostics"`
			Diagnostic struct{} `json:"diagnostic"`
		} `json:"textDocument"`
		Workspace struct {
			Configuration    bool `json:"configuration"`
			WorkspaceFolders bool `json:"workspaceFolders"`
		} `json:"workspace"`
	}
	initializeResult struct {
		Capabilities struct {
			DiagnosticProvider json.RawMessage `json:"diagnosticProvider"`
		} `json:"capabilities"`
	}

	document struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId,omitempty"`
		Version    int    `json:"version,omitempty"`
		Text       string `json:"text,omitempty"`
	}
	documentParams struct {
		TextDocument document `json:"textDocument"`
	}
	changeParams struct {
		TextDocument   document `json:"textDocument"`
		ContentChanges []change `json:"contentChanges"`
	}
	change struct {
		Text string `json:"text"`
	}
	watchedParams struct {
		Changes []watched `json:"changes"`
	}
	watched struct {
		URI  string `json:"uri"`
		Type int    `json:"type"`
	}

	published struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	report struct {
		Items []diagnostic `json:"items"`
	}
	diagnostic struct {
		Range struct {
			Start struct {
				Line int `json:"line"`
			} `json:"start"`
		} `json:"range"`
		Severity int    `json:"severity"`
		Message  string `json:"message"`
	}
)

// Kinds of changes of a watched file.
const (
	fileCreated = 1
	fileChanged = 2
)

// severityError is the severity of an error. A diagnostic without a severity counts as
// one.
const severityError = 1

// uriOf returns the address of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf returns the path of a file's address, or "".
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path))
}
