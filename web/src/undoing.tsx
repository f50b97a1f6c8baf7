import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, newID, type Problem } from './client'
import { plural } from './figures'
import { resultOf, whileBusy, type Props } from './undo'
import { inLine, visible } from './visible'
import type { ChangedFile, Undone } from './words'

/** effects describe what an undo does with a path, by the kind of its change. */
const effects = { created: 'is removed', changed: 'gets its earlier state', deleted: 'is put back' }

function effectOf(f: Undone['files'][number], change?: ChangedFile): string {
  switch (f.result) {
    case 'restored': return change ? effects[change.kind] : 'gets its earlier state'
    case 'already': return 'already as before'
    case 'not_kept': return `cannot be restored: ${f.reason}`
    default: return `left alone: ${f.reason}`
  }
}

/** Undoing is the dialog that shows what an undo would do with each file, and then undoes it. */
export function Undoing({ conversation, turn, busy, name, paths, onUndone, onClose }: Props & { name: string; paths: string[]; onUndone: () => void; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  // A second attempt is the same undo: the list of paths is empty once the page has received the undo of the first.
  const same = useRef({ id: newID(), paths: paths.length ? paths : undefined })
  const title = useRef(name)
  const [preview, setPreview] = useState<Undone>()
  const [sending, setSending] = useState(false)
  const [trouble, setTrouble] = useState('')
  const fail = (err: Problem) => { setTrouble(err.message); say(err.message) }
  const request = (more: object) => ask<Undone>('POST', `/v1/turns/${turn.id}/undo`, { paths: same.current.paths, confirmed: true, ...more })
  useEffect(() => {
    box.current!.showModal()
    request({ dry_run: true }).then((u) => { setPreview(u); say(totalsOf(u)) }, fail)
  }, [])
  const undo = async () => {
    setSending(true)
    setTrouble('')
    try {
      const u = await request({ id: same.current.id })
      box.current!.close()
      conversation.undone(u)
      onUndone()
      say(resultOf(u))
    } catch (err) {
      fail(err as Problem)
      setSending(false)
    }
  }
  const changes = new Map((turn.changes?.files ?? []).map((f) => [f.path, f]))
  return (
    <dialog ref={box} class="undoing" aria-labelledby="undoing-title" onClose={onClose}>
      <h2 id="undoing-title">Undo {title.current}?</h2>
      {!preview && !trouble && <p class="faint" role="status">Comparing the files…</p>}
      {preview && (
        <>
          <p>{totalsOf(preview)}</p>
          <ul aria-label="What the undo does" tabIndex={0}>
            {preview.files.map((f, i) => <li key={i} class={f.result}><code>{inLine(f.path)}{changes.get(f.path)?.directory && '/'}</code> <span>{visible(effectOf(f, changes.get(f.path)))}</span></li>)}
            {!!preview.more && <li class="faint">and {preview.more} more</li>}
          </ul>
        </>
      )}
      {trouble && <p role="alert">Not undone: {visible(trouble)}</p>}
      {busy && <p class="faint">{whileBusy}</p>}
      <div class="actions">
        <button type="button" class="primary" disabled={!preview?.restored || sending || busy} onClick={() => void undo()}>Undo</button>
        <button type="button" onClick={() => box.current!.close()}>Cancel</button>
      </div>
    </dialog>
  )
}

/** totalsOf returns the totals of a preview as a sentence. */
function totalsOf(u: Undone): string {
  const rest = (u.conflicts ?? 0) + (u.not_kept ?? 0) + (u.skipped ?? 0)
  if (u.restored === 0) return 'Nothing can be undone.'
  return `${plural(u.restored, 'path')} would be restored${rest > 0 ? `, ${rest} left as ${rest === 1 ? 'it is' : 'they are'}` : ''}. The conversation stays as it is.`
}
