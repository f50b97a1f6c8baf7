package acp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/realdir"
)

// checkDirs returns an error if a session cannot work in the directories of a
// request.
func checkDirs(cwd string, additional []string) error {
	if err := checkDir("cwd", cwd); err != nil {
		return err
	}
	for _, dir := range additional {
		if err := checkDir("additionalDirectories:", dir); err != nil {
			return err
		}
	}
	return nil
}

// checkDir returns an error if dir is not the absolute path of a directory.
func checkDir(member, dir string) error {
	if !filepath.IsAbs(dir) {
		return invalid(fmt.Sprintf("%s %q is not an absolute path", member, dir))
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return invalid(fmt.Sprintf("%s %q does not exist", member, dir))
	case err != nil:
		return invalid(fmt.Sprintf("%s %v", member, err))
	case !info.IsDir():
		return invalid(fmt.Sprintf("%s %q is not a directory", member, dir))
	}
	return nil
}

// moveSession gives a session the directories of the request that reopens it.
// The list of additional directories in the request is complete: without one,
// the session has none any more. On the network a session belongs to several
// clients; only a list that is not empty changes it.
func (s *Server) moveSession(hub *hub.Hub, found bellcord.Session, p acp.LoadSessionRequest) (bellcord.Session, error) {
	var change bellcord.SessionUpdated
	network := s.config.Load().Network
	if dir := realdir.Resolve(p.Cwd); network == nil && found.Dir != dir {
		change.Dir = dir
	}
	var additional []string
	for _, dir := range p.AdditionalDirectories {
		additional = append(additional, realdir.Resolve(dir))
	}
	if !slices.Equal(found.AdditionalDirs, additional) && (network == nil || len(additional) > 0) {
		change.AdditionalDirs = &p.AdditionalDirectories
	}
	if change == (bellcord.SessionUpdated{}) {
		return found, nil
	}
	if network != nil {
		if err := network.Change(found, change); err != nil {
			return found, err
		}
	}
	return hub.Configure(found.ID, change)
}
