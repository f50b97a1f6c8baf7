package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/server"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
	"github.com/bellcord/bellcord/internal/front/telegram"
)

func telegramCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "telegram",
		Short: "Manage who may use the Telegram bot",
		Long: `Only people listed in [telegram.users] in the configuration and people you have
paired may use the bot (see docs/telegram.md). With pairing = true in [telegram],
anyone else who writes to the bot gets a code that is valid for an hour. To let them
in, have them send you the code over a channel where you can verify who they are.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(telegramPairCommand(), telegramPeopleCommand(), telegramUnpairCommand())
	return cmd
}

// withRights opens only the list of rights, so it works while a server runs on the data directory.
func (s *settings) withRights(do func(config.Config, *rights.List) error) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	list, err := server.TelegramRights(c)
	if err != nil {
		return err
	}
	return do(c, list)
}

func telegramPairCommand() *cobra.Command {
	var s settings
	var name string
	cmd := &cobra.Command{
		Use:   "approve CODE",
		Short: "Let the person with this code use the bot",
		Long: `Lets the person to whom the bot gave this code use the bot, immediately. Case and
dashes do not matter. After ten wrong codes, all open codes become invalid.`,
		Example: "  bellcord telegram approve K7QX-4MHT --name anna",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withRights(func(_ config.Config, list *rights.List) error {
				p, err := list.Pair(args[0], name)
				switch {
				case errors.Is(err, rights.ErrPairingOff):
					return fmt.Errorf("%w: set pairing = true in [telegram]", err)
				case errors.Is(err, rights.ErrNoCode):
					return fmt.Errorf("%w: codes are valid for an hour; see bellcord telegram users", err)
				case err != nil:
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "approved %s as %s\n", p.ID, p.Name)
				return nil
			})
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "", "owner `name` of their sessions, as with bellcord token create --owner (default telegram:ID)")
	return cmd
}

func telegramPeopleCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "users",
		Short: "List people who may use the bot or wait for approval",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withRights(func(c config.Config, list *rights.List) error {
				return tableOfPeople(cmd.OutOrStdout(), c.Telegram, list)
			})
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func telegramUnpairCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a person, immediately",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := telegram.ParseID(args[0])
			if err != nil {
				return fmt.Errorf("%w: see bellcord telegram users", err)
			}
			return s.withRights(func(_ config.Config, list *rights.List) error {
				if err := list.Unpair(id); err != nil {
					return fmt.Errorf("%w: see bellcord telegram users", err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s\n", id)
				if _, still := list.Person(id); still {
					fmt.Fprintln(cmd.ErrOrStderr(), "They may still use the bot: the configuration lists them too.")
				}
				return nil
			})
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func tableOfPeople(to io.Writer, c config.Telegram, list *rights.List) error {
	const minute = "2006-01-02 15:04"
	paired, waiting := list.Paired(), list.Waiting()
	if len(c.Users)+len(c.Groups)+len(paired)+len(waiting) == 0 {
		fmt.Fprintln(to, "no users yet")
		return nil
	}
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ID\tNAME\tUSERNAME\tSTATE")
	for _, name := range slices.Sorted(maps.Keys(c.Users)) {
		fmt.Fprintf(out, "%d\t%s\t\tin the configuration\n", c.Users[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) {
		fmt.Fprintf(out, "%d\t%s\t\tgroup in the configuration\n", c.Groups[name], name)
	}
	for _, p := range paired {
		fmt.Fprintf(out, "%s\t%s\t%s\tapproved %s\n", p.ID, p.Name, p.Username, p.At.Format(minute))
	}
	for _, w := range waiting {
		fmt.Fprintf(out, "%s\t%s\t%s\twaiting until %s\n", w.ID, w.Name, w.Username, w.Until.Format(minute))
	}
	return out.Flush()
}
