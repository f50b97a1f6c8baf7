// What the list of changes and the dialog of an undo share.
import type { Conversation } from './conversation'
import type { Turn } from './record'
import type { Undone } from './words'

export interface Props { conversation: Conversation; turn: Turn; mayUndo: boolean; busy: boolean; dir: string }

/** whileBusy explains why nothing can be undone now. */
export const whileBusy = 'Not possible while a turn is running.'

/** inEffect returns the undos of a turn that were not reversed. */
export function inEffect(t: Turn): Undone[] {
  return t.undos.filter((u) => !u.redone && !t.undos.some((o) => o.redone === u.undo))
}

/** resultOf describes the result of an undo, as Undone.Text in changes.go. */
export function resultOf(u: Undone): string {
  const parts = [
    `${u.restored} restored`, u.already && `${u.already} already as before`, u.conflicts && `${u.conflicts} changed since and left alone`,
    u.not_kept && `${u.not_kept} not kept`, u.skipped && `${u.skipped} need a confirmation`,
  ]
  return (u.redone ? 'Redone: ' : 'Undone: ') + parts.filter(Boolean).join(', ')
}
