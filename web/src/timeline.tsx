import { useEffect, useRef, useState } from 'preact/hooks'
import { instant, span } from './figures'
import type { Span, Turn } from './record'

interface Mark { label: string; at: number; stop?: boolean }

/** marks returns the times of a stop from the receipt. */
export function marks(turn: Turn): Mark[] {
  const t = turn.receipt?.times
  const all: (Mark | false | undefined)[] = [
    t?.stop_requested && { label: 'stop requested', at: instant(t.stop_requested), stop: true },
    t?.stop_requested && t.stream_closed && { label: 'model stream closed', at: instant(t.stream_closed) },
    t?.stop_requested && t.last_process_ended && { label: 'last process ended', at: instant(t.last_process_ended) },
    t?.settled && { label: 'turn ended', at: instant(t.settled) },
  ].map((m) => m || undefined)
  return all.filter((m): m is Mark => !!m).sort((a, b) => a.at - b.at)
}

const names: Record<Span['kind'], string> = {
  queue: 'Queued', model: 'Waiting for the model', thinking: 'Thinking', text: 'Answer', tool: 'Tool', person: 'Waiting for you', pause: 'Retry delay', scan: 'Scanning files for undo',
}

/** lanes places overlapping spans in separate rows. */
function lanes(turn: Turn): { label: string; spans: Span[] }[] {
  const model = turn.spans.filter((s) => ['queue', 'model', 'thinking', 'text', 'pause', 'scan'].includes(s.kind))
  const all = [{ label: 'Model', spans: model }]
  const tools: Span[][] = []
  for (const s of turn.spans.filter((s) => s.kind === 'tool')) {
    const lane = tools.find((l) => (l[l.length - 1]!.to ?? Infinity) <= s.from)
    if (lane) lane.push(s)
    else tools.push([s])
  }
  tools.slice(0, 6).forEach((spans, i) => all.push({ label: i === 0 ? 'Tools' : '', spans }))
  const person = turn.spans.filter((s) => s.kind === 'person')
  if (person.length > 0) all.push({ label: 'You', spans: person })
  return all
}

/** Timeline shows a turn over time, with its stop enlarged. */
export function Timeline({ turn }: { turn: Turn }) {
  const box = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(600)
  useEffect(() => {
    const seen = new ResizeObserver(([e]) => setWidth(Math.max(240, Math.floor(e!.contentRect.width))))
    seen.observe(box.current!)
    return () => seen.disconnect()
  }, [])
  const moments = marks(turn)
  const from = turn.accepted
  const to = Math.max(turn.ended ?? Date.now(), from + 1, ...moments.map((m) => m.at))
  return (
    <figure class="timeline" ref={box}>
      <Whole turn={turn} width={width} from={from} to={to} moments={moments} />
      {moments.some((m) => m.stop) && moments.length > 1 && <Glass width={width} moments={moments} />}
      <figcaption>
        <details open={matchMedia('(max-width: 720px)').matches}><summary>As text</summary><ol>{inWords(turn, moments).map((w) => <li>{w}</li>)}</ol></details>
      </figcaption>
    </figure>
  )
}

function inWords(turn: Turn, moments: Mark[]): string[] {
  const lines = turn.spans.map((s) => ({ at: s.from, text: `at ${span(s.from - turn.accepted)}: ${s.kind === 'tool' ? `tool “${s.label}”` : names[s.kind].toLowerCase()}, for ${span((s.to ?? s.from) - s.from)}` }))
  const asked = moments.find((m) => m.stop)?.at
  for (const m of moments) lines.push({ at: m.at, text: `at ${span(m.at - turn.accepted)}: ${m.label}${asked && !m.stop ? `, ${span(m.at - asked)} after the stop` : ''}` })
  return lines.sort((a, b) => a.at - b.at).map((l) => l.text)
}

/** fitting returns the part of a label that fits into a bar. */
function fitting(label: string, wide: number): string {
  const room = Math.floor((wide - 12) / 6.8)
  return label.length <= room ? label : label.slice(0, room - 1) + '…'
}

const left = 54
const row = 26

function Whole({ turn, width, from, to, moments }: { turn: Turn; width: number; from: number; to: number; moments: Mark[] }) {
  const all = lanes(turn)
  const height = all.length * row + 26
  const x = (at: number) => left + ((at - from) / (to - from)) * (width - left - 8)
  const stop = moments.find((m) => m.stop)
  return (
    <svg width={width} height={height} role="img" aria-label={`Timeline of the turn: ${inWords(turn, moments).join('; ')}`}>
      {all.map((lane, i) => (
        <g key={i}>
          <text x={0} y={i * row + 17} class="lane">{lane.label}</text>
          {lane.spans.map((s, n) => {
            const start = x(s.from)
            const wide = Math.max(2, x(s.to ?? to) - start)
            const label = s.kind === 'tool' ? s.label : names[s.kind]
            return (
              <g key={n}>
                <title>{`${label}: ${span((s.to ?? to) - s.from)}`}</title>
                <rect x={start} y={i * row + 4} width={wide} height={row - 8} rx={3} class={'of-' + s.kind} />
                {wide > 60 && <text x={start + 6} y={i * row + 17} class={'name-of of-' + s.kind}>{fitting(label, wide)}</text>}
              </g>
            )
          })}
        </g>
      ))}
      {stop && <line x1={x(stop.at)} x2={x(stop.at)} y1={0} y2={height - 20} class="cord" />}
      <line x1={left} x2={width - 8} y1={height - 20} y2={height - 20} class="axis" />
      <text x={left} y={height - 6} class="tick">0</text>
      <text x={width - 8} y={height - 6} class="tick end">{span(to - from)}</text>
      {stop && x(stop.at) > left + 60 && x(stop.at) < width - 90 && <text x={x(stop.at)} y={height - 6} class="tick middle cord-text">stop</text>}
    </svg>
  )
}

/** Glass enlarges the time between a stop and its end, which is too short to see in the whole turn. */
function Glass({ width, moments }: { width: number; moments: Mark[] }) {
  const asked = moments.find((m) => m.stop)!.at
  const after = moments.filter((m) => m.at >= asked)
  const last = Math.max(after[after.length - 1]!.at - asked, 0.001)
  const x = (at: number) => 10 + ((at - asked) / last) * (width - 20)
  const height = 30 + after.length * 20
  return (
    <svg width={width} height={height} role="img" aria-label={`The stop: ${after.map((m) => `${m.label} after ${span(m.at - asked)}`).join(', ')}`} class="glass">
      <line x1={10} x2={width - 10} y1={12} y2={12} class="axis" />
      {after.map((m, i) => {
        const at = x(m.at)
        const rightHalf = at > width / 2
        const y = 34 + i * 20
        return (
          <g key={m.label}>
            <line x1={at} x2={at} y1={12} y2={y - 4} class={m.stop ? 'cord' : 'axis'} />
            <circle cx={at} cy={12} r={m.stop ? 5 : 4} class={m.stop ? 'cord-dot' : 'dot'} />
            <text x={at + (rightHalf ? -6 : 6)} y={y} class={'tick' + (rightHalf ? ' end' : '') + (m.stop ? ' cord-text' : '')}>{m.stop ? m.label : `${m.label} +${span(m.at - asked)}`}</text>
          </g>
        )
      })}
    </svg>
  )
}
