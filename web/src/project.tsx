import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, Problem } from './client'
import { setHome, shortPath } from './paths'
import { visible } from './visible'

interface Project { dir: string; branch?: string; sessions?: number }
interface Projects { projects: Project[]; roots: Project[]; browse: boolean; home?: string }
interface Listing { dir?: string; parent?: string; dirs: { name: string; dir: string }[]; truncated?: boolean }

interface Props { value: string; onChange: (dir: string) => void }

/** ProjectChoice shows the directory of a new session, and a dialog to choose another one. An empty value is a new directory for the session. */
export function ProjectChoice({ value, onChange }: Props) {
  const [known, setKnown] = useState<Projects>()
  const [open, setOpen] = useState(false)
  useEffect(() => { void ask<Projects>('GET', '/v1/projects').then((p) => { setHome(p.home); setKnown(p) }).catch(() => {}) }, [])
  if (!known || (!known.browse && known.projects.length === 0)) return null
  const chosen = [...known.projects, ...known.roots].find((p) => p.dir === value)
  const pick = (dir: string) => { onChange(dir); setOpen(false) }
  return (
    <p class="project">
      <span class="faint" id="project-label">Project</span>
      <button type="button" aria-haspopup="dialog" aria-describedby="project-label" onClick={() => setOpen(true)}>{value ? nameOf(chosen ?? { dir: value }) : 'Scratch folder'} ▾</button>
      {open && <Chooser known={known} onPick={pick} onClose={() => setOpen(false)} />}
    </p>
  )
}

function nameOf(p: Project): string { return shortPath(p.dir) + (p.branch ? ` (${visible(p.branch)})` : '') }

function Chooser({ known, onPick, onClose }: { known: Projects; onPick: (dir: string) => void; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  const [filter, setFilter] = useState('')
  const [at, setAt] = useState<string>()
  useEffect(() => { box.current!.showModal() }, [])
  const fits = (p: Project) => nameOf(p).toLowerCase().includes(filter.trim().toLowerCase())
  const recent = known.projects.filter(fits)
  const roots = known.roots.filter((r) => fits(r) && !known.projects.some((p) => p.dir === r.dir))
  const typed = /^([/~]|[a-z]:\\)/i.test(filter.trim()) && known.browse ? filter.trim().replace(/^~/, known.home ?? '~') : ''
  return (
    <dialog ref={box} class="chooser" aria-label="Choose a project" onClose={onClose}>
      {at === undefined ? (
        <>
          <label class="filter"><span class="hidden">Filter projects</span>
            <input type="search" value={filter} placeholder="Filter, or type a path" onInput={(e) => setFilter(e.currentTarget.value)} />
          </label>
          <Names title="Recent" all={recent} onPick={onPick} />
          <Names title="Directories" all={roots} onPick={onPick} />
          {filter && recent.length + roots.length === 0 && !typed && <p class="faint">No project matches.</p>}
          <div class="rows">
            {typed && <button type="button" class="quiet" onClick={() => setAt(typed)}>Open {visible(typed)}</button>}
            {known.browse && <button type="button" class="quiet" onClick={() => setAt('')}>Browse…</button>}
            <button type="button" class="quiet" onClick={() => onPick('')}>Scratch folder <span class="faint">a new, empty directory</span></button>
          </div>
        </>
      ) : <Browse start={at} onPick={onPick} onBack={() => setAt(undefined)} />}
    </dialog>
  )
}

function Names({ title, all, onPick }: { title: string; all: Project[]; onPick: (dir: string) => void }) {
  if (all.length === 0) return null
  return (
    <section class="rows" aria-label={title}>
      <h2>{title}</h2>
      {all.map((p) => <button type="button" class="quiet" key={p.dir} onClick={() => onPick(p.dir)}>{nameOf(p)}</button>)}
    </section>
  )
}

/** Browse lists directories. Opening a directory and choosing it are separate controls. */
function Browse({ start, onPick, onBack }: { start: string; onPick: (dir: string) => void; onBack: () => void }) {
  const [under, setUnder] = useState(start)
  const [hidden, setHidden] = useState(false)
  const [list, setList] = useState<Listing>()
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    let current = true
    setTrouble('')
    ask<Listing>('GET', `/v1/dirs?under=${encodeURIComponent(under)}${hidden ? '&hidden=true' : ''}`)
      .then((l) => { if (current) setList(l) })
      .catch((err: Problem) => { if (current) setTrouble(`${visible(under)}: ${err.message}.`) })
    return () => { current = false }
  }, [under, hidden])
  return (
    <>
      <h2 class="plain">{list?.dir ? shortPath(list.dir) : 'Choose a folder'}</h2>
      {trouble && <p role="alert">{trouble}</p>}
      <div class="rows folders" role="group" aria-label="Folders">
        {list?.parent && <button type="button" class="quiet" onClick={() => setUnder(list.parent!)}>↑ Parent folder</button>}
        {list?.dirs.map((d) => <button type="button" class="quiet" key={d.name} onClick={() => setUnder(d.dir)}>{list.dir ? visible(d.name) : shortPath(d.dir)}</button>)}
        {list?.dirs.length === 0 && <p class="faint">No folders here.</p>}
        {list?.truncated && <p class="faint">Only the first {list.dirs.length} folders are listed. Type the path of another one in the filter.</p>}
      </div>
      <label class="option"><input type="checkbox" checked={hidden} onChange={(e) => setHidden(e.currentTarget.checked)} /> Show hidden folders</label>
      <div class="actions">
        <button type="button" class="primary" disabled={!list?.dir || !!trouble} onClick={() => onPick(list!.dir!)}>Use this folder</button>
        <button type="button" onClick={onBack}>Back</button>
      </div>
    </>
  )
}
