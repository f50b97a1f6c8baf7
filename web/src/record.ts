import { compactText } from './slash'
import { visible } from './visible'
import type { Cause, Change, Changes, Event, Image, Processes, Question, Receipt, TextFile, Undone } from './words'

// The session's log, prepared for display.

export interface Call {
  id: string; name: string; title?: string; args: any; problem?: string
  state: 'asked' | 'running' | 'finished' | 'failed' | 'stopped' | 'not_started' | 'unknown'
  output: string; result?: string; from?: number; to?: number
  /** a question about it is open. */
  asking?: boolean
  /** the changes to files that the question showed. */
  changes?: Change[]
}

export interface PlanEntry { text: string; status: 'pending' | 'in_progress' | 'completed' }

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'call'; call: Call }
  | { kind: 'note'; text: string }
  | { kind: 'plan'; entries: PlanEntry[] }
  | { kind: 'prompt'; text: string }

/** Span is a time span of a turn, for the timeline. */
export interface Span { kind: 'queue' | 'model' | 'thinking' | 'text' | 'tool' | 'person' | 'pause' | 'scan'; label: string; from: number; to?: number }

export interface Turn {
  id: string; seq: number; text: string; images: Image[]; files: TextFile[]; links: { name?: string; uri: string }[]; task?: string
  accepted: number; started?: number; ended?: number
  stop?: Cause; receipt?: Receipt; recoveries?: string[]
  parts: Part[]; calls: Map<string, Call>; questions: Map<string, Question & { answer?: string; by?: string }>
  spans: Span[]; version: number; cleared?: boolean
  changes?: Changes
  /** the undos and redos of its changes, in order. */
  undos: Undone[]
}

export interface Record { turns: Map<string, Turn>; rewinds: Turn[][]; title?: string; model?: string; mode?: string }

export const newRecord = (): Record => ({ turns: new Map(), rewinds: [] })

/** state returns the state of a turn, in the terms of the API. */
export function state(t: Turn): string {
  if (t.receipt) return t.receipt.end
  if (t.stop && t.stop.mode !== 'after_step') return 'stopping'
  if (!t.started) return 'queued'
  return open(t).length > 0 ? 'waiting' : 'running'
}

/** open returns the questions that wait for an answer. */
export function open(t: Turn) {
  return t.receipt ? [] : [...t.questions.values()].filter((q) => q.answer === undefined)
}

/** doing describes the current activity of a turn in a few words. */
export function doing(t: Turn): string {
  const running = [...t.calls.values()].filter((c) => c.state === 'running')
  if (running.length > 0) return running.map(titleOf).join(', ')
  const span = t.spans.findLast((s) => s.to === undefined)
  if (!span) return t.started ? 'working' : 'queued'
  return { queue: 'queued', model: span.label, thinking: 'thinking', text: 'answering', tool: span.label, person: '', pause: span.label, scan: span.label }[span.kind]
}

/** titleOf returns a call in one line: a command as it is typed, otherwise the tool's name and its first argument. */
export function titleOf(c: Call): string { return visible(title(c)) }

function title(c: Call): string {
  if (c.title) return c.title
  if (typeof c.args?.command === 'string') return c.args.command
  const first = c.args && Object.values(c.args).find((v) => typeof v === 'string')
  return first ? `${c.name} ${first}` : c.name
}

/** rewind marks the turns that a rewind removed from the conversation, or those of the last rewind as part of it again. */
function rewind(r: Record, b: { turn?: string; taken_back?: boolean }) {
  if (b.taken_back) {
    for (const t of r.rewinds.pop() ?? []) { t.cleared = false; t.version++ }
    return
  }
  const all = [...r.turns.values()]
  const removed = all.slice(all.findIndex((t) => t.id === b.turn)).filter((t) => t.started && !t.cleared)
  for (const t of removed) { t.cleared = true; t.version++ }
  r.rewinds.push(removed)
}

