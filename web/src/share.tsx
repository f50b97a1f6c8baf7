import { useEffect, useState } from 'preact/hooks'
import { plural } from './figures'
import { Markdown } from './markdown'
import { printed, visible } from './visible'

interface Part { text?: string; tool?: string; title?: string; outcome?: string; input?: string; output?: string }
interface Turn { prompt: string; images?: number; files?: number; accepted: string; end?: string; parts: Part[] }
interface Shared { title?: string; owner?: string; created: string; expires: string; turns: Turn[] }

const day = (time: string) => new Date(time).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const outcomes: { [word: string]: string } = { not_started: 'not run', unknown: 'unknown: may have run' }

/** ShareView shows a shared conversation. It needs no login, and sends none: the token of the link is all that it has. */
export default function ShareView({ token }: { token: string }) {
  const [shared, set] = useState<Shared>()
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    fetch('/v1/shared', { headers: { 'Bellcord-Share': token }, credentials: 'omit', cache: 'no-store', redirect: 'error', referrerPolicy: 'no-referrer' })
      .then(async (r) => {
        if (r.ok) set(await r.json())
        else setTrouble(r.status === 404 ? 'This link does not exist, has expired, or is no longer shared.' : 'The conversation cannot be loaded now.')
      }, () => setTrouble('The server cannot be reached.'))
  }, [token])
  useEffect(() => { document.title = `${shared?.title ? visible(shared.title) : 'Shared conversation'} – Bellcord` }, [shared])
  if (trouble) return <main class="start missing"><h1>Not shared</h1><p class="faint" role="alert">{trouble}</p></main>
  if (!shared) return <main class="start"><p class="faint" role="status">Loading…</p></main>
  return (
    <main class="talk shared">
      <header class="top"><div>
        <h1><span>{visible(shared.title || 'Shared conversation')}</span></h1>
        <p class="faint">{shared.owner ? `Shared by ${visible(shared.owner)}, ` : 'Shared '}{day(shared.created)} · read-only · expires {day(shared.expires)}</p>
      </div></header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Conversation"><div class="column">
        {shared.turns.map((t, i) => (
          <article class="turn" key={i}>
            <div class="prompt"><p class="plain">{visible(t.prompt)}</p>{!!(t.images || t.files) && <p class="faint">{[t.images && plural(t.images, 'image'), t.files && plural(t.files, 'file')].filter(Boolean).join(' and ')} not shared</p>}</div>
            <div class="answer">{t.parts.map((p, j) => (p.tool ? <Tool key={j} part={p} /> : <div class="prose" key={j}><Markdown text={p.text ?? ''} /></div>))}</div>
            {t.end !== 'done' && <p class="foot"><span class={'badge ' + (t.end ?? '')}>{t.end ? t.end[0]!.toUpperCase() + t.end.slice(1) : 'Running when it was shared'}</span></p>}
          </article>
        ))}
        {shared.turns.length === 0 && <p class="faint empty">No messages yet.</p>}
      </div></div>
    </main>
  )
}

function Tool({ part: p }: { part: Part }) {
  const outcome = <span class="outcome">{outcomes[p.outcome ?? ''] ?? p.outcome}</span>
  const head = <><span class="name">{visible(p.tool!)}</span><span class="title">{visible(p.title ?? '')}</span>{outcome}</>
  if (!p.input && !p.output) return <div class={'tool bare ' + (p.outcome ?? '')}>{head}</div>
  return (
    <details class={'tool ' + (p.outcome ?? '')}>
      <summary>{head}</summary>
      <div class="inside">
        {p.input && <><p class="label">Arguments</p><pre class="output">{visible(p.input)}</pre></>}
        {p.output && <><p class="label">Output</p><pre class="output">{printed(p.output)}</pre></>}
      </div>
    </details>
  )
}
