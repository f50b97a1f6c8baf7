import { useState } from 'preact/hooks'
import { ask, stop } from './client'
import type { Conversation } from './conversation'
import { escaped, trimmed } from './slash'
import { visible } from './visible'
import type { TurnReport } from './words'

/** Queue shows the queued turns and the actions for them. A stop holds them. */
export function Queue({ conversation, mayPrompt, mayStop }: { conversation: Conversation; mayPrompt: boolean; mayStop: boolean }) {
  const waits = conversation.queue as TurnReport[]
  if (waits.length === 0) return null
  const held = waits.filter((t) => t.held).length
  const send = () => void conversation.act(() => ask('POST', `/v1/sessions/${conversation.id}/queue/send`))
  const discard = () => void conversation.act(() => Promise.all(waits.map((t) => stop(`/v1/turns/${t.id}/stop`, {}))))
  return (
    <section class="queue" aria-label="Queue">
      <header>
        <h2>{held > 0 ? `Held ${held}: not sent, because the turn was stopped` : `Queued ${waits.length}`}</h2>
        {held > 1 && mayPrompt && <button type="button" class="primary" onClick={send}>Send all</button>}
        {waits.length > 1 && mayStop && <button type="button" onClick={discard}>Discard all</button>}
      </header>
      <ol>{waits.map((t) => <Waiting key={t.id} conversation={conversation} turn={t} several={waits.length > 1} mayPrompt={mayPrompt} mayStop={mayStop} />)}</ol>
    </section>
  )
}

function Waiting({ conversation, turn, several, mayPrompt, mayStop }: { conversation: Conversation; turn: TurnReport; several: boolean; mayPrompt: boolean; mayStop: boolean }) {
  const [draft, edit] = useState<string>()
  const save = () => {
    const text = trimmed(draft!)
    if (!text || text === escaped(turn.text, turn.task)) { edit(undefined); return }
    void conversation.act(() => ask('PATCH', `/v1/turns/${turn.id}`, { text }).then(() => edit(undefined), (err) => { if (err.status !== 422) edit(undefined); throw err }))
  }
  const keys = (e: KeyboardEvent) => {
    if (e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); edit(undefined) }
    if (e.key === 'Enter' && !e.shiftKey) { e.preventDefault(); save() }
  }
  if (draft !== undefined) {
    return (
      <li class="editing">
        <textarea aria-label="Queued prompt" rows={2} value={draft} ref={(el) => { if (el && document.activeElement !== el && !el.dataset.seen) { el.dataset.seen = 'yes'; el.focus() } }}
          onInput={(e) => edit(e.currentTarget.value)} onKeyDown={keys} />
        <div class="actions"><button type="button" class="primary" onClick={save}>Save</button><button type="button" onClick={() => edit(undefined)}>Cancel</button></div>
      </li>
    )
  }
  return (
    <li>
      <p class="plain">{visible(turn.text)}</p>
      <div class="actions">
        {mayPrompt && (several || turn.held) && <button type="button" class="quiet" onClick={() => void conversation.act(() => ask('POST', `/v1/turns/${turn.id}/send`))}>{turn.held ? 'Send now' : 'Send next'}</button>}
        {mayPrompt && <button type="button" class="quiet" onClick={() => edit(escaped(turn.text, turn.task))}>Edit</button>}
        {mayStop && <button type="button" class="quiet" onClick={() => void conversation.act(() => stop(`/v1/turns/${turn.id}/stop`, {}))}>Discard</button>}
      </div>
    </li>
  )
}
