import { span } from './figures'
import type { Histogram } from './metrics'

/** Bars shows the distribution of stop durations, with a line at the limit of one second. */
export function Bars({ histogram: h, label }: { histogram: Histogram; label: string }) {
  const wide = 320
  const high = 96
  const most = Math.max(1, ...h.counts)
  const step = wide / h.counts.length
  const bound = (i: number) => span((h.bounds[i] ?? 0) * 1000)
  const bar = (n: number, i: number) => (h.bounds[i] === Infinity ? `${n} over ${bound(i - 1)}` : `${n} within ${bound(i)}`)
  const words = h.counts.map((n, i) => (n ? bar(n, i) : '')).filter(Boolean).join(', ')
  const line = h.bounds.findIndex((b) => b >= 1) + 1
  return (
    <svg class="bars" viewBox={`0 0 ${wide} ${high + 18}`} role="img" aria-label={`${label}: ${words || 'none yet'}`}>
      <line x1={0} x2={wide} y1={high} y2={high} class="axis" />
      {h.counts.map((n, i) => (
        <g key={i}>
          <title>{bar(n, i)}</title>
          <rect x={i * step + 1.5} width={step - 3} y={high - (n / most) * (high - 6)} height={(n / most) * (high - 6)} rx={2} class={h.bounds[i]! > 1 ? 'amount late' : 'amount'} />
        </g>
      ))}
      <line x1={line * step} x2={line * step} y1={0} y2={high} class="cord dashed" />
      <text x={0} y={high + 13} class="tick">{bound(0)}</text>
      <text x={line * step} y={high + 13} class="tick middle">1 s</text>
    </svg>
  )
}

/** Line shows the values of a number since the page was opened. */
export function Line({ values, label }: { values: number[]; label: string }) {
  const wide = 160
  const high = 36
  const most = Math.max(1, ...values)
  const points = values.map((v, i) => `${(i / Math.max(1, values.length - 1)) * wide},${high - 2 - (v / most) * (high - 4)}`).join(' ')
  return (
    <svg class="line" viewBox={`0 0 ${wide} ${high}`} role="img" aria-label={`${label}: now ${values[values.length - 1] ?? 0}, maximum ${Math.max(0, ...values)} since this page was opened`}>
      <polyline points={points} class="path" />
    </svg>
  )
}