/** add adds an event to the record. */
export function add(r: Record, ev: Event) {
  if (ev.kind === 'session_updated') {
    r.title = ev.body.title ?? r.title
    r.model = ev.body.model ?? r.model
    r.mode = ev.body.mode ?? r.mode
  }
  if (ev.kind === 'conversation_rewound') rewind(r, ev.body)
  if (ev.kind === 'conversation_cleared') {
    for (const t of r.turns.values()) { t.cleared = true; t.version++ }
    r.rewinds = []
  }
  if (ev.kind === 'changes_recorded') {
    const t = r.turns.get(ev.body.turn)
    if (t) { t.changes = ev.body.changes; t.version++ }
  }
  if (ev.kind === 'processes_recovered') {
    const t = r.turns.get(ev.body.turn)
    if (t) recovered(t, ev.body)
  }
  if (ev.kind === 'undone') addUndo(r, ev.body)
  if (!ev.turn) return
  const at = Date.parse(ev.time)
  if (ev.kind === 'turn_accepted') {
    r.turns.set(ev.turn, {
      id: ev.turn, seq: ev.seq, text: sentText(ev.body.task, ev.body.text), images: ev.body.images ?? [], files: ev.body.files ?? [], links: ev.body.links ?? [], task: ev.body.task,
      accepted: at, parts: [], calls: new Map(), questions: new Map(), undos: [], version: 0,
      spans: [{ kind: 'queue', label: 'queued', from: at }],
    })
    return
  }
  const t = r.turns.get(ev.turn)
  if (!t) return
  t.version++
  handlers[ev.kind]?.(t, ev.body, at)
}

/** The proofs, the weakest first, as in receipt.go. */
const proofs = ['editor_reported', 'process_scan', 'job_object', 'cgroup_empty', 'pid_namespace', 'machine_restarted']

const weaker = (one?: string, other?: string) =>
  !one || (other && proofs.indexOf(other) < proofs.indexOf(one)) ? other : one

/** recovered adds the processes of a lost turn to its receipt, once for each recovery, as ReceiptNow in receipt_recovered.go does. */
function recovered(t: Turn, b: { recovery: string; processes: Processes }) {
  if (!t.receipt || t.recoveries?.includes(b.recovery)) return
  const p = t.receipt.processes
  const later = [...(b.processes.ended ?? []), ...(b.processes.survivors ?? [])]
  const unknown = t.recoveries && !b.processes.unknown ? p.unknown : b.processes.unknown
  t.receipt = { ...t.receipt, processes: {
    ...p, ended: [...(p.ended ?? []), ...(b.processes.ended ?? [])],
    proof: weaker(p.proof, b.processes.proof), unknown, node: unknown && p.node,
    unconfirmed: [...(p.unconfirmed ?? []), ...(b.processes.unconfirmed ?? [])],
    survivors: [...(p.survivors ?? []).filter((s) => !later.some((l) => l.pid === s.pid)), ...(b.processes.survivors ?? [])],
  } }
  t.recoveries = [...(t.recoveries ?? []), b.recovery]
  t.version++
}

/** addUndo adds an undo to its turns, once. */
export function addUndo(r: Record, u: Undone) {
  for (const id of u.turns) {
    const t = r.turns.get(id)
    if (!t || t.undos.some((o) => o.undo === u.undo)) continue
    t.undos.push(u)
    t.version++
  }
}

/** sentText returns the text of a turn as its sender wrote it: the log has only what a compaction keeps. */
/** isTyped reports whether a person has sent the text of a turn. A hosted agent's own work and its earlier conversation have a description instead. */
export const isTyped = (t: Turn) => t.task !== 'unprompted' && t.task !== 'import'

const sentText = (task: string | undefined, text: string) => (task === 'compact' ? compactText(text) : text)

function close(t: Turn, at: number, ...kinds: Span['kind'][]) {
  for (const s of t.spans) if (s.to === undefined && kinds.includes(s.kind)) s.to = at
}

function begin(t: Turn, kind: Span['kind'], label: string, at: number) {
  t.spans.push({ kind, label, from: at })
}

/** speak continues a stream of the model, or starts one. */
function speak(t: Turn, kind: 'thinking' | 'text', text: string, at: number) {
  const part = kind === 'text' ? 'text' : 'thought'
  const last = t.parts[t.parts.length - 1]
  if (last?.kind === part) last.text += text
  else t.parts.push({ kind: part, text })
  const span = t.spans.findLast((s) => s.to === undefined)
  if (span?.kind === kind) return
  close(t, at, 'model', 'thinking', 'text', 'pause')
  begin(t, kind, kind === 'text' ? 'answer' : 'thinking', at)
}

