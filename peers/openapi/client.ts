// A client in TypeScript that handles every kind of event, without a cast. It is
// compiled, not run: peers/openapi/check generates the types from a real server.
import type { components } from './schema'

type Event = components['schemas']['Event']

export function describe(ev: Event): string {
  switch (ev.kind) {
    case 'turn_accepted': return `prompt: ${ev.body.text}`
    case 'prompt_edited': return `edited: ${ev.body.text}`
    case 'turn_started': return 'started'
    case 'stop_requested': return `stop by ${ev.body.cause.by ?? ''} from ${ev.body.cause.source ?? ''}`
    case 'turn_ended': return ended(ev.body.receipt)
    case 'step_started': return `request ${ev.body.step.toFixed()} to ${ev.body.model ?? ''}`
    case 'attachment_loaded': return ev.body.link.uri
    case 'context_added': return `${ev.body.reason} ${ev.body.path ?? ''}: ${ev.body.text}`
    case 'usage_reported': return `${ev.body.usage.input_tokens.toFixed()} tokens`
    case 'thinking_delta': return ev.body.text
    case 'thinking_signed': return 'signed'
    case 'text_delta': return ev.body.text
    case 'tool_call_requested': return `call ${ev.body.call}: ${ev.body.name}`
    case 'tool_call_updated': return `changed ${ev.body.call}: ${ev.body.title ?? ''} ${(ev.body.locations ?? []).map((l) => l.path).join(' ')}`
    case 'tool_call_started': return `started ${ev.body.call}`
    case 'tool_output_delta': return ev.body.text
    case 'tool_call_ended': return outcomes[ev.body.outcome] + ev.body.result
    case 'plan_updated': return ev.body.entries.map((e) => `${e.status} ${e.text}`).join('; ')
    case 'agent_update': return ev.body.agent_session ?? ''
    case 'custom': return ev.body.name
    case 'question_opened': return ev.body.question.choices.map((c) => c.text).join(', ')
    case 'question_answered': return ev.body.choice
    case 'answer_forwarded': return `${ev.body.turn}: ${ev.body.answer.choice}`
    case 'model_retry_scheduled': return `retry in ${(ev.body.retry_in_ms / 1000).toFixed(1)} s: ${ev.body.reason}`
    case 'files_scanned': return `${ev.body.done ? 'scanned' : 'scanning'} ${ev.body.files.toFixed()} files, ${ev.body.bytes.toFixed()} bytes`
    case 'step_ended': return ev.body.finish
    case 'side_request_started': return ev.body.purpose
    case 'side_request_ended': return ev.body.usage.output_tokens.toFixed()
    case 'conversation_compacted': return ev.body.summary
    case 'conversation_cleared': return 'cleared'
    case 'agent_session_opened': return ev.body.agent_session
    case 'message_imported': return ev.body.text
    case 'process_confirmed': return ev.body.process.pid.toFixed()
    case 'processes_recovered': return `${ev.body.turn}: ${(ev.body.processes.ended ?? []).length} ended`
    case 'changes_recorded': return `${ev.body.turn}: ${(ev.body.changes.files ?? []).map((f) => `${f.kind} ${f.path}`).join(', ')}`
    case 'undone': return ev.body.files.map((f) => `${f.path}: ${f.result}`).join(', ')
    case 'conversation_rewound': return ev.body.turn ?? 'taken back'
    case 'session_updated': return ev.body.title ?? ''
    default: return unhandled(ev)
  }
}

// The compiler rejects this call if a kind is not handled above.
function unhandled(ev: never): string { return JSON.stringify(ev) }

type Outcome = components['schemas']['ToolCallEnded']['outcome']
const outcomes: Record<Outcome, string> = { not_started: 'not run', finished: 'finished', stopped: 'stopped', unknown: 'unknown' }

function ended(r: components['schemas']['Receipt']): string {
  const head = r.log_head ? `${r.log_head.seq.toFixed()} ${r.log_head.hash}` : ''
  return `${r.end} (${r.race_winner}), ${r.kept.text_bytes.toFixed()} bytes, ${head}`
}

export function found(hits: components['schemas']['Hits']): string {
  return hits.hits.map((h) => `${h.session.id} ${h.where}: ${h.pieces.map((p) => (p.match ? `*${p.text}*` : p.text)).join('')}`).join('\n')
}

export function folders(d: components['schemas']['Dirs'], p: components['schemas']['Projects']): string[] {
  return [...d.dirs, ...p.projects, ...p.roots].map((x) => x.dir)
}

export function link(origin: string, s: components['schemas']['Share']): string { return `${origin}/share/${s.token ?? ''} until ${s.expires}` }
