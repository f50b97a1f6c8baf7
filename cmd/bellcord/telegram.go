package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/server"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/telegram/rights"
)

func telegramCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "telegram",
		Short: "Say who may use the Telegram bot",
		Long: `The bot is for the people whom the settings name, under [telegram.people], and
for those who were paired; nobody else (see docs/telegram.md). With pairing = true
under [telegram] a stranger who writes to the bot gets a code, good for an hour.
If you want to let them in, have them tell you the code, by a way on which you
know that it is them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(telegramPairCommand(), telegramPeopleCommand(), telegramUnpairCommand())
	return cmd
}

// withRights opens the file and nothing else: a server may be at work on it.
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
		Use:   "pair CODE",
		Short: "Let in the one whom the bot gave this code, at once",
		Long: `Lets in the one whom the bot gave this code, at once. Case and dashes do not
matter. After ten wrong codes all that are open are closed.`,
		Example: "  bellcord telegram pair K7QX-4MHT --name anna",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withRights(func(_ config.Config, list *rights.List) error {
				p, err := list.Pair(args[0], name)
				switch {
				case errors.Is(err, rights.ErrPairingOff):
					return fmt.Errorf("%w: set pairing = true under [telegram]", err)
				case errors.Is(err, rights.ErrNoCode):
					return fmt.Errorf("%w; they are good for an hour, see bellcord telegram people", err)
				case err != nil:
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "paired %d as %s\n", p.ID, p.Name)
				return nil
			})
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&name, "name", "", "whose sessions are theirs, as with bellcord token create --owner (default telegram:ID)")
	return cmd
}

func telegramPeopleCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "people",
		Short: "List who may use the bot, and who waits to be let in",
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
		Use:   "unpair ID",
		Short: "Take a pairing back, at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is not a number, see bellcord telegram people", args[0])
			}
			return s.withRights(func(_ config.Config, list *rights.List) error {
				if err := list.Unpair(id); err != nil {
					return fmt.Errorf("%w, see bellcord telegram people", err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "unpaired %d\n", id)
				if _, still := list.Person(id); still {
					fmt.Fprintln(cmd.ErrOrStderr(), "The settings name them, too: they may still use the bot.")
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
	if len(c.People)+len(c.Groups)+len(paired)+len(waiting) == 0 {
		fmt.Fprintln(to, "nobody yet")
		return nil
	}
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ID\tNAME\tUSERNAME\tSTATE")
	for _, name := range slices.Sorted(maps.Keys(c.People)) {
		fmt.Fprintf(out, "%d\t%s\t\tin the settings\n", c.People[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) {
		fmt.Fprintf(out, "%d\t%s\t\tgroup in the settings\n", c.Groups[name], name)
	}
	for _, p := range paired {
		fmt.Fprintf(out, "%d\t%s\t%s\tpaired %s\n", p.ID, p.Name, p.Username, p.At.Format(minute))
	}
	for _, w := range waiting {
		fmt.Fprintf(out, "%d\t%s\t%s\twaits until %s\n", w.ID, w.Name, w.Username, w.Until.Format(minute))
	}
	return out.Flush()
}
