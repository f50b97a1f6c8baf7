// Differences between two texts, and diffs that others wrote.

/** Line is a line of a diff: removed, added, unchanged, or a heading. marks are the changed parts of the text. */
export interface Line { sign: ' ' | '+' | '-' | '@'; text: string; number?: number; marks?: [from: number, to: number][] }

// With more pairs of lines than this, the two sides are shown one after the
// other.
const mostPairs = 250_000

const split = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** differences returns the lines of two texts as removed, added or unchanged. With first, the number of the first line, they are numbered. */
export function differences(before: string, after: string, first?: number): Line[] {
  const out = compared(split(before), split(after), mostPairs).map(([sign, text]): Line => ({ sign, text }))
  if (first !== undefined) number(out, first, first)
  return words(out)
}

/** number gives removed lines their old numbers, and other lines their new ones. */
export function number(lines: Line[], old: number, now: number) {
  for (const l of lines) {
    if (l.sign === '@') continue
    l.number = l.sign === '-' ? old : now
    if (l.sign !== '+') old++
    if (l.sign !== '-') now++
  }
}

type Compared = [' ' | '+' | '-', string]

/** compared compares by the longest common subsequence. */
function compared(a: string[], b: string[], most: number): Compared[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const same = (text: string): Compared => [' ', text]
  return [...a.slice(0, head).map(same), ...changed(a.slice(head, a.length - tail), b.slice(head, b.length - tail), most), ...a.slice(a.length - tail).map(same)]
}

function changed(a: string[], b: string[], most: number): Compared[] {
  if (a.length * b.length > most) return [...a.map((t): Compared => ['-', t]), ...b.map((t): Compared => ['+', t])]
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!)
  const out: Compared[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push([' ', a[i++]!]); j++ } else if (j === b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) out.push(['-', a[i++]!])
    else out.push(['+', b[j++]!])
  }
  return out
}

/** words marks the changed words where removed lines are followed by added ones. */
export function words(lines: Line[]): Line[] {
  for (let i = 0; i < lines.length;) {
    let mid = i
    while (lines[mid]?.sign === '-') mid++
    let end = mid
    while (lines[end]?.sign === '+') end++
    for (let n = 0; mid > i && n < Math.min(mid - i, end - mid); n++) pair(lines[i + n]!, lines[mid + n]!)
    i = Math.max(end, i + 1)
  }
  return lines
}

/** pair marks the words in which two lines differ, unless they have little in common. */
function pair(before: Line, after: Line) {
  const parts = (text: string) => text.match(/[\p{L}\p{Nd}_]+|\s+|[^]/gu) ?? []
  const [a, b] = [parts(before.text), parts(after.text)]
  if (a.length * b.length > 40_000) return
  const all = compared(a, b, 40_000)
  const common = all.reduce((n, [sign, text]) => n + (sign === ' ' ? text.trim().length : 0), 0)
  if (common * 3 < Math.max(before.text.trim().length, after.text.trim().length)) return
  const marks = (sign: '-' | '+') => {
    const out: [number, number][] = []
    let at = 0
    for (const [s, text] of all) {
      if (s !== ' ' && s !== sign) continue
      const last = out[out.length - 1]
      if (s === sign && last?.[1] === at) last[1] += text.length
      else if (s === sign) out.push([at, at + text.length])
      at += text.length
    }
    return out
  }
  before.marks = marks('-')
  after.marks = marks('+')
}

/** unified reads a diff or a patch. Lines are numbered after a heading with numbers. */
export function unified(text: string): Line[] {
  const out: Line[] = []
  let part: Line[] = []
  let start: [number, number] | undefined
  const close = () => { if (start) number(part, ...start); out.push(...words(part)); part = [] }
  for (const line of split(text)) {
    const heading = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (heading || /^(@@|\*\*\* |diff |index |(---|\+\+\+) |[nN]ew file|deleted file|rename |similarity )/.test(line)) {
      close()
      start = heading ? [Number(heading[1]), Number(heading[2])] : undefined
      out.push({ sign: '@', text: line })
    } else part.push({ sign: line[0] === '+' || line[0] === '-' ? line[0] : ' ', text: /^[-+ ]/.test(line) ? line.slice(1) : line })
  }
  close()
  return out
}

/** counts returns the number of added and removed lines: +2 −1. */
export function counts(of: Line[]): string {
  const n = (sign: string) => of.filter((l) => l.sign === sign).length
  return [n('+') && `+${n('+')}`, n('-') && `−${n('-')}`].filter(Boolean).join(' ')
}
