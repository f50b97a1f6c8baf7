package probe

import (
	"context"
	"time"
)

// unpromptedWork runs a command that leaves processes in the background for a
// short time, and watches the session after the answer. An agent may go on by
// itself, for example when the command in the background ends. A cancel must
// then stop it.
func unpromptedWork(ctx context.Context, t *trial) (verdict, error) {
	scene, a, err := t.leave(ctx, endsSoon)
	if err != nil {
		return verdict{}, err
	}
	c, watched := scene.c, 2*t.opts.Later
	m, n := c.messages.await(ctx, a.n+1, watched, func(m acpMessage) bool { return m.works(scene.session) })
	if n < 0 {
		return passed("%s; no work by itself in the %s after the answer", a.reason(), span(watched)), nil
	}
	began := span(max(0, m.at.Sub(a.at)))
	stopped := time.Now()
	if err := c.writeLines(cancelOf(scene.session)); err != nil {
		return verdict{}, err
	}
	allowed := min(bound, t.opts.Patience)
	pause(ctx, allowed) // no message marks the end of such work
	from := c.messages.len()
	late, n := c.messages.await(ctx, from, t.opts.Later, func(m acpMessage) bool { return m.works(scene.session) })
	v := passed("%s %s after the answer", m.update.Kind(), began)
	if n >= 0 {
		v = v.and(false, "%s %s after a cancel", late.update.Kind(), span(late.at.Sub(stopped)))
	} else {
		v = v.and(true, "nothing later than %s after a cancel", span(allowed))
	}
	left := len(holders(scene.token))
	return v.and(left == 0, "%d processes alive", left), nil
}