const handlers: { [kind: string]: (t: Turn, b: any, at: number) => void } = {
  prompt_edited: (t, b) => { t.text = sentText(t.task, b.text) },
  turn_started: (t, _, at) => { t.started = at; close(t, at, 'queue') },
  step_started: (t, _, at) => { close(t, at, 'model', 'thinking', 'text', 'pause'); begin(t, 'model', 'waiting for the model', at) },
  thinking_delta: (t, b, at) => speak(t, 'thinking', b.text, at),
  text_delta: (t, b, at) => speak(t, 'text', b.text, at),
  tool_call_requested: (t, b, at) => {
    close(t, at, 'model', 'thinking', 'text')
    const call: Call = { id: b.call, name: b.name, title: b.title, args: b.arguments, problem: b.argument_error, state: 'asked', output: '' }
    t.calls.set(b.call, call)
    t.parts.push({ kind: 'call', call })
  },
  tool_call_updated: (t, b) => {
    const c = t.calls.get(b.call)
    if (!c) return
    c.title = b.title ?? c.title
    c.args = b.arguments ?? c.args
  },
  plan_updated: (t, b) => {
    const plan: Part = { kind: 'plan', entries: b.entries }
    const before = t.parts.findIndex((p) => p.kind === 'plan')
    if (before >= 0) t.parts[before] = plan
    else t.parts.push(plan)
  },
  message_imported: (t, b) => { t.parts.push({ kind: 'prompt', text: b.text }) },
  tool_call_started: (t, b, at) => {
    const c = t.calls.get(b.call)
    if (!c) return
    c.state = 'running'
    c.from = at
    begin(t, 'tool', titleOf(c), at)
    c.from = at
  },
  tool_output_delta: (t, b) => {
    const c = t.calls.get(b.call)
    if (c) c.output = (c.output + b.text).slice(-mostOutput)
  },
  tool_call_ended: (t, b, at) => {
    const c = t.calls.get(b.call)
    if (!c) return
    c.state = b.outcome === 'finished' && b.failed ? 'failed' : b.outcome
    c.result = b.result
    c.to = at
    for (const s of t.spans) if (s.kind === 'tool' && s.from === c.from && s.label === titleOf(c) && s.to === undefined) s.to = at
  },
  question_opened: (t, b, at) => {
    t.questions.set(b.question.id, b.question)
    const c = t.calls.get(b.question.call)
    if (c) { c.asking = true; c.changes = b.question.changes }
    begin(t, 'person', 'waiting for you', at)
  },
  question_answered: (t, b, at) => {
    const q = t.questions.get(b.question)
    if (q) { q.answer = b.choice; q.by = b.by }
    const c = t.calls.get(q?.call ?? '')
    if (c) c.asking = false
    close(t, at, 'person')
  },
  model_retry_scheduled: (t, b, at) => {
    t.parts.push({ kind: 'note', text: `The model request failed (${b.reason}). Retrying in ${Math.round(b.retry_in_ms / 100) / 10} s.` })
    close(t, at, 'model', 'pause')
    begin(t, 'pause', 'waiting to retry', at)
  },
  files_scanned: (t, b, at) => {
    const open = t.spans.find((s) => s.kind === 'scan' && s.to === undefined)
    const label = 'scanning files for undo' + (b.files ? ` (${b.files}, ${Math.floor(b.bytes / 2 ** 20)} MB so far)` : '')
    if (b.done) close(t, at, 'scan')
    else if (open) open.label = label
    else begin(t, 'scan', label, at)
  },
  conversation_compacted: (t) => { t.parts.push({ kind: 'note', text: 'Earlier messages were summarized for the model. You can still see all of them.' }) },
  side_request_started: (t, b, at) => { if (b.purpose === 'compaction') begin(t, 'model', 'summarizing the conversation', at) },
  side_request_ended: (t, b, at) => { if (b.purpose === 'compaction') close(t, at, 'model') },
  step_ended: (t, _, at) => close(t, at, 'model', 'thinking', 'text', 'pause'),
  stop_requested: (t, b) => { t.stop ??= b.cause },
  turn_ended: (t, b, at) => {
    t.receipt = b.receipt
    t.changes = b.receipt.changes
    t.ended = at
    t.stop ??= b.receipt.cause
    for (const s of t.spans) s.to ??= at
    for (const c of t.calls.values()) c.asking = false
    for (const [outcome, refs] of Object.entries({ stopped: b.receipt.calls.stopped, not_started: b.receipt.calls.not_started, unknown: b.receipt.calls.unknown })) {
      for (const ref of (refs as { call: string }[] | undefined) ?? []) {
        const c = t.calls.get(ref.call)
        if (c) { c.state = outcome as Call['state']; c.to ??= c.from && at }
      }
    }
  },
}

// The maximum length of a call's output that is kept for display.
const mostOutput = 60_000

/** answer returns the text of the model's answer in a turn. */
export function answer(t: Turn): string {
  return t.parts.map((p) => (p.kind === 'text' ? p.text : '')).filter(Boolean).join('\n\n')
}
