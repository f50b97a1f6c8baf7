import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, newID, type Problem } from './client'
import { Lazy } from './lazy'
import { inEffect, resultOf, whileBusy, type Props } from './undo'
import { inLine, visible } from './visible'
import type { Changes, Undone } from './words'

/** Changed shows in one line what a turn changed, and what was undone. The line opens the list of files. */
export function Changed(props: Props) {
  const { turn } = props
  const box = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const [undid, setUndid] = useState(false)
  useEffect(() => {
    if (!undid) return
    setUndid(false)
    const redos = box.current!.querySelectorAll<HTMLElement>('.undone button:not(:disabled)')
    ;(redos[redos.length - 1] ?? box.current!.querySelector('summary'))?.focus()
  }, [undid])
  const c = turn.changes
  const summary = c && summaryOf(c)
  if (!summary) return null
  const last = turn.undos[turn.undos.length - 1]
  return (
    <section ref={box} class="changed" aria-label="Changes to files">
      {c.pending && !c.files
        ? <p class="faint">Changes: pending</p>
        : <details onToggle={(e) => setOpen(e.currentTarget.open)}>
            <summary>Files: {summary}</summary>
            {open && <Lazy quiet load={() => import('./changes').then((m) => m.default)} props={{ ...props, onUndone: () => setUndid(true) }} />}
          </details>}
      {inEffect(turn).map((u) => <Result key={u.undo} {...props} of={u} />)}
      {last?.redone && <p class="undone">{resultOf(last)}</p>}
    </section>
  )
}

/** summaryOf describes changes in a few words, as Changes.Text in changes.go. It is empty if nothing is known to have changed. */
function summaryOf(c: Changes): string {
  const counts = [c.changed && `${c.changed} changed`, c.created && `${c.created} created`, c.deleted && `${c.deleted} deleted`].filter(Boolean).join(', ')
  return [
    counts || (c.files?.length && 'only directories'), c.not_kept && `not kept ${c.not_kept}`,
    (c.gaps?.length || c.problem) && 'incomplete', c.pending && 'pending',
  ].filter(Boolean).join(' · ')
}

/** Result shows what an undo did, with a button that reverses it. */
function Result({ conversation, of, mayUndo, busy }: Props & { of: Undone }) {
  const id = useRef(newID()) // a second attempt is the same redo
  const [sending, send] = useState(false)
  const [trouble, setTrouble] = useState('')
  const redo = async (e: Event) => {
    const summary = (e.currentTarget as HTMLElement).closest('.changed')?.querySelector('summary')
    send(true)
    setTrouble('')
    try {
      const u = await ask<Undone>('POST', `/v1/sessions/${conversation.id}/undos/${encodeURIComponent(of.undo)}/redo`, { id: id.current, confirmed: true })
      summary?.focus()
      conversation.undone(u)
      say(resultOf(u))
    } catch (err) {
      setTrouble((err as Problem).message)
      say((err as Problem).message)
    }
    send(false)
  }
  return (
    <div class="undone">
      <p>{resultOf(of)}</p>
      {mayUndo && <button type="button" disabled={busy || sending} onClick={(e) => void redo(e)}>Redo</button>}
      {mayUndo && busy && <p class="faint">{whileBusy}</p>}
      {trouble && <p role="alert">Not redone: {visible(trouble)}</p>}
      {of.files.filter((f) => f.result === 'late').map((f) => <p class="plain">A program wrote to {inLine(f.path)} after the undo. Its bytes are in {inLine(f.trash ?? '')}.</p>)}
    </div>
  )
}
