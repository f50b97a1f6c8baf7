// Package doctor checks the settings, the machine and the services that
// Bellcord uses. It repairs nothing; every finding that is not ok has a text
// with the fix.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
)

// Verdict is the result of a check.
type Verdict string

// The verdicts, from best to worst.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning" // usable, but could be better
	Broken  Verdict = "broken"
)

// Finding is one line of a report.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Says    string  `json:"says"`
	Fix     string  `json:"fix,omitempty"` // in one line, for everything but ok
}

// check is one check. It changes nothing.
type check struct {
	name string
	run  func(context.Context) []Finding
}

// Doctor runs the checks.
type Doctor struct {
	file    string // path of the settings file, as given by the user
	config  app.Config
	loading error // the reason why the settings cannot be used
	kept    []bellcord.Receipt
	models  *app.Models
	offers  *offers
}

// New returns a Doctor for settings. loading is the error with which loading
// them failed, or nil. The check of the store also verifies the kept receipts.
func New(file string, c app.Config, loading error, kept ...bellcord.Receipt) *Doctor {
	models := app.NewModels(c.Settings)
	return &Doctor{file: file, config: c, loading: loading, kept: kept, models: models, offers: newOffers(models)}
}

// Close closes the connections to providers.
func (d *Doctor) Close() { d.models.Close() }

// Limits of one check and of one request to another machine, and the number of
// checks that run concurrently.
const (
	checkTimeout   = 30 * time.Second
	requestTimeout = 3 * time.Second
	checksAtOnce   = 4
)

// Run runs the checks concurrently and returns all findings in the order of
// the checks. It calls waiting with the name of the check that it waits for,
// and with "" when that check is done; then it calls show with each of its
// findings.
func (d *Doctor) Run(ctx context.Context, waiting func(check string), show func(Finding)) []Finding {
	checks := d.checks()
	places := make(chan struct{}, checksAtOnce)
	results := make([]chan []Finding, len(checks))
	for i, c := range checks {
		results[i] = make(chan []Finding, 1)
		go func() { // waited for below
			places <- struct{}{}
			defer func() { <-places }()
			ctx, done := context.WithTimeout(ctx, checkTimeout)
			defer done()
			results[i] <- c.run(ctx)
		}()
	}
	var all []Finding
	for i, c := range checks {
		waiting(c.name)
		found := <-results[i]
		waiting("")
		for _, f := range found {
			f.Check, f.Says = c.name, d.config.Secrets.Hide(f.Says)
			show(f)
			all = append(all, f)
		}
	}
	return all
}

func ok(format string, args ...any) []Finding {
	return []Finding{{Verdict: OK, Says: fmt.Sprintf(format, args...)}}
}

func warn(fix, format string, args ...any) []Finding {
	return []Finding{{Verdict: Warning, Says: fmt.Sprintf(format, args...), Fix: fix}}
}

func bad(fix, format string, args ...any) []Finding {
	return []Finding{{Verdict: Broken, Says: fmt.Sprintf(format, args...), Fix: fix}}
}
