package main

import (
	"os"
	"path/filepath"
	"strings"
)

// placeIn returns a directory of this machine as a person reads it: with ~ for home, and with the
// branch of git that is checked out, such as "~/shop (main)".
func placeIn(home, dir string) string {
	shown := dir
	if inside, err := filepath.Rel(home, dir); home != "" && err == nil && filepath.IsLocal(inside) {
		shown = filepath.Join("~", inside)
	}
	if branch := branchOf(dir); branch != "" {
		shown += " (" + branch + ")"
	}
	return shown
}

// mostHead is the size up to which a file of git is read.
const mostHead = 4096

// branchOf returns the branch that is checked out in a directory or a directory above it, or "".
func branchOf(dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		if info, err := os.Stat(git); err == nil {
			if !info.IsDir() { // of a worktree: it names the directory
				to, _ := strings.CutPrefix(firstLine(git), "gitdir: ")
				if git = to; !filepath.IsAbs(git) {
					git = filepath.Join(dir, git)
				}
			}
			branch, isBranch := strings.CutPrefix(firstLine(filepath.Join(git, "HEAD")), "ref: refs/heads/")
			if !isBranch {
				return ""
			}
			return branch
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// firstLine returns the first line of a small file, or "".
func firstLine(path string) string {
	if info, err := os.Stat(path); err != nil || info.Size() > mostHead {
		return ""
	}
	text, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}
