package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app/backend"
)

func rewindCommand() *cobra.Command {
	var f changesFlags
	var back string
	cmd := &cobra.Command{
		Use:   "rewind TURN | --take-back SESSION",
		Short: "Continue a conversation as it was before a turn",
		Long: `Continues the conversation of the turn's session as it was before the turn: the turn and those
after it stay in the log, but are no longer sent to the model. Files stay as they are:
bellcord undo is for those. It is refused while a turn of the session is running.
--take-back takes the last rewind of a session back.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (back == "") == (len(args) == 0) {
				return fmt.Errorf("name a turn, or a session with --take-back")
			}
			return f.within(cmd.Context(), "sessions", func(at backend.Backend) error {
				var turn bellcord.TurnID
				var session bellcord.SessionID
				var err error
				if back != "" {
					session, err = backend.FindSession(cmd.Context(), at, back)
				} else {
					turn, session, err = backend.FindTurnOf(cmd.Context(), at, first(args))
				}
				if err != nil {
					return err
				}
				r, err := at.Rewind(cmd.Context(), session, turn)
				if err == nil {
					fmt.Println(r.Text())
				}
				return err
			})
		},
	}
	f.dataFlags(cmd)
	f.flags(cmd)
	cmd.Flags().StringVar(&back, "take-back", "", "take the last rewind of this `session` back")
	return cmd
}
