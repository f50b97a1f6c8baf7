import { useEffect, useState } from 'preact/hooks'
import { ask, logOut } from './client'
import { whenTurnsChange } from './conversation'
import { ago } from './figures'
import { groups, waiting } from './groups'
import { setHome } from './paths'
import { go, here } from './route'
import { visible } from './visible'
import { countWaiting } from './waiting'
import { may, type Me, type Session, type TurnReport } from './words'

interface Props { current?: string; me?: Me }

/** Sessions lists the sessions: those that wait for the user first, then by project and day. */
export function Sessions({ current, me }: Props) {
  const [sessions, set] = useState<Session[]>()
  const [next, setNext] = useState('')
  const [live, setLive] = useState<Map<string, TurnReport>>(new Map())
  useEffect(() => { void ask('GET', '/v1/projects').then((p) => setHome(p.home)).catch(() => {}) }, [me?.owner])
  useEffect(() => {
    let asked = 0
    const look = async () => {
      if (document.hidden) return
      const nth = ++asked
      try {
        const [page, turns] = await Promise.all([ask('GET', '/v1/sessions?limit=40'), ask('GET', '/v1/turns')])
        if (nth !== asked) return // a newer request has been made
        set((old) => [...page.sessions, ...(old ?? []).slice(40).filter((s) => !page.sessions.some((p: Session) => p.id === s.id))])
        setNext((old) => old || page.next_cursor || '')
        setLive(new Map(turns.turns.filter((t: TurnReport) => t.state !== 'queued').map((t: TurnReport) => [t.session, t])))
      } catch { if (nth === asked) setLive(new Map()) } // the running turns cannot be determined; the conversation shows why
    }
    void look()
    const timer = setInterval(() => void look(), 4000)
    document.addEventListener('visibilitychange', look)
    const leave = whenTurnsChange(() => void look())
    return () => { asked = -1; clearInterval(timer); document.removeEventListener('visibilitychange', look); leave() }
  }, [current])
  const waits = waiting(live)
  useEffect(() => countWaiting(waits), [waits])
  const more = async () => {
    const page = await ask('GET', `/v1/sessions?limit=40&before=${encodeURIComponent(next)}`)
    set((old) => [...(old ?? []), ...page.sessions])
    setNext(page.next_cursor ?? '')
  }
  return (
    <nav class="sessions" aria-label="Sessions">
      <header>
        <a class="brand" href="/" onClick={here}><img src="/icon.svg" alt="" width={22} height={22} />Bellcord</a>
        <a class="button" href="/" onClick={here}>New</a>
      </header>
      <a class="button find" href="/search" onClick={here}>Search <kbd class="faint" aria-hidden="true">Ctrl K</kbd></a>
      <div class="list">
        {groups(sessions ?? [], live).map((g) => (
          <section key={g.name} aria-label={g.name}>
            <h2>{g.name}<span class="faint" aria-hidden="true"> {g.sessions.length}</span></h2>
            <ul>
              {g.sessions.map(({ session: s, day }) => (
                <li key={s.id}>
                  {day && <p class="day faint">{day}</p>}
                  <a href={`/s/${s.id}`} onClick={here} aria-current={s.id === current ? 'page' : undefined}>
                    <span class="title">{visible(s.title || 'Untitled')}</span>
                    <span class="faint">
                      {live.has(s.id) ? <><i class={live.get(s.id)!.state === 'stopping' ? 'square' : 'dot'} aria-hidden="true" />{live.get(s.id)!.state === 'waiting' ? 'waiting for you' : live.get(s.id)!.state}</> : ago(s.updated)}
                      {s.owner && s.owner !== me?.owner && ` · ${s.owner}`}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {sessions?.length === 0 && <p class="faint empty">No sessions yet.</p>}
        {me && !may(me, 'admin') && !next && <p class="faint note">Only your own sessions are listed. To see other people’s, log in with <code>bellcord open --admin</code>.</p>}
        {next && <button type="button" class="quiet" onClick={() => void more()}>Show older sessions</button>}
      </div>
      <footer>
        <a href="/ops" onClick={here}>Operations{live.size > 0 && <span class="faint"> {live.size}<span class="hidden"> live</span></span>}</a>
        <a href="/settings" onClick={here}>Settings</a>
        {me && <button type="button" class="quiet" onClick={() => void logOut().then(() => go('/login'))}>Log out<span class="faint"> {me.owner}</span></button>}
      </footer>
    </nav>
  )
}
