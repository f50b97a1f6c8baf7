import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, Problem } from './client'
import { ago, plural } from './figures'
import { isScratch, setHome, shortPath } from './paths'
import { here } from './route'
import { visible } from './visible'
import type { Me, Session } from './words'

interface Hit { session: Session; where: 'title' | 'prompt' | 'answer' | 'dir'; turn?: string; pieces: { text: string; match?: boolean }[] }
interface Hits { hits: Hit[]; complete: boolean; next_cursor?: string }

// The pause in typing after which a search starts, in milliseconds.
const typing = 200

// The states of sessions, as on the rest of the page.
const states: { [state: string]: string } = { running: 'Running', waiting: 'Waiting for you', held: 'Held', ended: 'Ended' }

/** inAddress returns a part of the search from the address. */
const inAddress = (name: 'q' | 'dir' | 'state') => new URLSearchParams(location.search).get(name) ?? ''

/** SearchView searches the sessions. The query, the project and the state are part of the address. */
export default function SearchView({ me }: { me?: Me }) {
  const [query, setQuery] = useState(() => inAddress('q'))
  const [dir, setDir] = useState(() => inAddress('dir'))
  const [state, setState] = useState(() => inAddress('state'))
  const [dirs, setDirs] = useState<string[]>([])
  const [found, setFound] = useState<Hits & { query: string }>()
  const [trouble, setTrouble] = useState('')
  const box = useRef<HTMLInputElement>(null)
  /** older continues a search with the sessions that were updated earlier. */
  const older = (before: Hits & { query: string }) => {
    const wanted = new URLSearchParams(location.search)
    wanted.set('before', before.next_cursor!)
    ask<Hits>('GET', `/v1/search?${wanted}`).then((next) => {
      setFound((now) => (now === before ? { ...next, query: before.query, hits: [...before.hits, ...next.hits] } : now))
      say(next.hits.length ? plural(next.hits.length, 'older session') + ' found.' : 'No older session found.')
    }, (err: Problem) => setTrouble(err.message))
  }
  useEffect(() => {
    box.current!.focus()
    void ask('GET', '/v1/projects').then((p) => { setHome(p.home); setDirs(p.projects.map((x: { dir: string }) => x.dir)) }).catch(() => {})
    const back = () => { setQuery(inAddress('q')); setDir(inAddress('dir')); setState(inAddress('state')) }
    addEventListener('popstate', back)
    return () => removeEventListener('popstate', back)
  }, [])
  useEffect(() => {
    const words = query.trim()
    document.title = words ? `${words} – Search – Bellcord` : 'Search – Bellcord'
    const wanted = new URLSearchParams({ ...(words && { q: words }), ...(dir && { dir }), ...(state && { state }) }).toString()
    history.replaceState(null, '', wanted ? `/search?${wanted}` : '/search')
    if (!words && !state) { setFound(undefined); return } // the server searches for words or for a state
    const given = new AbortController()
    const timer = setTimeout(() => {
      ask<Hits>('GET', `/v1/search?${wanted}`, undefined, { signal: given.signal }).then((hits) => {
        if (given.signal.aborted) return
        setTrouble('')
        setFound({ ...hits, query: words || states[state] || state })
        say(hits.hits.length ? plural(hits.hits.length, 'session') + ' found.' : `Nothing found for ${words || states[state] || state}.`)
      }, (err: Problem) => { if (!given.signal.aborted) setTrouble(err.message) })
    }, typing)
    return () => { clearTimeout(timer); given.abort() }
  }, [query, dir, state])
  return (
    <main class="talk search">
      <header class="top">
        <a class="back" href="/" onClick={here} aria-label="All sessions">‹</a>
        <h1 class="hidden">Search</h1>
        <input ref={box} type="search" aria-label="Search sessions" placeholder="Search sessions" maxLength={200} value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
        {(dirs.length > 0 || dir) && (
          <label class="choose"><span>Project</span>
            <select value={dir} onChange={(e) => setDir(e.currentTarget.value)}>
              <option value="">All</option>
              {[...new Set([...dirs, dir])].filter(Boolean).map((d) => <option value={d} key={d}>{shortPath(d)}</option>)}
            </select>
          </label>
        )}
        <label class="choose"><span>State</span>
          <select value={state} onChange={(e) => setState(e.currentTarget.value)}>
            <option value="">Any</option>
            {Object.entries(states).map(([value, name]) => <option value={value} key={value}>{name}</option>)}
          </select>
        </label>
      </header>
      {trouble && <p class="banner" role="alert">{trouble}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Found sessions">
        <ul class="column hits">
          {found?.hits.map((h) => <Found key={h.session.id} hit={h} me={me} />)}
          {found && found.hits.length === 0 && <li class="faint empty">Nothing found for {visible(found.query)}.</li>}
          {found && !found.complete && (
            <li class="faint">
              There may be more: use more words{found.next_cursor ? <>, or <button class="link" onClick={() => older(found)}>search older sessions</button></> : ''}.
            </li>
          )}
          {!found && <li class="faint empty">Search the titles, prompts, answers and directories of your sessions.</li>}
        </ul>
      </div>
    </main>
  )
}

function Found({ hit: { session: s, where, turn, pieces }, me }: { hit: Hit; me?: Me }) {
  const facts = [!isScratch(s) && shortPath(s.dir), ago(s.updated), s.owner !== me?.owner && s.owner].filter(Boolean)
  return (
    <li>
      <a href={`/s/${s.id}${turn ? `/t/${turn}` : ''}`} onClick={here}>
        <span class="title">{where === 'title' && s.title ? <Marked pieces={pieces} /> : visible(s.title || 'Untitled')}</span>
        <span class="faint">{facts.join(' · ')}</span>
        {where !== 'title' && <span class="fragment"><Marked pieces={pieces} /></span>}
      </a>
    </li>
  )
}

/** Marked shows the text around a match. The server returns plain text in pieces, so that no text becomes markup. */
function Marked({ pieces }: { pieces: Hit['pieces'] }) {
  return <>{pieces.map((p, i) => (p.match ? <mark key={i}>{visible(p.text)}</mark> : <span key={i}>{visible(p.text)}</span>))}</>
}
