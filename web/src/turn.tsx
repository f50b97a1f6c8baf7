import { Component, type ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { Changed } from './changed'
import type { Conversation } from './conversation'
import { bytes, clock, cost, plural, tokens } from './figures'
import type { Attachments } from './files'
import { Markdown } from './markdown'
import { Menu } from './menu'
import { FormCard } from './form'
import { SentPrompt } from './prompt'
import { QuestionCard } from './question'
import { Rewinding } from './rewinding'
import { answer, doing, isTyped, open, state, titleOf, type Part, type PlanEntry, type Turn } from './record'
import { escaped } from './slash'
import { Timeline } from './timeline'
import { ToolCard } from './tool'
import { visible } from './visible'
import type { Receipt } from './words'

interface Props { conversation: Conversation; turn: Turn; linked: boolean; onEdit: (text: string, files: Attachments) => void; mayPrompt: boolean; mayStop: boolean; mayUndo: boolean; mayAll: boolean; busy: boolean; dir: string; owner: string; user: string }

/** TurnView is not rendered again once its turn has ended, so that the cost of a long conversation is that of its last turn. */
export class TurnView extends Component<Props & { version: number }> {
  override shouldComponentUpdate(next: Props & { version: number }) {
    const now = this.props
    return !next.turn.receipt || next.version !== now.version || next.turn !== now.turn || next.linked !== now.linked || next.mayPrompt !== now.mayPrompt || next.mayStop !== now.mayStop || next.user !== now.user
      || next.mayUndo !== now.mayUndo || next.mayAll !== now.mayAll || (!!next.turn.changes && next.busy !== now.busy)
  }
  override render() { return <OneTurn {...this.props} /> }
}

/** OneTurn shows one prompt and everything done for it. */
function OneTurn({ conversation, turn, linked, onEdit, mayPrompt, mayStop, mayUndo, mayAll, busy, dir, owner, user }: Props) {
  const live = !turn.receipt
  const parts = useMemo(() => turn.parts.map((p, i) => <PartView key={i} part={p} live={live && i === turn.parts.length - 1} dir={dir} />), [turn, turn.version, dir])
  const questions = open(turn)
  return (
    <article class={'turn' + (turn.cleared ? ' cleared' : '')} aria-current={linked ? 'location' : undefined} aria-label={`Turn: ${turn.text.slice(0, 60)}`} data-turn={turn.id} data-state={state(turn)}>
      {!isTyped(turn) ? <p class="note plain">{visible(turn.text)}</p> : <div class="prompt">
        {turn.images.map((img, i) => <img src={`data:${/^image\/[a-z0-9.+-]+$/.test(img.type) ? img.type : 'image/png'};base64,${img.data}`} alt={`Image ${i + 1} of the prompt`} />)}
        <SentPrompt text={turn.text} files={turn.files} />
      </div>}
      {live && <Head conversation={conversation} turn={turn} mayStop={mayStop} />}
      <div class="answer">{parts}</div>
      {questions.map((q, i) => {
        const common = { key: q.id, conversation, turn, question: q, number: questions.length > 1 ? `question ${i + 1} of ${questions.length}` : '', mayAnswer: mayPrompt }
        return q.fields || q.url ? <FormCard {...common} /> : <QuestionCard {...common} dir={dir} owner={owner} mayAll={mayAll} />
      })}
      {turn.receipt && <Foot conversation={conversation} turn={turn} linked={linked} onEdit={onEdit} mayPrompt={mayPrompt} user={user}><Changed conversation={conversation} turn={turn} mayUndo={mayUndo} busy={busy} dir={dir} /></Foot>}
    </article>
  )
}

function PartView({ part, live, dir }: { part: Part; live: boolean; dir: string }) {
  switch (part.kind) {
    case 'text': return <Markdown text={part.text} />
    case 'thought': return <Thought text={part.text} live={live} />
    case 'call': return <ToolCard call={part.call} dir={dir} />
    case 'note': return <p class="note">{part.text}</p>
    case 'plan': return <Plan entries={part.entries} />
    case 'prompt': return <p class="note plain">{visible(part.text)}</p>
  }
}

const planMarks = { completed: '✓', in_progress: '▸', pending: '○' }

/** Plan shows the steps of the agent's plan. */
function Plan({ entries }: { entries: PlanEntry[] }) {
  return (
    <ul class="plan" aria-label="Plan">
      {entries.map((e) => <li class={e.status}>{planMarks[e.status]} {visible(e.text)}</li>)}
    </ul>
  )
}

function Thought({ text, live }: { text: string; live: boolean }) {
  const words = text.trim().split(/\s+/).length
  return (
    <details class="thought">
      <summary>{live ? 'Thinking' : 'Thought'} <span class="faint">{plural(words, 'word')}</span>{live && <i class="pulse" aria-hidden="true" />}</summary>
      <p class="plain">{text}</p>
    </details>
  )
}

/** useTick renders again at an interval while the turn is active. */
export function useTick(every: number, on: boolean) {
  const [, set] = useState(0)
  useEffect(() => {
    if (!on) return
    const timer = setInterval(() => set((n) => n + 1), every)
    return () => clearInterval(timer)
  }, [every, on])
}

/** stopWords maps the delivery state of a stop to its text. */
export const stopWords: { [delivery: string]: string } = {
  stopping: 'Stopping…', undelivered: 'Stop not delivered yet. Retrying.', unconfirmed: 'Stop not confirmed yet…',
}

/** Head shows the state of a turn, with a Stop button that is always visible. */
function Head({ conversation, turn, mayStop }: { conversation: Conversation; turn: Turn; mayStop: boolean }) {
  useTick(250, true)
  const now = state(turn)
  const delivery = conversation.delivery(turn.id)
  const stopping = now === 'stopping' || delivery === 'stopping'
  const since = turn.started ?? turn.accepted
  const word = stopping ? stopWords.stopping : stopWords[delivery ?? ''] ?? (conversation.link === 'lost' ? 'May still be running' : { queued: 'Queued', running: 'Running', waiting: 'Waiting for you' }[now] ?? now)
  return (
    <div class={'head' + (stopping ? ' stopping' : '')}>
      <span class="state" data-word={stopping ? 'stopping' : delivery ?? now}><i class={stopping ? 'square' : 'dot'} aria-hidden="true" />{word}</span>
      {!(conversation.link === 'lost') && <span class="faint figures">{clock(Date.now() - since)}</span>}
      <span class="faint doing">{delivery && !stopping || conversation.link === 'lost' ? '' : stopping ? <Waits conversation={conversation} turn={turn} /> : doing(turn)}</span>
      {mayStop && (stopping || !delivery) && (
        <button type="button" class="stop" onClick={() => conversation.stop(turn.id)}>
          {stopping ? 'Force stop' : 'Stop'}<span class="hidden">{stopping ? ', without a grace period' : ' this turn'}</span>
        </button>
      )}
    </div>
  )
}

/** grace is how long an agent has to return after a stop, in milliseconds: hub.DefaultGrace of the server. */
const grace = 8000

/** Waits shows, after two seconds, what a stop waits for and the maximum duration. */
function Waits({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const pressed = conversation.pressed.get(turn.id)
  const at = pressed ? performance.now() - pressed.at : turn.stop ? Date.now() - Date.parse(turn.stop.at) : 0
  if (at < 2000) return null
  const running = [...turn.calls.values()].filter((c) => c.state === 'running')
  const what = running.length > 0 ? running.map((c) => `“${titleOf(c)}”`).join(', ') : 'the agent'
  if (pressed?.force) return <>waiting for {what} to end</>
  const left = Math.round((grace - at) / 1000)
  return <>waiting for {what} to end{left > 0 && `, at most ${left} s more`}<span class="only-keys">; press again to force it</span></>
}

/** Foot shows the end of a turn: its kind and cause, its duration and usage, and the kept output. */
function Foot({ conversation, turn, linked, onEdit, mayPrompt, user, children }: { conversation: Conversation; turn: Turn; linked: boolean; onEdit: (text: string, files: Attachments) => void; mayPrompt: boolean; user: string; children: ComponentChildren }) {
  const r = turn.receipt!
  const [shown, show] = useState(linked)
  const [rewinding, rewind] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  const started = r.times.started ?? r.times.accepted
  const facts = [
    started && r.times.settled && (r.end === 'stopped' ? 'after ' : '') + clock(Date.parse(r.times.settled) - Date.parse(started)),
    r.usage.input_tokens + r.usage.output_tokens > 0 && `${r.usage.exact ? '' : 'about '}${tokens(r.usage.input_tokens + r.usage.output_tokens)} tokens`,
    r.usage.cost_nano_usd && cost(r.usage.cost_nano_usd),
  ].filter(Boolean)
  const missing = r.end === 'done' && incomplete[r.incomplete ?? '']
  const said = answer(turn)
  const copy = () => void navigator.clipboard?.writeText(said).then(() => say('Copied.'))
  const copyLink = () => void conversation.act(() => navigator.clipboard.writeText(`${location.origin}/s/${conversation.id}/t/${turn.id}`).then(() => say('Link copied.')))
  return (
    <footer class={'foot ' + r.end}>
      <p class="ending">
        <span class={'badge ' + r.end}>{{ done: 'Done', stopped: 'Stopped', failed: 'Failed', lost: 'Lost: Bellcord ended during this turn.' }[r.end]}</span>
        <span class="faint figures">{facts.join(' · ')}</span>
        {r.end === 'stopped' && <span>{byWhom(turn, user)}</span>}
      </p>
      {r.end !== 'done' ? <p class="faint kept">{kept(turn)}</p> : ended(r) && <p class="faint kept">{ended(r)}.</p>}
      {missing && <p class="warn">{missing}</p>}
      {r.error && <p class="plain">{r.error}</p>}
      {r.processes.unknown && <p class="warn">Processes {unknown(r)}.</p>}
      {(r.processes.survivors?.length ?? 0) > 0 && (
        <p class="warn">Still running: {r.processes.survivors!.map((p) => `${p.name ?? 'process'} (${p.pid})`).join(', ')}</p>
      )}
      {(r.processes.unconfirmed?.length ?? 0) > 0 && (
        <p class="warn">Not confirmed as ended: {r.processes.unconfirmed!.map((p) => p.name ?? `process ${p.pid}`).join(', ')}</p>
      )}
      {children}
      <div class="actions" ref={menu}>
        {mayPrompt && (r.end !== 'done' || r.incomplete === 'max_output') && turn.started && !turn.task && <button type="button" onClick={() => void conversation.send('Continue.')}>Continue</button>}
        {mayPrompt && isTyped(turn) && <button type="button" onClick={() => void conversation.send(escaped(turn.text, turn.task), turn)}>Retry</button>}
        {mayPrompt && isTyped(turn) && turn.task !== 'command' && <button type="button" onClick={() => onEdit(escaped(turn.text, turn.task), turn)}>Edit and resend</button>}
        {said && <button type="button" onClick={copy}>Copy</button>}
        <button type="button" aria-expanded={shown} onClick={() => show(!shown)}>Timeline</button>
        <Menu label="Turn menu">
          <button type="button" class="quiet" onClick={copyLink}>Copy link</button>
          {mayPrompt && turn.started && !turn.cleared && <button type="button" class="quiet" onClick={() => rewind(true)}>Rewind to before this turn…</button>}
        </Menu>
      </div>
      {rewinding && <Rewinding conversation={conversation} turn={turn} onClose={() => { rewind(false); menu.current?.querySelector('summary')?.focus() }} />}
      {shown && <Timeline turn={turn} />}
    </footer>
  )
}

const kinds: { [kind: string]: string } = {
  deadline: 'time limit', budget: 'budget spent', step_limit: 'step limit',
  shutdown: 'Bellcord was closed', replaced: 'replaced by a newer prompt', disconnect: 'nobody was watching',
}

const places: { [from: string]: string } = { page: 'from the page', terminal: 'from the terminal', Telegram: 'in Telegram', http: 'over HTTP' }

/** byWhom returns the cause of a stop. It has no name and no place if the user stopped the turn on the page. */
function byWhom(turn: Turn, user: string): string {
  const c = turn.receipt?.cause ?? turn.stop
  if (!c) return ''
  if (c.kind !== 'person') return kinds[c.kind] ?? c.kind
  const own = c.by === user && c.source === 'page'
  const who = own ? [] : [`by ${c.by || 'an unknown person'}`, c.source && (places[c.source] ?? `via ${c.source}`)]
  return [who.filter(Boolean).join(', '), c.reason && `(“${c.reason}”)`].filter(Boolean).join(' ')
}

const proofs: { [proof: string]: string } = {
  pid_namespace: ', PID namespace ended', cgroup_empty: ', cgroup empty', process_scan: ', no process found', job_object: ', job object empty', editor_reported: ', as the editor reported',
  machine_restarted: ', machine restarted',
}

/** unknown returns why the processes of a lost turn are not known. The words are those of Processes.UnknownText in receipt.go. */
function unknown(r: Receipt): string {
  const { unknown: why, node } = r.processes
  if (why === 'container_gone') return 'not known: the container in which they ran is gone'
  return node ? `not known: node ${node} is gone, and its machine was not checked since` : 'not known yet: not checked since Bellcord ended'
}

// What is missing in an answer. The words are those of Receipt.IncompleteText in receipt.go.
const incomplete: { [reason: string]: string } = { max_output: 'Cut off at the output limit.', refused: 'Refused by the model.', empty: 'The answer is empty.' }

/** ended returns how many processes were ended, and the proof; '' if none was. The words are those of Processes.EndedText in receipt.go. */
function ended(r: Receipt): string {
  const n = r.processes.ended?.length ?? 0
  return n === 0 ? '' : `${plural(n, 'process', 'processes')} ended${proofs[r.processes.proof ?? ''] ?? ''}`
}

function kept(turn: Turn): string {
  const r = turn.receipt!
  const have = [
    r.kept.text_bytes > 0 && bytes(r.kept.text_bytes) + ' of text', r.kept.thinking_bytes > 0 && bytes(r.kept.thinking_bytes) + ' of thinking',
    r.calls.finished > 0 && plural(r.calls.finished, 'tool call'),
  ].filter(Boolean)
  const rest = [
    r.calls.stopped && `${plural(r.calls.stopped.length, 'tool call')} stopped`, r.calls.not_started && `${plural(r.calls.not_started.length, 'tool call')} not run`,
    r.calls.unknown && `${plural(r.calls.unknown.length, 'tool call')} with unknown outcome`, r.withdrawn_questions && `${plural(r.withdrawn_questions.length, 'question')} closed`,
    ended(r),
  ].filter(Boolean)
  if (!turn.started) return 'The turn never started.'
  return [have.length ? 'Kept: ' + have.join(', ') : 'No answer yet', ...rest].join('. ') + '.'
}
