// Formats numbers for display.

/** clock formats a duration: 0:42, 1:02:03. */
export function clock(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  const two = (n: number) => String(n).padStart(2, '0')
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`
}

/** span formats a duration with up to three digits: 0.42 ms, 42 ms, 4.2 s, 3 min. */
export function span(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  return clock(ms)
}

export function tokens(n: number): string {
  return n < 1000 ? String(n) : n < 1e6 ? `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)}k` : `${(n / 1e6).toFixed(1)}M`
}

/** cost formats billionths of a dollar. */
export function cost(n: number): string {
  const dollars = n / 1e9
  return '$' + (dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2))
}

export const plural = (n: number, one: string, many = one + 's') => `${n} ${n === 1 ? one : many}`

export function ago(time: string, now = Date.now()): string {
  const s = Math.max(0, (now - Date.parse(time)) / 1000)
  if (s < 60) return 'just now'
  if (s < 3600) return `${Math.floor(s / 60)} min ago`
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`
  return new Date(time).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: s > 3e7 ? 'numeric' : undefined })
}

/** bytes formats a number of bytes: 512 B, 1.5 kB, 2.0 MB. */
export function bytes(n: number): string {
  return n < 1000 ? `${n} B` : n < 1e6 ? `${(n / 1000).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`
}

/** instant parses a time with its full fraction: a stop can be shorter than a millisecond. */
export function instant(time: string): number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? ''
  return Date.parse(time.replace(/\.\d+/, '')) + Number((fraction + '000000000').slice(0, 9)) / 1e6
}
