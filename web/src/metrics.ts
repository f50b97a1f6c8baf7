// The part of /metrics that the page shows.

export interface Histogram { bounds: number[]; counts: number[]; total: number; sum: number }
export interface Metrics { sample(name: string, labels?: { [name: string]: string }): number; histogram(name: string, labels: { [name: string]: string }): Histogram }

/** parse parses the text format of Prometheus. */
export function parse(text: string): Metrics {
  const samples: { name: string; labels: { [name: string]: string }; value: number }[] = []
  for (const line of text.split('\n')) {
    const m = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line)
    if (!m || line.startsWith('#')) continue
    const labels: { [name: string]: string } = {}
    for (const [, name, value] of (m[2] ?? '').matchAll(/([\w]+)="((?:[^"\\]|\\.)*)"/g)) labels[name!] = value!
    samples.push({ name: m[1]!, labels, value: Number(m[3]) })
  }
  const fits = (labels: { [name: string]: string }, want: { [name: string]: string }) => Object.entries(want).every(([k, v]) => labels[k] === v)
  const sample = (name: string, want = {}) => samples.filter((s) => s.name === name && fits(s.labels, want)).reduce((sum, s) => sum + s.value, 0)
  return {
    sample,
    histogram(name, want) {
      const buckets = samples.filter((s) => s.name === name + '_bucket' && fits(s.labels, want))
        .map((s) => ({ le: s.labels.le === '+Inf' ? Infinity : Number(s.labels.le), n: s.value })).sort((a, b) => a.le - b.le)
      return {
        bounds: buckets.map((b) => b.le), counts: buckets.map((b, i) => b.n - (buckets[i - 1]?.n ?? 0)),
        total: sample(name + '_count', want), sum: sample(name + '_sum', want),
      }
    },
  }
}

/** within returns the percentage of values within a bound. */
export function within(h: Histogram, bound: number): number {
  if (h.total === 0) return 100
  return (100 * h.counts.reduce((sum, n, i) => sum + (h.bounds[i]! <= bound ? n : 0), 0)) / h.total
}

/** quantile returns the upper bound of the bucket that contains the quantile, so the result is never too low. */
export function quantile(h: Histogram, share: number): number {
  let seen = 0
  for (let i = 0; i < h.counts.length; i++) {
    seen += h.counts[i]!
    if (h.total > 0 && seen >= share * h.total) return h.bounds[i]!
  }
  return 0
}
