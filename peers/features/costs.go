package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord/peers/features/internal/drive"
)

// costAll measures the sessions of every agent, one agent after the other, bare and behind
// Bellcord.
func (o options) costAll(ctx context.Context, n int) error {
	kits, err := o.kitsOf()
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range strings.Split(o.names, ",") {
		for _, way := range []drive.Way{drive.Bare, drive.Behind} {
			if err := o.costAgent(ctx, name, kits[name], way, n); err != nil {
				failed = append(failed, fmt.Errorf("%s, %s: %w", name, way, err))
			}
		}
	}
	return errors.Join(failed...)
}

func (o options) costAgent(ctx context.Context, name string, k drive.Kit, way drive.Way, n int) error {
	v, leave, err := drive.Open(ctx, o.place, k, way)
	if err != nil {
		return err
	}
	defer leave()
	c, err := v.Cost(n)
	if err == nil {
		fmt.Printf("%s, %s: %s\n", name, way, c)
	}
	return err
}
