package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/editor"
)

// acpInstall configures an editor to start this program.
type acpInstall struct {
	editor string
	write  bool
}

func acpInstallCommand() *cobra.Command {
	var s settings
	var install acpInstall
	cmd := &cobra.Command{
		Use:   "install EDITOR",
		Short: "Print the settings for an editor, or install them",
		Long: `Prints the settings with which an editor starts bellcord acp: zed, jetbrains, emacs,
neovim (with CodeCompanion), avante or obsidian. For zed and jetbrains, add --write to
put them into the editor's settings file: everything else in the file stays as it is,
and the old file is kept as FILE.before-bellcord. The editor starts bellcord acp with
the flags that you give here.`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: []string{"zed", "jetbrains", "emacs", "neovim", "avante", "obsidian"},
		RunE: func(_ *cobra.Command, args []string) error {
			install.editor = args[0]
			return install.printSettings(&s, os.Stdout)
		},
	}
	s.agentFlags(cmd)
	cmd.Flags().BoolVar(&install.write, "write", false, "write the settings to the editor's settings file")
	return cmd
}

func (a acpInstall) printSettings(s *settings, out io.Writer) error {
	e, err := editor.Named(a.editor)
	if err != nil {
		return err
	}
	command, err := s.acpCommand()
	if err != nil {
		return err
	}
	home := personsHome()
	if !a.write {
		fmt.Fprint(out, e.Snippet(command)) //nolint:errcheck // a terminal
		fmt.Fprintf(os.Stderr, "Add this to %s.\n", e.Place(home))
		return nil
	}
	done, err := e.Write(home, command)
	switch {
	case errors.Is(err, editor.ErrByHand):
		return fmt.Errorf("%w: run the command without --write, and add its output to %s", err, e.Place(home))
	case err != nil:
		return err
	}
	fmt.Fprintln(out, editorResult(e, done))
	return nil
}

// editorResult describes what was written to the settings of an editor.
func editorResult(e editor.Editor, done editor.Written) string {
	switch {
	case !done.Changed:
		return fmt.Sprintf("%s is already set up: %s", e.Title, done.Path)
	case done.Backup != "":
		return fmt.Sprintf("set up %s: %s (backup: %s)", e.Title, done.Path, done.Backup)
	}
	return fmt.Sprintf("set up %s: %s", e.Title, done.Path)
}

// acpCommand returns the command with which an editor starts this program with these flags. Its
// path is absolute, because an editor that is started from a menu does not have the shell's PATH.
func (s *settings) acpCommand() ([]string, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := []string{path, "acp"}
	s.set.Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		switch f.Name {
		case "write": // the only flag that bellcord acp does not have
			return
		case "config", "data-dir": // the editor starts the command in another directory
			if absolute, err := filepath.Abs(value); err == nil {
				value = absolute
			}
		}
		command = append(command, "--"+f.Name, value)
	})
	return command, nil
}

func personsHome() editor.Home {
	dir, _ := os.UserHomeDir()
	usual, _ := config.File("")
	return editor.Home{Dir: dir, Config: filepath.Dir(filepath.Dir(usual)), Roaming: os.Getenv("APPDATA")}
}
