package doctor

import (
	"cmp"
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/mcp"
	"github.com/bellcord/bellcord/proc"
)

// checks returns all checks. If the settings cannot be loaded, only those of
// the version and the configuration.
func (d *Doctor) checks() []check {
	all := []check{{"version", d.version}, {"configuration", d.configuration}}
	if d.loading != nil {
		return all
	}
	return append(all,
		check{"rules", d.rules}, check{"keys", d.keys}, check{"environment", d.environment}, check{"model", d.model}, check{"clock", d.clock}, check{"agents", d.agents},
		check{"containment", d.containment}, check{"sandbox", d.sandbox}, check{"limits", d.limits}, check{"data directory", d.dataDirectory}, check{"undo", d.undo}, check{"store", d.store}, check{"nats", d.nats},
		check{"token", d.token}, check{"port", d.port})
}

func (d *Doctor) version(context.Context) []Finding {
	return ok("bellcord %s, %s, %s/%s", d.config.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (d *Doctor) configuration(context.Context) []Finding {
	path, named := config.File(d.file)
	switch {
	case d.loading != nil:
		return bad("correct "+path, "%s", inOneLine(d.loading))
	case !named && !config.IsFile(path):
		return warn("bellcord init", "no configuration file: %s", path)
	case config.Exposed(path) != nil:
		return bad("chmod 600 "+path+", and replace the secrets that others may have read", "%v", config.Exposed(path))
	}
	return ok("%s", path)
}

// rules finds rules for MCP servers that are not configured. They only cause a
// warning, because an editor may name such a server. Other rules are checked
// when the settings are loaded.
func (d *Doctor) rules(context.Context) []Finding {
	all := slices.Concat(d.config.Settings.Permissions.Allow, d.config.Settings.Permissions.Deny)
	var found []Finding
	for _, text := range all {
		rule, err := permit.ParseRule(text)
		if err != nil || !strings.HasPrefix(rule.Tool(), permit.MCPPrefix) {
			continue
		}
		if !mcp.MayBeOf(slices.Collect(maps.Keys(d.config.Settings.MCP)), rule.Tool()) {
			found = append(found, warn("configure the server in [mcp.NAME], or correct the rule", "rule %q: no MCP server with this name is configured", text)...)
		}
	}
	switch {
	case len(all) == 0:
		return ok("none configured")
	case len(found) == 0:
		return ok("%d, each for a known tool", len(all))
	}
	return found
}

// agents starts each installed agent and skips the others.
func (d *Doctor) agents(ctx context.Context) []Finding {
	keeper, err := proc.Open("", proc.Options{Logger: d.config.Logger, AdoptOrphans: true})
	if err != nil {
		return bad("resolve this error", "%v", err)
	}
	defer func() { _ = keeper.Close() }()
	var all []Finding
	for _, name := range app.AgentNames(d.config.Settings) {
		agent, err := app.AgentDefinition(d.config.Settings, name)
		if err != nil {
			all = append(all, bad("correct [agents."+name+"]", "%s", inOneLine(err))...)
			continue
		}
		if _, err := agent.Find(); err != nil {
			if name == d.config.Settings.Agent {
				all = append(all, bad(cmp.Or(agent.Install, "install it"), "%s is the configured agent, but it is not installed", name)...)
			}
			continue
		}
		state, err := app.TryAgent(ctx, d.config, agent, keeper)
		if err != nil {
			all = append(all, warn("run it by hand to see why: "+strings.Join(agent.Command, " "), "%s does not start: %s", name, inOneLine(err))...)
			continue
		}
		all = append(all, ok("%s %s", name, state)...)
	}
	if len(all) == 0 {
		return ok("none installed; bellcord agents lists those that can be hosted")
	}
	return all
}

// containment runs a command and reports how its end was proved.
func (d *Doctor) containment(ctx context.Context) []Finding {
	keeper, err := proc.Open("", proc.Options{Logger: d.config.Logger, AdoptOrphans: true})
	if err != nil {
		return bad("resolve this error", "%v", err)
	}
	defer func() { _ = keeper.Close() }()
	self, err := os.Executable()
	if err != nil {
		return bad("resolve this error", "%v", err)
	}
	exit, err := keeper.Run(ctx, proc.Command{Args: []string{self, "--version"}, Output: func([]byte) {}, Name: "doctor"}, nil)
	switch {
	case err != nil:
		return bad("resolve this error; until then no command can run", "cannot start a command: %v", err)
	case exit.Proof == "process_scan" && runtime.GOOS == "linux":
		return warn(`run Bellcord in a delegated cgroup: systemd-run --user --scope -p Delegate=yes bellcord …, or as a service: deploy/bellcord.service`,
			"no cgroup can be created here; processes are contained by process group, marker and scan")
	}
	return ok("processes are contained, and their end is proved, by %s", exit.Proof)
}

// sandbox reports how commands are confined.
func (d *Doctor) sandbox(context.Context) []Finding {
	state, err := app.FindSandbox(d.config.Settings)
	if err != nil {
		return bad(`install bubblewrap, or set mode = "auto" in [sandbox]`, "%s", inOneLine(err))
	}
	return confinement(state)
}

// confinement returns what doctor reports about a sandbox.
func confinement(state app.SandboxState) []Finding {
	if state.Missed() {
		return warn("install bubblewrap, allow unprivileged user namespaces, or use a kernel with Landlock. In a service or a container, "+
			"its filter of system calls must allow them: compare it with deploy/bellcord.service. Until then, commands have all rights of this user",
			"%s", state)
	}
	if dir, err := os.Getwd(); err == nil && !state.Off() && os.Geteuid() == 0 && confine.IsForeign(dir) {
		return warn("run Bellcord as the owner of the directory, or change its owner",
			"%s; this directory belongs to another user: in the sandbox, commands of root cannot write here", state)
	}
	return ok("%s", state)
}

// inOneLine returns the text of an error without line breaks.
func inOneLine(err error) string { return line.Visible(strings.Join(strings.Fields(err.Error()), " ")) }

// environment lists the withheld variables by name, because a command may need one
// of them.
func (d *Doctor) environment(context.Context) []Finding {
	withheld := d.config.CommandEnvironment().Withheld()
	if len(withheld) == 0 {
		return ok("no variable looks like a secret")
	}
	found := ok(`withheld from commands: %s; to pass one: pass_env = ["NAME"] in [commands]`, namesOrNothing(withheld))
	for _, name := range slices.Sorted(maps.Keys(d.config.Settings.MCP)) {
		server := d.config.Settings.MCP[name]
		if len(server.Command) == 0 {
			continue
		}
		env := secret.Environment{Pass: server.PassEnv, Secrets: d.config.Secrets}
		found = append(found, ok(`withheld from MCP server %s: %s; to pass one: pass_env = ["NAME"] in [mcp.%s]`, name, namesOrNothing(env.Withheld()), name)...)
	}
	return found
}

func namesOrNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
