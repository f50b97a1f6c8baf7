// Finds keywords, strings, comments and numbers in code, as internal/highlight
// does in the terminal, with the same table. It is a separate file of the build,
// which the page loads when it shows the first code.
import table from './languages.json'

/** Kind numbers the parts as internal/highlight does. */
export const enum Kind { Plain, Keyword, Str, Comment, Num, Added, Removed }
export type Span = [kind: Kind, text: string]

interface Row { n: string; k?: string; i?: boolean; c?: string[]; b?: string[][]; s?: string[][]; q?: string }
interface Language { keywords: Set<string>; anyCase: boolean; comments: string[]; blocks: { begin: string; end: string; kind: Kind }[]; quotes: string }

const languages = new Map<string, Language>()
for (const r of table as Row[]) {
  const block = (kind: Kind) => ([begin, end]: string[]) => ({ begin: begin!, end: end!, kind })
  const language = {
    keywords: new Set(r.k?.split(' ')), anyCase: !!r.i, comments: r.c ?? [], quotes: r.q ?? '',
    blocks: [...(r.b ?? []).map(block(Kind.Comment)), ...(r.s ?? []).map(block(Kind.Str))],
  }
  for (const name of r.n.split(' ')) languages.set(name, language)
}

/** lines returns the parts of each line, or undefined if the language is unknown. The texts of the parts of a line are the line. */
export function lines(language: string, all: string[]): Span[][] | undefined {
  const name = language.toLowerCase()
  if (name === 'diff' || name === 'patch') return all.map((line) => [[diffKind(line), line]])
  const known = languages.get(name)
  if (!known) return undefined
  const state: State = { until: '', kind: Kind.Plain }
  return all.map((line) => scanned(known, state, line))
}

const diffKind = (line: string) => (line[0] === '+' ? Kind.Added : line[0] === '-' ? Kind.Removed : line.startsWith('@@') ? Kind.Comment : Kind.Plain)

/** State is the end of a comment or string that continues from the line before. */
interface State { until: string; kind: Kind }

function scanned(l: Language, state: State, line: string): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < line.length;) {
    const [kind, size] = next(l, state, line, at)
    const text = line.slice(at, at + size)
    const last = spans[spans.length - 1]
    if (last?.[0] === kind) last[1] += text
    else spans.push([kind, text])
    at += size
  }
  return spans
}

const number = /\p{Nd}[\p{L}\p{Nd}._]*/uy
const word = /[\p{L}_$@][\p{L}\p{Nd}_$@]*/uy

/** next returns the kind and the size of the part at a position. */
function next(l: Language, state: State, line: string, at: number): [Kind, number] {
  if (state.until) return rest(state, line, at, 0)
  if (l.comments.some((mark) => line.startsWith(mark, at))) return [Kind.Comment, line.length - at]
  const block = l.blocks.find((b) => line.startsWith(b.begin, at))
  if (block) {
    state.until = block.end
    state.kind = block.kind
    return rest(state, line, at, block.begin.length)
  }
  if (l.quotes.includes(line[at]!)) return [Kind.Str, quoted(line, at)]
  number.lastIndex = word.lastIndex = at
  const digits = number.exec(line)
  if (digits) return [Kind.Num, digits[0].length]
  const found = word.exec(line)?.[0]
  if (!found) return [Kind.Plain, line.codePointAt(at)! > 0xffff ? 2 : 1]
  return [l.keywords.has(l.anyCase ? found.toLowerCase() : found) ? Kind.Keyword : Kind.Plain, found.length]
}

/** rest returns the part up to the end of a comment or string that is open. */
function rest(state: State, line: string, at: number, begin: number): [Kind, number] {
  const end = line.indexOf(state.until, at + begin)
  if (end < 0) return [state.kind, line.length - at]
  const size = end + state.until.length - at
  state.until = ''
  return [state.kind, size]
}

/** quoted returns the size of a string that ends on its line. One that is not closed ends with the line. */
function quoted(line: string, at: number): number {
  for (let i = at + 1; i < line.length; i++) {
    if (line[i] === '\\') i++
    else if (line[i] === line[at]) return i + 1 - at
  }
  return line.length - at
}
