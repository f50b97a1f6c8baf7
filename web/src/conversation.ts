import { useEffect, useReducer } from 'preact/hooks'
import { ask, follow, newID, Problem, stop, type Link } from './client'
import { say, warn } from './announce'
import { clock, plural } from './figures'
import { noFiles, type Attachments } from './files'
import { add, addUndo, answer, newRecord, open, state, type Record, type Turn } from './record'
import type { Command } from './slash'
import { Spending } from './spending'
import { visible } from './visible'
import type { Receipt, Session, TurnReport, Undone } from './words'

/** Pending is a prompt that is being sent to the server. */
export interface Pending extends Attachments { id: string; text: string; task?: string; failed?: string }

/** Pressed is a stop requested in this tab. delivered means that the server has it; failed means that an attempt did not arrive. */
export interface Pressed { at: number; force: boolean; delivered?: boolean; failed?: boolean }

/** Delivery is the state of a stop that was requested in this tab. */
export type Delivery = 'stopping' | 'unconfirmed' | 'undelivered'

// A live connection confirms a stop much faster than this, in milliseconds.
const confirmation = 1500

/** Conversation is a session as this tab shows it: the log, and the prompts and stops that are being sent. */
export class Conversation {
  record: Record = newRecord()
  spending = new Spending()
  link: Link = 'connecting'
  session?: Session
  pending: Pending[] = []
  pressed = new Map<string, Pressed>()
  trouble = ''
  /** the prompt that the trouble is about, which was refused as an unknown command. */
  refused?: Pending
  /** the reason why the server cannot send further events; empty while it can. */
  problem = ''
  /** the list of commands is shown. */
  help = false
  /** all events that existed when the tab was opened have been read. */
  caughtUp = false

  private listeners = new Set<() => void>()
  private frame = 0
  private states = new Map<string, string>()
  private leave: () => void
  private asking = false
  private again = false

  constructor(readonly id: string) {
    this.leave = follow(id, {
      events: (events) => {
        for (const ev of events) { add(this.record, ev); this.spending.add(ev) }
        this.pending = this.pending.filter((p) => !this.record.turns.has(p.id))
        this.announce()
        if (events.some((ev) => telling.has(ev.kind))) void this.refresh()
        this.changed()
      },
      link: (link) => {
        if (link === 'live' && this.link !== 'live') void this.refresh()
        if (link === 'lost' && this.link === 'live') warn(this.running ? 'Connection lost. The turn may still be running.' : 'Connection lost.')
        if (link === 'live' && this.link === 'lost') say('Reconnected.')
        if (link === 'gone' && this.link !== 'gone') say('This session does not exist or was deleted.')
        if (link === 'live') this.problem = ''
        this.link = link
        this.changed()
      },
      restarted: () => { this.record = newRecord(); this.spending = new Spending(this.spending.cost); this.states.clear(); this.changed() },
      problem: (why) => { if (this.problem !== why) say(why); this.problem = why; this.changed() },
    })
  }

  close() { this.leave(); cancelAnimationFrame(this.frame) }

  watch(tell: () => void): () => void {
    this.listeners.add(tell)
    return () => this.listeners.delete(tell)
  }

