import { lexer, type Token, type Tokens } from 'marked'
import { Component, type ComponentChildren } from 'preact'
import { Code } from './code'

// A model's output is untrusted. It is parsed as Markdown and rendered from a
// fixed list of elements: markup in it stays text, its attributes are dropped,
// and nothing is fetched.

const longest = 200_000

/** Markdown shows the text received so far; an open fence is closed by the parser. */
export function Markdown({ text }: { text: string }) {
  let tokens: Token[] = []
  try {
    if (text.length < longest) tokens = lexer(text, { gfm: true, breaks: false })
  } catch {
    tokens = [] // nested too deeply: shown as plain text
  }
  if (tokens.length === 0) return <div class="prose"><p class="plain">{text}</p></div>
  return <div class="prose">{tokens.map((t, i) => <Block key={i} token={t} />)}</div>
}

/** Block is not rendered again while its source stays the same: a long answer only grows at its end. */
class Block extends Component<{ token: Token }> {
  override shouldComponentUpdate(next: { token: Token }) {
    return next.token.raw !== this.props.token.raw || next.token.type !== this.props.token.type
  }
  override render() { return block(this.props.token) }
}

const blocks = (tokens: Token[] | undefined) => (tokens ?? []).map(block)
const spans = (tokens: Token[] | undefined) => (tokens ?? []).map(inline)

function block(token: Token): ComponentChildren {
  const t = token as any
  switch (t.type) {
    case 'space': case 'def': return null
    case 'hr': return <hr />
    case 'heading': return heading(t.depth, spans(t.tokens))
    case 'paragraph': return <p>{spans(t.tokens)}</p>
    case 'blockquote': return <blockquote>{blocks(t.tokens)}</blockquote>
    case 'code': return <Code text={t.text} language={t.lang} />
    case 'list': return list(t)
    case 'table': return table(t)
    case 'html': return <p class="plain">{t.raw}</p>
    case 'text': return t.tokens ? <>{spans(t.tokens)}</> : <>{plain(t.text)}</>
    default: return inline(token)
  }
}

function heading(depth: number, inside: ComponentChildren) {
  // The page uses the higher heading levels itself.
  if (depth <= 1) return <h3>{inside}</h3>
  if (depth === 2) return <h4>{inside}</h4>
  return depth === 3 ? <h5>{inside}</h5> : <h6>{inside}</h6>
}

function list(t: Tokens.List) {
  const items = t.items.map((item) => (
    <li class={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" checked={!!item.checked} disabled aria-label={item.checked ? 'done' : 'to do'} />}
      {blocks(item.tokens.filter((inner) => (inner.type as string) !== 'checkbox'))}
    </li>
  ))
  return t.ordered ? <ol start={Number(t.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

function table(t: Tokens.Table) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead><tr>{t.header.map((c) => <th scope="col" class={c.align ?? undefined}>{spans(c.tokens)}</th>)}</tr></thead>
        <tbody>{t.rows.map((row) => <tr>{row.map((c) => <td class={c.align ?? undefined}>{spans(c.tokens)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  )
}

function inline(token: Token): ComponentChildren {
  const t = token as any
  switch (t.type) {
    case 'strong': return <strong>{spans(t.tokens)}</strong>
    case 'em': return <em>{spans(t.tokens)}</em>
    case 'del': return <del>{spans(t.tokens)}</del>
    case 'codespan': return <code>{t.text}</code>
    case 'br': return <br />
    case 'escape': return t.text
    case 'link': return <Away href={t.href}>{spans(t.tokens)}</Away>
    case 'image': return <Away href={t.href}>{`[image: ${plain(t.text) || 'no description'}]`}</Away>
    case 'html': return t.raw
    case 'text': return t.tokens ? spans(t.tokens) : plain(t.text)
    default: return t.raw ?? ''
  }
}

/** Away is an external link. A link that is neither a web nor a mail address is shown as text. */
function Away({ href, children }: { href: string; children: ComponentChildren }) {
  const to = safe(plain(href))
  if (!to) return <>{children}</>
  return <a href={to} title={to} target="_blank" rel="noopener noreferrer nofollow">{children}</a>
}

export function safe(href: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return undefined
  try {
    const url = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) && !url.username && !url.password ? url.href : undefined
  } catch {
    return undefined
  }
}

const named: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', hellip: '…', mdash: '—', ndash: '–' }

/** plain decodes the few entities that models write. The result is plain text. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name) return named[name] ?? whole
    const point = decimal ? parseInt(decimal, 10) : parseInt(hex, 16)
    return point > 31 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}
