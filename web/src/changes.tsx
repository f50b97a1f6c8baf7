import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, type Problem } from './client'
import { Diff } from './diff'
import { changesOf } from './edits'
import { plural } from './figures'
import { counts } from './lines'
import { Long } from './long'
import type { Turn } from './record'
import { languageOf } from './scanner'
import { inEffect, whileBusy, type Props } from './undo'
import { Undoing } from './undoing'
import { inLine, visible } from './visible'
import type { Change, ChangedFile } from './words'

/** certainties describe why it is not certain that the turn made a change. */
const certainties: { [certainty: string]: string } = {
  during: 'while a command was running', found: 'found after the server had ended during the turn',
  disputed: 'while commands of other sessions were running, too', loose: 'between two calls, while background processes were running',
}

/** ChangeList lists the files that a turn changed, and undoes the changes that are ticked. */
export default function ChangeList(props: Props & { onUndone: () => void }) {
  const { turn, mayUndo, busy } = props
  const c = turn.changes!
  const rows = c.files ?? []
  const [choices, choose] = useState(new Map<string, boolean>())
  const [whole, setWhole] = useState(false)
  // The number of the open preview, or 0. The browser reports the end of a dialog late: the next one can be open by then.
  const [preview, setPreview] = useState(0)
  const previews = useRef(0)
  const undone = undonePaths(turn)
  const isLeaf = (f: ChangedFile) => !f.directory || !rows.some((o) => isBelow(o, f))
  const canTick = (f: ChangedFile) => isLeaf(f) && !f.not_kept && !undone.has(f.path)
  const isTicked = (f: ChangedFile) => canTick(f) && (whole || (choices.get(f.path) ?? !['disputed', 'loose'].includes(f.certainty)))
  const ticked = rows.filter(isTicked)
  // An undo of a directory includes everything below it.
  const directories = rows.filter((d) => !isLeaf(d) && !undone.has(d.path) && !c.more && rows.every((f) => !isBelow(f, d) || !isLeaf(f) || isTicked(f) || undone.has(f.path)))
  const tickAll = (on: boolean) => choose(new Map(rows.map((f) => [f.path, on])))
  const noun = ticked.length > 0 && ticked.every((f) => f.directory) ? plural(ticked.length, 'directory', 'directories') : plural(ticked.length, 'file')
  const name = whole ? 'all changes' : noun
  return (
    <div class="changes">
      {c.problem && <p>Changes may be missing from this list: {visible(c.problem)}.</p>}
      {c.gaps?.map((g) => <p class="plain">{g.path ? inLine(g.path) : 'The directory of the session'} was not compared: {visible(g.reason)}.</p>)}
      <ul aria-label="Changed files">
        {rows.map((f, i) => <Row key={i} {...props} file={f} undone={undone.has(f.path)} isTicked={mayUndo && canTick(f) ? isTicked(f) : undefined} isFixed={whole} onTick={(on) => choose(new Map(choices).set(f.path, on))} />)}
      </ul>
      {!!c.more && <p class="faint">{plural(c.more, 'more change')} not listed.</p>}
      {mayUndo && !!c.more && <label class="check"><input type="checkbox" checked={whole} onChange={(e) => setWhole(e.currentTarget.checked)} /> All changes, also those that are not listed</label>}
      {mayUndo && rows.some(canTick) && (
        <div class="actions">
          <button type="button" disabled={busy || (!whole && ticked.length === 0)} onClick={() => setPreview(++previews.current)}>Undo {name}…</button>
          {!whole && rows.filter(canTick).length > 1 && <button type="button" class="quiet" onClick={() => tickAll(ticked.length === 0)}>{ticked.length === 0 ? 'Select all' : 'Select none'}</button>}
          {busy && <p class="faint">{whileBusy}</p>}
        </div>
      )}
      {preview > 0 && <Undoing key={preview} {...props} name={name} paths={whole ? [] : [...ticked, ...directories].map((f) => f.path)} onClose={() => setPreview((open) => (open === preview ? 0 : open))} />}
    </div>
  )
}

const isBelow = (f: ChangedFile, dir: ChangedFile) => f.path.startsWith(dir.path + '/')

/** undonePaths returns the paths that have the state before the turn, because of undos that were not reversed. */
function undonePaths(t: Turn): Set<string> {
  return new Set(inEffect(t).flatMap((u) => u.files).filter((f) => ['restored', 'already', 'late'].includes(f.result)).map((f) => f.path))
}

type RowProps = Props & { file: ChangedFile; undone: boolean; /** undefined: it cannot be chosen */ isTicked?: boolean; isFixed: boolean; onTick: (on: boolean) => void }

function Row({ turn, dir, file: f, undone, isTicked, isFixed, onTick }: RowProps) {
  const [shown, show] = useState(false)
  const path = inLine(f.path) + (f.directory ? '/' : '')
  return (
    <li>
      <div class="row">
        {isTicked === undefined
          ? <span class="path unticked"><code>{path}</code></span>
          : <label class="path"><input type="checkbox" checked={isTicked} disabled={isFixed} onChange={(e) => onTick(e.currentTarget.checked)} /><code>{path}</code></label>}
        <span class="faint">{[f.kind, certainties[f.certainty], undone && 'undone'].filter(Boolean).join(' · ')}</span>
        {!f.directory && <button type="button" class="quiet" aria-expanded={shown} onClick={() => show(!shown)}>Diff<span class="hidden"> of {path}</span></button>}
      </div>
      {f.not_kept && <p class="reason">Cannot be restored: {visible(f.not_kept)}</p>}
      {shown && <Texts turn={turn.id} path={f.path} dir={dir} />}
    </li>
  )
}

/** Texts shows the changes of a file as a diff. */
function Texts({ turn, path, dir }: { turn: string; path: string; dir: string }) {
  const [changes, set] = useState<Change[]>()
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    ask<{ changes: Change[] }>('GET', `/v1/turns/${turn}/changes/texts?path=${encodeURIComponent(path)}`)
      .then((b) => set(b.changes), (err: Problem) => setTrouble(err.message))
  }, [turn, path])
  if (trouble) return <p role="alert">The diff cannot be loaded: {visible(trouble)}</p>
  if (!changes) return <p class="faint" role="status">Loading…</p>
  if (changes.length === 0) return <p class="faint">No diff: the file is not text, is too long, or was not kept.</p>
  return (
    <>
      {changesOf('', {}, changes, undefined, dir)!.map((f) => (
        <div key={f.path}>
          <p class="faint figures">{changes.length > 1 && inLine(f.path)} {counts(f.lines) || 'The lines are the same.'}</p>
          {f.lines.length > 0 && <Long lines={f.lines.length}><Diff of={f.lines} label={`Changes to ${inLine(f.path)}`} language={languageOf(f.path)} /></Long>}
        </div>
      ))}
    </>
  )
}
