import { visible } from './visible'

export interface Line { sign: ' ' | '+' | '-'; text: string }

// With more pairs of lines than this, the two sides are shown one after the
// other.
const mostPairs = 250_000

const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** differences returns the lines of two texts as removed, added or unchanged. */
export function differences(before: string, after: string): Line[] {
  const a = lines(before)
  const b = lines(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const same = (text: string): Line => ({ sign: ' ', text })
  return [...a.slice(0, head).map(same), ...changed(a.slice(head, a.length - tail), b.slice(head, b.length - tail)), ...a.slice(a.length - tail).map(same)]
}

/** changed compares by the longest common subsequence of lines. */
function changed(a: string[], b: string[]): Line[] {
  const removed = (text: string): Line => ({ sign: '-', text })
  const added = (text: string): Line => ({ sign: '+', text })
  if (a.length * b.length > mostPairs) return [...a.map(removed), ...b.map(added)]
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!)
  const out: Line[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push({ sign: ' ', text: a[i++]! }); j++ } else if (j === b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) out.push(removed(a[i++]!))
    else out.push(added(b[j++]!))
  }
  return out
}

const names = { '+': 'added', '-': 'removed', ' ': 'same' }

/** Diff shows changed lines, each with a sign, so that colour is never the only difference. */
export function Diff({ of, label }: { of: Line[]; label: string }) {
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={label}>
      {of.map((l, i) => <div key={i} class={names[l.sign]}><span class="sign">{l.sign === '-' ? '−' : l.sign}</span>{visible(l.text) || ' '}</div>)}
    </pre>
  )
}

/** counts returns the number of added and removed lines: +2 −1. */
export function counts(of: Line[]): string {
  const n = (sign: string) => of.filter((l) => l.sign === sign).length
  return [n('+') && `+${n('+')}`, n('-') && `−${n('-')}`].filter(Boolean).join(' ')
}
