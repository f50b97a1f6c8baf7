// Notifications while the page is hidden: a turn waits for an answer, or has
// ended. A hidden page has no event stream, so it asks for the turns instead.
// While the page is closed, the server sends them: see push.ts and worker.js.
import { useEffect } from 'preact/hooks'
import { ask } from './client'
import { notify, permission, pushKey } from './notify'
import { settings, whenChanged } from './settings'
import { visible } from './visible'
import type { Me, Session, TurnReport } from './words'

const every = 3000 // milliseconds; browsers slow it down to once a minute after some time

/** hasPush reports whether someone turned on notifications for the closed page in this browser. */
function hasPush(): boolean { try { return localStorage.getItem(pushKey) !== null } catch { return false } }

const ends: { [end: string]: string } = { done: 'Done', stopped: 'Stopped', failed: 'Failed', lost: 'Lost: Bellcord ended during this turn' }

/** useNotices notifies about the user's own turns while the page is hidden. */
export function useNotices(me: Me | undefined) {
  const owner = me?.owner
  useEffect(() => {
    if (owner === undefined) return
    if (hasPush()) void import('./push').then((m) => m.refresh(owner)).catch(() => {}) // the settings show the reason
    let seen: Map<string, TurnReport> | undefined
    let timer = 0
    let busy = false
    const look = async () => {
      if (busy || !document.hidden) return
      busy = true
      try {
        const { turns } = await ask<{ turns: TurnReport[] }>('GET', '/v1/turns')
        const now = new Map(turns.map((t) => [t.id, t]))
        const before = seen
        seen = now
        if (before && document.hidden) await compare(before, now, owner)
      } catch { /* the next look may succeed */ } finally { busy = false }
    }
    const start = () => {
      clearInterval(timer)
      const { waiting, ended } = settings()
      if (!document.hidden || !(waiting || ended) || permission() !== 'granted') { seen = undefined; return }
      void look()
      timer = setInterval(() => void look(), every) as unknown as number
    }
    document.addEventListener('visibilitychange', start)
    const leave = whenChanged(start)
    start()
    return () => { clearInterval(timer); document.removeEventListener('visibilitychange', start); leave() }
  }, [owner])
}

/** compare notifies about turns that wait or have ended since the last look. */
async function compare(before: Map<string, TurnReport>, now: Map<string, TurnReport>, owner: string) {
  const { waiting, ended } = settings()
  const tell = async (t: TurnReport, title: string) => {
    const session = await ask<Session>('GET', `/v1/sessions/${t.session}`)
    if ((session.owner ?? owner) !== owner) return // an admin also sees the turns of others
    await notify(title, visible(session.title || t.text).slice(0, 120), `/s/${t.session}`, t.id)
  }
  for (const t of now.values()) {
    if (waiting && t.state === 'waiting' && before.get(t.id)?.state !== 'waiting') await tell(t, 'Waiting for you')
  }
  for (const t of before.values()) {
    if (!ended || now.has(t.id) || t.state === 'queued') continue
    const { state } = await ask<TurnReport>('GET', `/v1/turns/${t.id}`)
    await tell(t, ends[state] ?? 'Ended')
  }
}
