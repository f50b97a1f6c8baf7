import { isScratch, shortPath } from './paths'
import type { Session, TurnReport } from './words'

/** Group is a part of the list of sessions. day is set for the first session of each day before today. */
export interface Group { name: string; sessions: { session: Session; day?: string }[] }

/** waiting returns the number of sessions that wait for the user. */
export function waiting(live: Map<string, TurnReport>): number {
  return [...live.values()].filter((t) => t.state === 'waiting').length
}

/**
 * groups returns sessions that wait for the user, then the others by project. The
 * project with the most recent session is first; sessions without a project are
 * last. Within a group the most recent session is first.
 */
export function groups(sessions: Session[], live: Map<string, TurnReport>, now = new Date()): Group[] {
  const isWaiting = (s: Session) => live.get(s.id)?.state === 'waiting'
  const projects = new Map<string, Session[]>()
  for (const s of sessions) {
    if (isWaiting(s)) continue
    const name = isScratch(s) ? 'Scratch' : shortPath(s.dir)
    projects.set(name, [...(projects.get(name) ?? []), s])
  }
  const named = [...projects].filter(([name]) => name !== 'Scratch')
  const all: [string, Session[]][] = [['Waiting for you', sessions.filter(isWaiting)], ...named, ['Scratch', projects.get('Scratch') ?? []]]
  return all.filter(([, of]) => of.length > 0).map(([name, of]) => ({ name, sessions: withDays(of, now) }))
}

function withDays(sessions: Session[], now: Date): Group['sessions'] {
  let last = dayOf(now, now)
  return sessions.map((session) => {
    const day = dayOf(new Date(session.updated), now)
    if (day === last) return { session }
    last = day
    return { session, day }
  })
}

/** dayOf returns the day of a time in words. */
function dayOf(time: Date, now: Date): string {
  const midnight = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime()
  const days = Math.round((midnight(now) - midnight(time)) / 86_400_000)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return time.toLocaleDateString(undefined, { day: 'numeric', month: 'long', year: days > 300 ? 'numeric' : undefined })
}