  /** changed updates the screen, at most once per frame. */
  changed(atOnce = false) {
    if (atOnce) for (const tell of this.listeners) tell()
    else this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.changed(true) })
  }

  get turns(): Turn[] { return [...this.record.turns.values()] }

  /** running is the turn that a stop applies to: the running one, if any. */
  get running(): Turn | undefined { return this.turns.find((t) => t.started && !t.receipt) }

  get queue(): (TurnReport | undefined)[] {
    const waits = this.turns.filter((t) => !t.started && !t.receipt)
    const known = (this.session?.turns ?? []).filter((r) => waits.some((t) => t.id === r.id))
    const rest = waits.filter((t) => !known.some((r) => r.id === t.id))
    return [
      ...known.map((r) => ({ ...r, text: this.record.turns.get(r.id)!.text })),
      ...rest.map((t) => ({ id: t.id, session: this.id, state: 'queued', text: t.text, task: t.task, accepted: new Date(t.accepted).toISOString() })),
    ]
  }

  /** refresh loads what the log does not contain: the order of the queue, and which turns are held. */
  async refresh() {
    if (this.asking) { this.again = true; return }
    this.asking = true
    try {
      do {
        this.again = false
        this.session = await ask<Session>('GET', `/v1/sessions/${this.id}`)
        this.caughtUp = true
        turns.dispatchEvent(new Event('change'))
      } while (this.again)
    } catch { /* the stream shows the state of the connection */ } finally {
      this.asking = false
      this.changed()
    }
  }

  /**
   * send sends a prompt. The id is generated here, so that a stop works before the response and a retry is the same turn.
   * It returns false if the server rejects the text as a command: no turn was created, and the text is not shown as a prompt.
   */
  async send(text: string, { images, files, task }: Attachments & { task?: string } = noFiles, id = newID()): Promise<boolean> {
    const p: Pending = { id, text, images, files, task }
    this.pending = [...this.pending.filter((o) => o.id !== id), p]
    this.changed(true)
    try {
      await ask('POST', `/v1/sessions/${this.id}/turns`, { id, text, images, files, task })
    } catch (err) {
      const { type, message } = err as Problem
      if (type === 'unknown-command' || type === 'is-a-command') {
        this.pending = this.pending.filter((o) => o !== p)
        this.tell(`Not sent: ${message}.`)
        this.refused = p
        return false
      }
      p.failed = message
      say('Not sent: ' + p.failed)
    }
    this.changed()
    return true
  }

  /** tell shows a message above the conversation until it is closed. */
  tell(sentence: string) {
    this.trouble = sentence
    this.refused = undefined
    say(sentence)
    this.changed(true)
  }

  /** obey executes a command of the page. */
  async obey({ name, rest }: Command, target?: string) {
    this.trouble = ''
    this.refused = undefined
    this.help = name === 'help'
    this.changed(true)
    const session = `/v1/sessions/${this.id}`
    switch (name) {
      case 'stop':
        if (rest && rest.toLowerCase() !== 'all') return this.tell('Not stopped: type /stop, or /stop all to also discard queued prompts.')
        if (rest) return this.act(() => stop(`${session}/stop`, { queue: 'drop' }))
        if (target) return this.stop(target)
        return this.act(async () => { if ((await stop(`${session}/stop`, {})).state === 'nothing_to_stop') throw new Error('Nothing is running.') })
      case 'clear': return this.act(() => ask('POST', `${session}/clear`))
      case 'model': case 'mode':
        if (rest) return this.act(() => ask('PATCH', session, { [name]: rest }))
        return this.tell(`The ${name} is ${this.record[name] ?? this.session?.[name] ?? 'not known yet'}. Type /${name} NAME to change it.`)
    }
  }

  /** undone shows the result of an undo before its event arrives. */
  undone(u: Undone) { addUndo(this.record, u); this.changed(true) }

  discardPending(id: string) { this.pending = this.pending.filter((p) => p.id !== id); this.changed(true) }

  /** stop shows immediately that it was pressed; a second press forces the stop, without a grace period. */
  stop(turn: string) {
    const before = this.pressed.get(turn)
    const known = this.delivery(turn)
    if (known && known !== 'stopping') return // an undelivered stop is being retried; this press does not force it
    const force = !!before || !!this.record.turns.get(turn)?.stop
    const pressed: Pressed = { at: before?.at ?? performance.now(), force }
    this.pressed.set(turn, pressed)
    this.changed(true)
    say(this.link === 'lost' ? 'Stop not delivered yet. Retrying.' : force ? 'Stopping now, without a grace period.' : 'Stopping.')
    const watch = {
      failed: () => { pressed.failed = true; this.changed() },
      over: () => !!this.record.turns.get(turn)?.receipt,
    }
    stop(`/v1/turns/${turn}/stop`, force ? { mode: 'force' } : {}, watch).then(() => {
      pressed.delivered = true
      this.changed()
    }, (err: Problem) => {
      this.pressed.delete(turn)
      this.trouble = `Not stopped: ${err.message}`
      say(this.trouble)
      this.changed()
    })
  }

  /** delivery returns the state of a stop requested in this tab. It is "stopping" only if the server has the stop, or may just be receiving it. */
  delivery(turn: string): Delivery | undefined {
    const pressed = this.pressed.get(turn)
    if (!pressed) return undefined
    if (pressed.delivered || this.record.turns.get(turn)?.stop) return 'stopping'
    if (pressed.failed || this.link === 'lost') return 'undelivered'
    return performance.now() - pressed.at > confirmation ? 'unconfirmed' : 'stopping'
  }

  /** act performs a small action and shows an error if it fails. */
  async act(what: () => Promise<unknown>) {
    try {
      await what()
      this.trouble = ''
    } catch (err) {
      this.trouble = (err as Problem).message
      say(this.trouble)
    }
    await this.refresh()
  }

  /** announce reports changes of the turns' states to screen readers, once the existing events have been read. */
  private announce() {
    for (const t of this.turns) {
      const now = state(t)
      const before = this.states.get(t.id)
      this.states.set(t.id, now)
      const past = before === undefined && !!t.receipt
      if (now === before || past || !this.caughtUp) continue
      if (now === 'waiting') say('Waiting for you: ' + visible(open(t)[0]?.text.split('\n')[0] ?? ''))
      else if (words[now]) say(words[now]!)
      else if (t.receipt) sayEnd(t, t.receipt)
    }
  }
}

const telling = new Set(['turn_accepted', 'prompt_edited', 'turn_started', 'turn_ended', 'question_opened', 'question_answered'])
const words: { [state: string]: string } = {
  queued: 'Queued.', running: 'Running.', stopping: 'Stopping.', lost: 'Lost: Bellcord ended during this turn.',
}

/** sayEnd reads how a turn ended: the size of its answer or its time, the prompts that the stop holds, and processes that survived. */
function sayEnd(t: Turn, r: Receipt) {
  const started = r.times.started ?? r.times.accepted
  const after = started && r.times.settled ? ' after ' + clock(Date.parse(r.times.settled) - Date.parse(started)) : ''
  const held = r.held_turns?.length ? ` Held: ${plural(r.held_turns.length, 'prompt')}.` : ''
  if (r.end === 'done' && t.task === 'compact') say('Conversation summarized.')
  else if (r.end === 'done') say(`Answer ready, ${plural(answer(t).split('\n').filter((l) => l.trim()).length, 'line')}.`)
  else say(`${r.end === 'stopped' ? 'Stopped' : 'Failed'}${after}${r.error ? ': ' + visible(r.error) : ''}.${held}`)
  const left = r.processes.survivors ?? []
  if (left.length > 0) warn(`Still running: ${left.map((p) => `${p.name ?? 'process'} (${p.pid})`).join(', ')}.`)
}

const turns = new EventTarget()

/** whenTurnsChange calls a function when a turn starts or ends here, so that lists of turns are as current as the conversation. */
export function whenTurnsChange(tell: () => void): () => void {
  turns.addEventListener('change', tell)
  return () => turns.removeEventListener('change', tell)
}

/** useChanges renders again when a conversation changes. */
export function useChanges(c: Conversation) {
  const [, again] = useReducer((n: number) => n + 1, 0)
  useEffect(() => c.watch(() => again(undefined as never)), [c])
}
