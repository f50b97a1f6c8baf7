package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/auth"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke the access tokens of a server",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tokenCreateCommand(), tokenListCommand(), tokenRevokeCommand())
	return cmd
}

// withTokens opens only the store, so it works while a server runs on it.
func (s *settings) withTokens(ctx context.Context, do func(app.Store) error) error {
	c, err := s.load()
	if err == nil {
		err = app.RefuseInsideTurn(c.DataDir)
	}
	if err != nil {
		return err
	}
	store, err := app.OpenStore(ctx, appConfig(c, nil))
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

func tokenCreateCommand() *cobra.Command {
	var s settings
	var t serverstore.Token
	var scopes string
	var lasts string
	cmd := &cobra.Command{
		Use:   "create --owner NAME --scope read,prompt,stop,undo",
		Short: "Create a token and print it once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if t.Scopes, err = auth.ParseScopes(scopes); err != nil {
				return err
			}
			if t.Expires, err = expiry(lasts, time.Now()); err != nil {
				return err
			}
			return s.withTokens(cmd.Context(), func(store app.Store) error {
				text, made, err := auth.Mint(cmd.Context(), store, t)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), text)
				fmt.Fprintf(cmd.ErrOrStderr(), "This is token %s of %s. It is not shown again: the store keeps only its hash.\n", made.ID, made.Owner)
				return nil
			})
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&t.Owner, "owner", "", "`name` of the owner whose sessions the token can use; with the scope admin it can use all (required)")
	cmd.Flags().StringVar(&scopes, "scope", "", "what the token may do: a comma-separated `list` of read, prompt, stop and admin (required)")
	cmd.Flags().StringVar(&t.Name, "name", "", "what the token is for (default: the owner)")
	cmd.Flags().StringVar(&lasts, "expires", "2160h", "`duration` after which the token expires, such as 720h, or never; 2160h is 90 days")
	_ = cmd.MarkFlagRequired("owner") // both flags exist
	_ = cmd.MarkFlagRequired("scope")
	return cmd
}

// expiry returns when a token created at now expires; the zero time means never.
func expiry(lasts string, now time.Time) (time.Time, error) {
	if lasts == "never" {
		return time.Time{}, nil
	}
	d, err := time.ParseDuration(lasts)
	if err != nil || d <= 0 {
		return time.Time{}, fmt.Errorf("--expires %q: use a positive duration such as 720h, or never", lasts)
	}
	return now.Add(d), nil
}

func tokenListCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens, without their secrets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withTokens(cmd.Context(), func(store app.Store) error {
				tokens, err := store.Tokens(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return printTokens(cmd.OutOrStdout(), tokens)
				}
				return tableOfTokens(cmd.OutOrStdout(), tokens)
			})
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every token as a line of JSON")
	return cmd
}

func tokenRevokeCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a token and the browser logins made with it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withTokens(cmd.Context(), func(store app.Store) error {
				if err := store.RevokeToken(cmd.Context(), args[0], time.Now()); err != nil {
					return fmt.Errorf("%w: see bellcord token list", err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "revoked %s\n", args[0])
				return nil
			})
		},
	}
	s.dataFlags(cmd)
	return cmd
}

func tableOfTokens(to io.Writer, tokens []serverstore.Token) error {
	if len(tokens) == 0 {
		fmt.Fprintln(to, "no tokens yet")
		return nil
	}
	const minute = "2006-01-02 15:04"
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "ID\tOWNER\tNAME\tSCOPES\tCREATED\tLAST USED\tSTATE")
	for _, t := range tokens {
		used := "never"
		if !t.Used.IsZero() {
			used = t.Used.Format(minute)
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Owner, t.Name, strings.Join(bellcord.ScopeNames(t.Scopes), ","),
			t.Created.Format(minute), used, auth.State(t, time.Now()))
	}
	return out.Flush()
}

func printTokens(to io.Writer, tokens []serverstore.Token) error {
	enc := json.NewEncoder(to)
	for _, t := range tokens {
		if err := enc.Encode(struct {
			ID      string           `json:"id"`
			Owner   string           `json:"owner"`
			Name    string           `json:"name"`
			Scopes  []bellcord.Scope `json:"scopes"`
			Created time.Time        `json:"created"`
			Expires time.Time        `json:"expires,omitzero"`
			Used    time.Time        `json:"used,omitzero"`
			Revoked time.Time        `json:"revoked,omitzero"`
			Browser bool             `json:"browser,omitempty"`
			State   auth.TokenState  `json:"state"`
		}{t.ID, t.Owner, t.Name, t.Scopes, t.Created, t.Expires, t.Used, t.Revoked, t.Cookie, auth.State(t, time.Now())}); err != nil {
			return err
		}
	}
	return nil
}
