// The types of the HTTP API that the page uses; see docs/http.md.

export interface Cause { kind: string; by?: string; source?: string; reason?: string; at: string; mode?: string }
export interface Usage { input_tokens: number; output_tokens: number; cost_nano_usd?: number; exact: boolean }
export interface CallRef { call: string; name: string }
export interface Process { pid: number; name?: string; how?: string }

export interface Receipt {
  turn: string
  end: 'done' | 'stopped' | 'failed' | 'lost'
  cause?: Cause
  race_winner: string
  error?: string
  incomplete?: string
  prompt?: string
  times: { accepted?: string; started?: string; stop_requested?: string; stream_closed?: string; last_process_ended?: string; settled?: string }
  calls: { finished: number; stopped?: CallRef[]; not_started?: CallRef[]; unknown?: CallRef[] }
  processes: Processes
  changes?: Changes
  withdrawn_questions?: string[]
  held_turns?: string[]
  usage: Usage
  kept: { text_bytes: number; thinking_bytes: number; finished_calls: number }
}

/** Processes lists the processes of a turn. */
export interface Processes { ended?: Process[]; survivors?: Process[]; unconfirmed?: Process[]; proof?: string; unknown?: string; node?: string }

/** Changes lists what a turn changed in the session's directory. */
export interface Changes {
  pending?: boolean; created?: number; changed?: number; deleted?: number; not_kept?: number
  files?: ChangedFile[]; more?: number; gaps?: { path: string; reason: string }[]; problem?: string
}
export interface ChangedFile { path: string; kind: 'created' | 'changed' | 'deleted'; directory?: boolean; certainty: string; not_kept?: string }
/** Undone is the result of an undo, or of a redo if redone is set, or what one would do. */
export interface Undone {
  undo: string; turns: string[]; redone?: string; by?: string
  restored: number; already?: number; conflicts?: number; not_kept?: number; skipped?: number
  files: { path: string; result: string; reason?: string; trash?: string }[]; more?: number
}

export interface Choice { id: string; text: string; kind: string }
/** Change is a part of a file before and after a call; line is the line at which old begins. */
export interface Change { path: string; old?: string; new: string; line?: number }
export interface Question {
  id: string; call?: string; text: string; choices: Choice[]
  /** id of the tool call that needs approval */
  tool?: string; arguments?: any; changes?: Change[]
  /** values that the question requests */
  fields?: Field[]
  /** page on which the user enters what the question requests */
  url?: string
  /** scope that every answer but a rejection needs */
  requires?: string
}
export interface Field {
  name: string; type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  title?: string; description?: string; required?: boolean; default?: any; options?: { value: string; title?: string; description?: string }[]
  format?: string; min_length?: number; max_length?: number; minimum?: number; maximum?: number; min_items?: number; max_items?: number
}
export interface Image { type: string; data: string }
export interface TextFile { name: string; text: string }

export interface Session {
  id: string; dir: string; owner?: string; title?: string; agent?: string; model?: string; mode?: string
  created: string; updated: string; turns?: TurnReport[]
}

export interface TurnReport {
  id: string; session: string; state: string; held?: boolean; text: string; task?: string; accepted: string; node?: string
  stop_request?: Cause; questions?: Question[]; receipt?: Receipt
}

export interface Event { session: string; seq: number; turn?: string; time: string; kind: string; body: any }

export interface Node {
  id: string; name: string; version: string; self: boolean; started?: string
  lease_age_seconds: number; lease_remaining_seconds: number; nats_round_trip_seconds: number; draining: boolean; running: number; queued: number
}

export interface Me { owner: string; scopes: string[] }

/** may reports whether a login has a scope; an admin has all. */
export function may(me: Me | undefined, scope: string): boolean {
  return !!me && (me.scopes.includes(scope) || me.scopes.includes('admin'))
}

export const modes: Record<string, string> = {
  'read-only': 'Read only',
  ask: 'Ask first',
  'auto-edit': 'Edit files, ask for the rest',
  full: 'Everything without asking',
}
