import { say } from './announce'
import { ask } from './client'
import { Confirm } from './confirm'
import type { Conversation } from './conversation'
import { plural } from './figures'
import type { Turn } from './record'

/** Rewinding asks whether to continue the conversation as it was before a turn. */
export function Rewinding({ conversation: c, turn, onClose }: { conversation: Conversation; turn: Turn; onClose: () => void }) {
  const all = c.turns
  const later = all.slice(all.findIndex((t) => t.id === turn.id) + 1).filter((t) => t.started && !t.cleared).length
  const yes = () => {
    onClose()
    void c.act(() => ask('POST', `/v1/sessions/${c.id}/rewind`, { turn: turn.id }).then(() => say('Rewound. Files stay as they are.')))
  }
  return (
    <Confirm title="Rewind to before this turn?" action="Rewind" onYes={yes} onNo={onClose}>
      <p>The conversation continues as it was before this turn. The turn{later > 0 && ` and ${plural(later, 'later turn')}`} can still be seen here, but {later > 0 ? 'are' : 'is'} no longer sent to the model.</p>
      <p>Files stay as they are; undo their changes separately. You can take the rewind back.</p>
    </Confirm>
  )
}

/** Rewound shows below the turns that the last rewind removed that they are no longer part of the conversation, with a button that takes it back. */
export function Rewound({ conversation: c, turns, mayPrompt, busy }: { conversation: Conversation; turns: Turn[]; mayPrompt: boolean; busy: boolean }) {
  const back = () => void c.act(() => ask('POST', `/v1/sessions/${c.id}/rewind`, { take_back: true }).then(() => {
    say('The rewind was taken back.')
    document.getElementById('composer')?.focus()
  }))
  return (
    <div class="rewound" role="note" aria-label="Rewind">
      <p>Rewound: {plural(turns.length, 'turn')} above {turns.length === 1 ? 'is' : 'are'} no longer part of the conversation. Files stayed as they are.</p>
      {mayPrompt && <button type="button" disabled={busy} title={busy ? 'Not possible while a turn is running.' : undefined} onClick={back}>Take back</button>}
    </div>
  )
}
