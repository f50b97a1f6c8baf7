package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// table is one section of a chart.
type table struct {
	title string
	rows  []sum
}

const (
	mostName = 44 // maximum length of a row's name in characters
	mostBar  = 24 // length of the longest bar in cells
)

// chart prints tables with a bar for each row. The length of a bar is proportional to the largest
// value in its table.
func chart(out io.Writer, tables []table) error {
	width := 0
	for _, t := range tables {
		for _, row := range t.rows {
			width = max(width, utf8.RuneCountInString(shortName(row.name)))
		}
	}
	for _, t := range tables {
		if t.title != "" {
			fmt.Fprintf(out, "%s  %9s %9s %9s %11s\n", pad(t.title, width), "INPUT", "CACHED", "OUTPUT", "COST")
		}
		most := int64(1)
		for _, row := range t.rows {
			most = max(most, row.Total())
		}
		for _, row := range t.rows {
			line := fmt.Sprintf("%s  %9s %9s %9s %11s", pad(shortName(row.name), width),
				formatTokens(row.InputTokens), formatTokens(row.CacheReadTokens), formatTokens(row.OutputTokens), cost(row.Usage))
			if t.title != "" {
				line += "  " + bar(row.Total(), most)
			}
			if _, err := fmt.Fprintln(out, strings.TrimRight(line, " ")); err != nil {
				return err
			}
		}
		if t.title != "" {
			fmt.Fprintln(out)
		}
	}
	return nil
}

// bar draws with eighths of a cell, so that small differences are visible.
func bar(n, most int64) string {
	eighths := int(n * mostBar * 8 / most)
	if n > 0 {
		eighths = max(eighths, 1)
	}
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return s
}

func cost(u bellcord.Usage) string {
	text := "–"
	if u.CostNanoUSD > 0 {
		text = plural.Dollars(u.CostNanoUSD)
	}
	if !u.Exact {
		text += " ≈"
	}
	return text
}

// formatTokens formats a number of tokens in about five characters.
func formatTokens(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func shortName(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > mostName {
		return string(runes[:mostName-1]) + "…"
	}
	return name
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}
