package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/auth"
)

func tokenCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke the tokens with which a server is used",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(tokenCreateCommand(), tokenListCommand(), tokenRevokeCommand())
	return cmd
}

// withTokens opens the store and nothing else: a server may be at work on it.
func (s *settings) withTokens(ctx context.Context, do func(store) error) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	store, err := openStore(ctx, c, logger())
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

func tokenCreateCommand() *cobra.Command {
	var s settings
	var t auth.Token
	var scopes string
	var lasts time.Duration
	cmd := &cobra.Command{
		Use:   "create --owner NAME --scope read,prompt,stop",
		Short: "Make a token and print it, this once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if t.Scopes, err = auth.ParseScopes(scopes); err != nil {
				return err
			}
			if lasts < 0 {
				return fmt.Errorf("--expires %s: the token would be expired from the start", lasts)
			}
			if lasts > 0 {
				t.Expires = time.Now().Add(lasts)
			}
			return s.withTokens(cmd.Context(), func(store store) error {
				text, made, err := auth.Mint(cmd.Context(), store, t)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), text)
				fmt.Fprintf(cmd.ErrOrStderr(), "This is token %s of %s. It is shown only now: the store keeps no more than its hash.\n", made.ID, made.Owner)
				return nil
			})
		},
	}
	s.dataFlags(cmd)
	cmd.Flags().StringVar(&t.Owner, "owner", "", "whose sessions it reaches; with the scope admin it reaches all")
	cmd.Flags().StringVar(&scopes, "scope", "", "`list` of read, prompt, stop, admin: what it may do")
	cmd.Flags().StringVar(&t.Name, "name", "", "what it is for (default: the owner)")
	cmd.Flags().DurationVar(&lasts, "expires", 0, "after which it is no longer good, as in 720h (default: never)")
	_ = cmd.MarkFlagRequired("owner") // both are there
	_ = cmd.MarkFlagRequired("scope")
	return cmd
}

func tokenListCommand() *cobra.Command {
	var s settings
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens, without their secrets, which nobody has",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withTokens(cmd.Context(), func(store store) error {
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print lines of JSON")
	return cmd
}

func tokenRevokeCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a token, and the logins of browsers made with it, at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withTokens(cmd.Context(), func(store store) error {
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

func tableOfTokens(to io.Writer, tokens []auth.Token) error {
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
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Owner, t.Name, strings.Join(auth.Names(t.Scopes), ","),
			t.Created.Format(minute), used, t.State(time.Now()))
	}
	return out.Flush()
}

func printTokens(to io.Writer, tokens []auth.Token) error {
	enc := json.NewEncoder(to)
	for _, t := range tokens {
		if err := enc.Encode(struct {
			ID      string          `json:"id"`
			Owner   string          `json:"owner"`
			Name    string          `json:"name"`
			Scopes  []auth.Scope    `json:"scopes"`
			Created time.Time       `json:"created"`
			Expires time.Time       `json:"expires,omitzero"`
			Used    time.Time       `json:"used,omitzero"`
			Revoked time.Time       `json:"revoked,omitzero"`
			Browser bool            `json:"browser,omitempty"`
			State   auth.TokenState `json:"state"`
		}{t.ID, t.Owner, t.Name, t.Scopes, t.Created, t.Expires, t.Used, t.Revoked, t.Cookie, t.State(time.Now())}); err != nil {
			return err
		}
	}
	return nil
}

// firstToken makes sure that somebody can use a new server: where the store has
// no admin's token that is good, it makes one and leaves it in the file token in
// dir, for nobody else to read. The file is there before the store knows the
// token, so that a crash between them leaves no token that nobody has.
func firstToken(ctx context.Context, store auth.Store, dir string) (path string, made bool, err error) {
	path = filepath.Join(dir, "token")
	tokens, err := store.Tokens(ctx)
	if err != nil {
		return path, false, err
	}
	for _, t := range tokens {
		if slices.Contains(t.Scopes, auth.Admin) && !t.Cookie && t.State(time.Now()) == auth.Active {
			return path, false, nil
		}
	}
	text, t, err := auth.NewToken(auth.Token{Owner: "admin", Name: "first start", Scopes: []auth.Scope{auth.Admin}})
	if err != nil {
		return path, false, err
	}
	if err := writeSecret(path, text+"\n"); err != nil {
		return path, false, fmt.Errorf("writing the first token: %w", err)
	}
	if err := store.PutToken(ctx, t); err != nil {
		return path, false, err
	}
	return path, true, nil
}

// writeSecret puts a file in place at once, readable by its owner alone from its
// first moment. A link that is there is replaced, not followed.
func writeSecret(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // 0600, and never one that exists
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // as good as we can
	}
	return err
}
