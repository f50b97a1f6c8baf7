package main

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/proc"
)

// patient is what the checks look at.
type patient struct {
	file   string
	config config.Config
	err    error // why the configuration cannot be used
	models *models
	offers *offers
}

// checks are all of them, and what to call when they are done. Where the
// configuration is broken there is nothing else to look at.
func (s *settings) checks() ([]check, func()) {
	c, err := s.load()
	p := &patient{file: s.file, config: c, err: err, models: newModels(c)}
	p.offers = newOffers(p.models)
	all := []check{{"version", versionCheck}, {"configuration", p.configuration}}
	if err != nil {
		return all, p.models.close
	}
	return append(all,
		check{"keys", p.keys}, check{"model", p.model}, check{"clock", p.clock}, check{"agents", p.agents},
		check{"containment", p.containment}, check{"data directory", p.dataDirectory}, check{"store", p.store},
		check{"token", p.token}, check{"port", p.port}), p.models.close
}

func versionCheck(context.Context) []finding {
	return ok("bellcord %s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (p *patient) configuration(context.Context) []finding {
	path, named := config.File(p.file)
	switch {
	case p.err != nil:
		return bad("mend it, or bellcord init --force", "%s", inOneLine(p.err))
	case !named && !isFile(path):
		return warn("bellcord init", "there is no file: %s", path)
	}
	return ok("%s", path)
}

// agents tries those that are installed, and says nothing of the others.
func (p *patient) agents(ctx context.Context) []finding {
	keeper, err := proc.Open("", proc.Options{Logger: logger()})
	if err != nil {
		return bad("see the message", "%v", err)
	}
	defer func() { _ = keeper.Close() }()
	var all []finding
	for _, name := range agentNames(p.config) {
		d, err := definition(p.config, name)
		if err != nil {
			all = append(all, bad("mend [agents."+name+"]", "%s", inOneLine(err))...)
			continue
		}
		if _, err := d.Find(); err != nil {
			if name == p.config.Agent {
				all = append(all, bad(or(d.Install, "install it"), "%s is the configured agent and not installed", name)...)
			}
			continue
		}
		state, err := tryAgent(ctx, d, keeper)
		if err != nil {
			all = append(all, warn("start it by hand: "+strings.Join(d.Command, " "), "%s does not start: %s", name, inOneLine(err))...)
			continue
		}
		all = append(all, ok("%s %s", name, state)...)
	}
	if len(all) == 0 {
		return ok("none installed; bellcord agents lists those that can be hosted")
	}
	return all
}

// containment runs a command and asks how its end was proved.
func (p *patient) containment(ctx context.Context) []finding {
	keeper, err := proc.Open("", proc.Options{Logger: logger()})
	if err != nil {
		return bad("see the message", "%v", err)
	}
	defer func() { _ = keeper.Close() }()
	self, err := os.Executable()
	if err != nil {
		return bad("see the message", "%v", err)
	}
	exit, err := keeper.Run(ctx, proc.Command{Args: []string{self, "--version"}, Output: func([]byte) {}, Name: "doctor"}, nil)
	switch {
	case err != nil:
		return bad("commands cannot be started here", "%v", err)
	case exit.Proof == "scan" && runtime.GOOS == "linux":
		return warn(`run it where a cgroup is delegated: systemd-run --user --scope -p Delegate=yes bellcord …, or deploy/bellcord.service`,
			"processes are held by group, marker and scan; no cgroup can be made here")
	}
	return ok("processes are held, and their end is proved, by %s", exit.Proof)
}

// inOneLine is an error for a list.
func inOneLine(err error) string { return oneLine(err.Error()) }
