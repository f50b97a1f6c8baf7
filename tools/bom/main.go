// Command bom writes a program's bill of materials in CycloneDX format: the modules that were
// linked into it, from its build information. It needs no network.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
)

// component is a CycloneDX 1.6 component.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: bom PROGRAM FILE")
		os.Exit(2)
	}
	if err := writeBOM(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "bom:", err)
		os.Exit(1)
	}
}

func writeBOM(program, file string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("reading the program's build information: %w", err)
	}
	text, err := json.MarshalIndent(document(info), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644) //nolint:gosec // the file is public
}

// document contains no date and no serial number, so that the same program has the same document.
func document(info *debug.BuildInfo) any {
	parts := []component{{"library", "std", info.GoVersion, "pkg:golang/std@" + info.GoVersion}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	return map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":   map[string]any{"component": component{"application", info.Main.Path, info.Main.Version, "pkg:golang/" + info.Main.Path}},
		"components": parts,
	}
}
