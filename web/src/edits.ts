// The changes that a call makes to files: from the question about it, from its
// arguments, or from its result.
import { differences, number, unified, words, type Line } from './lines'
import type { Change } from './words'

/** FileChange is the changes of one file. */
export interface FileChange { path: string; lines: Line[] }

export const edits = new Set(['edit_file', 'write_file', 'apply_patch'])

/** changesOf returns the changes of a call to files, or undefined if the page has none. */
export function changesOf(name: string, args: any, asked?: Change[], result?: string, dir = ''): FileChange[] | undefined {
  if (asked?.length) return fromQuestion(asked, dir)
  if (name === 'write_file' && typeof args?.content === 'string') return [{ path: String(args.path ?? ''), lines: differences('', args.content, 1) }]
  if (name === 'apply_patch' && typeof args?.patch === 'string') return [{ path: '', lines: unified(args.patch) }]
  if (name !== 'edit_file') return undefined
  const path = String(args?.path ?? '')
  const done = result === undefined ? undefined : fromResult(result).lines
  if (done) return [{ path, lines: done }]
  const all: any[] = Array.isArray(args?.edits) ? args.edits : [args]
  if (!all.every((e) => typeof e?.old === 'string')) return undefined
  const lines = all.flatMap((e, i): Line[] => [...(i > 0 ? [{ sign: '@', text: `edit ${i + 1}` } as Line] : []), ...differences(e.old, typeof e.new === 'string' ? e.new : '')])
  return [{ path, lines }]
}

function fromQuestion(asked: Change[], dir: string): FileChange[] {
  const files = new Map<string, FileChange>()
  for (const c of asked) {
    const path = dir && c.path.startsWith(dir + '/') ? c.path.slice(dir.length + 1) : c.path
    const had = files.get(c.path)
    const lines = differences(c.old ?? '', c.new, c.line || 1)
    if (had) had.lines.push({ sign: '@', text: '⋯' }, ...lines)
    else files.set(c.path, { path, lines: folded(lines) })
  }
  return [...files.values()]
}

/** around is the number of unchanged lines that are shown before and after a change. */
const around = 3

/** folded removes unchanged lines that are far from a change. */
function folded(lines: Line[]): Line[] {
  const near = new Set<number>()
  lines.forEach((l, i) => { if (l.sign !== ' ') for (let n = i - around; n <= i + around; n++) near.add(n) })
  const out: Line[] = []
  lines.forEach((l, i) => {
    if (near.has(i)) out.push(l)
    else if (out.length > 0 && out[out.length - 1]!.sign !== '@') out.push({ sign: '@', text: '⋯' })
  })
  if (out[out.length - 1]?.text === '⋯') out.pop()
  return out
}

/**
 * fromResult reads the changes in a result of the built-in tools, which
 * internal/tool/diff.go writes. lines is undefined if the result has none, or
 * not all of them; rest is the other text.
 */
export function fromResult(result: string): { lines?: Line[]; rest: string } {
  const out: Line[] = []
  const rest: string[] = []
  let part: Line[] = []
  let start: number | undefined
  let moved = 0
  let whole = true
  const close = () => {
    if (start === undefined) return
    number(part, start - moved, start)
    moved += part.filter((l) => l.sign === '+').length - part.filter((l) => l.sign === '-').length
    out.push(...words(part))
    part = []
  }
  for (const line of result.split('\n')) {
    const heading = /^@@ line (\d+) @@$/.exec(line)
    const found = start === undefined ? null : /^(?:([ +])(\d+)→|(-))(.*)$/.exec(line)
    if (heading) {
      close()
      if (out.length > 0) out.push({ sign: '@', text: '⋯' })
      start = Number(heading[1])
    } else if (found) {
      if (part.length === 0 && found[2]) start = Number(found[2])
      if (/^\[\d+ more lines\]$/.test(found[4]!) || found[4]!.length >= 200) whole = false
      part.push({ sign: (found[1] ?? '-') as Line['sign'], text: found[4]! })
    } else {
      if (/^\[and \d+ more\]$/.test(line)) whole = false
      else if (!/^edited .* \(\d+ places?\)$/.test(line)) rest.push(line)
    }
  }
  close()
  return { lines: whole && out.length > 0 ? out : undefined, rest: rest.join('\n').trim() }
}
