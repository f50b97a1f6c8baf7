import type { ComponentChildren } from 'preact'
import { marked } from './coloured'
import type { Span } from './highlight'
import type { Line } from './lines'
import { useSpans } from './scanner'
import { visible } from './visible'

const names = { '+': 'added', '-': 'removed', ' ': 'same', '@': 'heading' }

// The mark is a text that a screen reader reads; the sign is drawn.
const spoken = { '+': 'added: ', '-': 'removed: ', ' ': '', '@': '' }

/** Diff shows changed lines. Each has a sign, so that colour is never the only difference. */
export function Diff({ of, label, language = '' }: { of: Line[]; label: string; language?: string }) {
  const shown = of.map((l) => ({ ...l, text: visible(l.text) }))
  const spans = useSpans(language, shown.map((l) => (l.sign === '@' ? '' : l.text)))
  const wide = String(Math.max(0, ...of.map((l) => l.number ?? 0))).length
  const numbered = of.some((l) => l.number !== undefined)
  return (
    <pre class={`diff${numbered ? ` numbered wide-${Math.min(wide, 6)}` : ''}`} tabIndex={0} role="region" aria-label={label}>
      {shown.map((l, i) => (
        <div key={i} class={names[l.sign]}>
          {numbered && <span class="number" aria-hidden="true">{l.number ?? ''}</span>}
          {l.sign !== '@' && <span class="sign" aria-hidden="true">{l.sign === '-' ? '−' : l.sign}</span>}
          {spoken[l.sign] && <span class="hidden">{spoken[l.sign]}</span>}
          <span class="line">{text(l, of[i]!.text === l.text ? l.marks : undefined, l.sign === '@' ? undefined : spans?.[i])}</span>
        </div>
      ))}
    </pre>
  )
}

/** text returns a line with its changed words marked, in the colours of its language. */
function text(l: Line, marks: Line['marks'], spans: Span[] = [[0, l.text]]): ComponentChildren {
  if (l.text === '') return ' '
  const out: ComponentChildren[] = []
  let at = 0
  for (const [from, to] of marks ?? []) {
    out.push(marked(spans, at, from), <span class="word">{marked(spans, from, to)}</span>)
    at = to
  }
  out.push(marked(spans, at))
  return out
}
