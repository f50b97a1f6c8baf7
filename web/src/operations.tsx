import { useEffect, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, Problem, stop } from './client'
import { Bars, Line } from './charts'
import { Confirm } from './confirm'
import { clock, plural, span } from './figures'
import { parse, quantile, within, type Metrics } from './metrics'
import { here } from './route'
import { useTick } from './turn'
import { visible } from './visible'
import { may, type Me, type Node, type Session, type TurnReport } from './words'

interface Seen { turns: TurnReport[]; metrics?: Metrics; nodes: Node[]; running: number[]; survivors: number[] }

/** Operations shows all running turns and the statistics of stops. */
export default function Operations({ me }: { me?: Me }) {
  const [seen, setSeen] = useState<Seen>()
  const [trouble, setTrouble] = useState('')
  const [asking, setAsking] = useState<TurnReport | 'all'>()
  const [owners, setOwners] = useState(new Map<string, Session>())
  useTick(1000, true)
  useEffect(() => {
    document.title = 'Operations – Bellcord'
    let over = false
    const look = async () => {
      if (document.hidden) return
      try {
        const [turns, text, nodes] = await Promise.all([
          ask('GET', '/v1/turns'), ask<string>('GET', '/metrics'), may(me, 'admin') ? ask('GET', '/v1/nodes') : { nodes: [] },
        ])
        if (over) return
        const metrics = parse(text)
        setSeen((old) => ({
          turns: turns.turns, metrics, nodes: nodes.nodes,
          running: [...(old?.running ?? []), turns.turns.filter((t: TurnReport) => t.state !== 'queued').length].slice(-120),
          survivors: [...(old?.survivors ?? []), metrics.sample('bellcord_processes_survived_total')].slice(-120),
        }))
        setTrouble('')
      } catch (err) { setTrouble((err as Problem).message) }
    }
    void look()
    const timer = setInterval(() => void look(), 2000)
    return () => { over = true; clearInterval(timer) }
  }, [me])
  useEffect(() => {
    const unknown = [...new Set((seen?.turns ?? []).map((t) => t.session))].filter((id) => !owners.has(id)).slice(0, 20)
    if (unknown.length === 0) return
    void Promise.all(unknown.map((id) => ask<Session>('GET', `/v1/sessions/${id}`).catch(() => ({ id } as Session))))
      .then((found) => setOwners((old) => new Map([...old, ...found.map((s) => [s.id, s] as const)])))
  }, [seen])

  const pull = () => {
    const what = asking
    setAsking(undefined)
    if (!what) return
    say('Stopping.')
    const done = what === 'all' ? stop('/v1/stop', { queue: 'drop' }) : stop(`/v1/turns/${what.id}/stop`, {})
    done.then((a) => say(what === 'all' ? `${plural(a.turns.length, 'turn')} stopped.` : 'Stopped.')).catch((err: Problem) => setTrouble(err.message))
  }
  const live = seen?.turns ?? []
  return (
    <main class="ops">
      <header class="top">
        <a class="back" href="/" onClick={here} aria-label="All sessions">‹</a>
        <div><h1>Operations</h1><p class="faint">{live.length === 0 ? 'Nothing is running.' : tally(live)}</p></div>
        {may(me, 'stop') && live.length > 0 && <button type="button" class="stop" onClick={() => setAsking('all')}>Stop all…</button>}
      </header>
      {trouble && <p class="banner" role="status">{trouble}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Operations"><div class="column">
        <LiveTurns turns={live} owners={owners} nodes={seen?.nodes ?? []} onStop={may(me, 'stop') ? setAsking : undefined} />
        {me && !may(me, 'admin') && <p class="faint note">Only your own turns are listed. To see everyone’s turns and the nodes, log in with <code>bellcord open --admin</code>.</p>}
        {seen?.metrics && <Figures seen={seen} metrics={seen.metrics} />}
        {seen && seen.nodes.length > 0 && <Nodes nodes={seen.nodes} />}
      </div></div>
      {asking && (
        <Confirm title={asking === 'all' ? `Stop ${plural(live.length, 'turn')}?` : asking.state === 'queued' ? 'Discard this prompt?' : 'Stop this turn?'} action={asking === 'all' ? 'Stop all' : asking.state === 'queued' ? 'Discard' : 'Stop'} onYes={pull} onNo={() => setAsking(undefined)}>
          {asking === 'all' ? <p>This stops every turn you are authorized to stop, on all nodes. Queued prompts are dropped and recorded in the receipts.</p> : <p class="plain quote">{visible(asking.text.slice(0, 300))}</p>}
        </Confirm>
      )}
    </main>
  )
}

/** tally counts turns by their states: Running 1 · Waiting for you 1 · Held 2. */
function tally(turns: TurnReport[]): string {
  const counted = new Map<string, number>([['Running', 0], ['Waiting for you', 0], ['Stopping', 0], ['Queued', 0], ['Held', 0]])
  for (const t of turns) {
    const name = t.held ? 'Held' : { running: 'Running', waiting: 'Waiting for you', stopping: 'Stopping' }[t.state] ?? 'Queued'
    counted.set(name, counted.get(name)! + 1)
  }
  return [...counted].filter(([, n]) => n > 0).map(([name, n]) => `${name} ${n}`).join(' · ')
}

function LiveTurns({ turns, owners, nodes, onStop }: { turns: TurnReport[]; owners: Map<string, Session>; nodes: Node[]; onStop?: (t: TurnReport) => void }) {
  if (turns.length === 0) return null
  return (
    <section aria-label="Live turns">
      <h2>Live turns</h2>
      <ul class="live">
        {turns.slice(0, 200).map((t) => {
          const s = owners.get(t.session)
          const node = nodes.find((n) => n.id === t.node)
          return (
            <li key={t.id}>
              <span class="state" data-word={t.state}><i class={t.state === 'stopping' ? 'square' : t.state === 'queued' ? 'ring' : 'dot'} aria-hidden="true" />{t.held ? 'held' : t.state}</span>
              <a href={`/s/${t.session}`} onClick={here} class="what">{visible(t.text.slice(0, 120))}</a>
              <span class="faint who">{[s?.owner, node && nodes.length > 1 && (node.name || node.id)].filter(Boolean).join(' · ')}</span>
              <span class="faint figures">{clock(Date.now() - Date.parse(t.accepted))}</span>
              {onStop && <button type="button" class={t.state === 'queued' ? '' : 'stop'} onClick={() => onStop(t)}>{t.state === 'queued' ? 'Discard' : 'Stop'}<span class="hidden"> {t.text.slice(0, 40)}</span></button>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Figures({ seen, metrics }: { seen: Seen; metrics: Metrics }) {
  const settled = metrics.histogram('bellcord_stop_duration_seconds', { phase: 'settled' })
  const gone = metrics.histogram('bellcord_stop_duration_seconds', { phase: 'last_process_ended' })
  const survivors = seen.survivors[seen.survivors.length - 1] ?? 0
  return (
    <section aria-label="Statistics for this node">
      <h2>Stops on this node</h2>
      <div class="cards">
        <div class="card">
          <h3>From request to end of turn</h3>
          <p class="big figures">{settled.total === 0 ? '–' : `≤ ${span(quantile(settled, 0.99) * 1000)}`}<small>{settled.total === 0 ? 'no stops yet' : `p99 of ${plural(settled.total, 'stop')}`}</small></p>
          <Bars histogram={settled} label="Stops by duration" />
          <p class="faint">{within(settled, 1).toFixed(1)} % within 1 s</p>
        </div>
        <div class="card">
          <h3>Until the last process ended</h3>
          <p class="big figures">{gone.total === 0 ? '–' : `≤ ${span(quantile(gone, 0.99) * 1000)}`}<small>{gone.total === 0 ? 'no processes yet' : `p99 of ${plural(gone.total, 'stop')}`}</small></p>
          <Bars histogram={gone} label="Stops by time until the last process ended" />
          <p class="faint">{plural(metrics.sample('bellcord_processes_ended_total'), 'process', 'processes')} ended</p>
        </div>
        <div class="card">
          <h3>Survivors</h3>
          <p class={'big figures' + (survivors > 0 ? ' warn' : '')}>{survivors}<small>{survivors > 0 ? 'processes outlived a stop' : 'no process outlived a stop'}</small></p>
          <Line values={seen.survivors} label="Survivors" />
        </div>
        <div class="card">
          <h3>Running turns</h3>
          <p class="big figures">{seen.running[seen.running.length - 1] ?? 0}<small>{plural(metrics.sample('bellcord_event_streams'), 'live viewer')}</small></p>
          <Line values={seen.running} label="Running turns" />
        </div>
      </div>
    </section>
  )
}

function Nodes({ nodes }: { nodes: Node[] }) {
  const stateOf = (n: Node) => (n.draining ? 'draining' : n.id && n.lease_remaining_seconds <= 0 ? 'lease expired' : 'live')
  return (
    <section aria-label="Nodes">
      <h2>Nodes</h2>
      <div class="wide" tabIndex={0} role="region" aria-label="Nodes and their leases">
        <table>
          <thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Lease left</th><th scope="col">Renewed</th><th scope="col">NATS reply</th><th scope="col">Running</th><th scope="col">Queued</th></tr></thead>
          <tbody>{nodes.map((n) => (
            <tr key={n.id + n.name}>
              <td>{n.name || n.id || 'this node'}{n.self && (n.name || n.id) && <span class="faint"> this node</span>}</td>
              <td>{stateOf(n)}</td>
              <td class="figures">{n.lease_remaining_seconds ? `${n.lease_remaining_seconds.toFixed(1)} s` : '–'}</td><td class="figures">{n.lease_age_seconds ? `${n.lease_age_seconds.toFixed(1)} s ago` : '–'}</td>
              <td class="figures">{n.nats_round_trip_seconds ? span(n.nats_round_trip_seconds * 1000) : '–'}</td><td class="figures">{n.running}</td><td class="figures">{n.queued}</td>
            </tr>
          ))}</tbody>
        </table>
      </div>
    </section>
  )
}
