package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord/peers/features/internal/drive"
)

// undoAll stops and undoes turns of every agent, one agent after the other, and returns an error if
// anything was wrong.
func (o options) undoAll(ctx context.Context, n int) error {
	kits, err := o.kitsOf()
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range strings.Split(o.names, ",") {
		if err := o.undoAgent(ctx, name, kits[name], n); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

func (o options) undoAgent(ctx context.Context, name string, k drive.Kit, n int) error {
	v, leave, err := drive.Open(ctx, o.place, k, drive.Behind)
	if err != nil {
		return err
	}
	defer leave()
	u, err := v.Undo(n)
	if u == nil {
		return err
	}
	fmt.Printf("%s: %s\n", name, u)
	for _, w := range u.Wrong() {
		fmt.Println("  " + w)
	}
	if len(u.Wrong()) > 0 {
		err = errors.Join(err, fmt.Errorf("%d wrong", len(u.Wrong())))
	}
	return err
}
