import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, download } from './client'
import { Confirm } from './confirm'
import type { Conversation } from './conversation'
import { cost } from './figures'
import { Lazy } from './lazy'
import { Menu } from './menu'
import { isScratch, shortPath } from './paths'
import { go, here } from './route'
import { visible } from './visible'
import { may, modes, type Me } from './words'

interface Model { id: string; context_window?: number }
interface Option { id: string; name: string; category?: string; value: string; choices: { value: string; name: string }[] }

/** Top is the header of a conversation: its title, its settings, what it has cost, and its menu. */
export function Top({ c, title, me }: { c: Conversation; title: string; me?: Me }) {
  const [asking, ask1] = useState<'clear' | 'delete'>()
  const [renaming, setRenaming] = useState(false)
  const [sharing, setSharing] = useState(false)
  const save = () => void c.act(() => download(`/v1/sessions/${c.id}/transcript?format=markdown`, 'session.md'))
  const copy = () => void c.act(() => navigator.clipboard.writeText(`${location.origin}/s/${c.id}`).then(() => say('Link copied.')))
  const yes = () => {
    const what = asking
    ask1(undefined)
    void c.act(() => what === 'delete' ? ask('DELETE', `/v1/sessions/${c.id}`).then(() => go('/')) : ask('POST', `/v1/sessions/${c.id}/clear`))
  }
  const rename = (to: string) => {
    setRenaming(false)
    if (to && to !== title) void c.act(() => ask('PATCH', `/v1/sessions/${c.id}`, { title: to }))
  }
  return (
    <header class="top">
      <a class="back" href="/" onClick={here} aria-label="All sessions">‹</a>
      <div>
        {renaming
          ? <Rename title={title} onDone={rename} onCancel={() => setRenaming(false)} />
          : <h1><span>{title || 'New session'}</span>{may(me, 'prompt') && <button type="button" class="quiet rename" onClick={() => setRenaming(true)}>Rename</button>}</h1>}
        <Facts c={c} me={me} />
      </div>
      <Menu label="Session menu">
        {may(me, 'prompt') && <button type="button" class="quiet only-phone" onClick={() => setRenaming(true)}>Rename…</button>}
        <button type="button" class="quiet" onClick={copy}>Copy link</button>
        {may(me, 'prompt') && (c.session?.owner ?? '') === (me?.owner ?? '') && <button type="button" class="quiet" onClick={() => setSharing(true)}>Share…</button>}
        <button type="button" class="quiet" onClick={save}>Save as Markdown</button>
        {may(me, 'prompt') && <button type="button" class="quiet" onClick={() => ask1('clear')}>Clear conversation…</button>}
        {may(me, 'prompt') && <button type="button" class="quiet" onClick={() => ask1('delete')}>Delete…</button>}
      </Menu>
      {sharing && <Lazy load={() => import('./sharing').then((m) => m.default)} props={{ session: c.id, title, onClose: () => setSharing(false) }} quiet />}
      {asking && (
        <Confirm title={asking === 'delete' ? 'Delete this session?' : 'Clear this conversation?'} action={asking === 'delete' ? 'Delete' : 'Clear'} onYes={yes} onNo={() => ask1(undefined)}>
          <p>{asking === 'delete' ? 'Its running turn is stopped, and everything in it is removed.' : 'The running turn is stopped and queued prompts are discarded. The model forgets the conversation; you can still see it.'}</p>
        </Confirm>
      )}
    </header>
  )
}

/** Rename edits the title. Enter keeps the new title, Esc the old one; neither stops a turn. */
function Rename({ title, onDone, onCancel }: { title: string; onDone: (to: string) => void; onCancel: () => void }) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => { box.current!.focus(); box.current!.select() }, [])
  return (
    <form class="renaming" onSubmit={(e) => { e.preventDefault(); onDone(box.current!.value.trim()) }}
      onKeyDown={(e) => { if (e.key === 'Escape') { e.preventDefault(); e.stopPropagation(); onCancel() } }}>
      <input ref={box} aria-label="Title" defaultValue={title} maxLength={200} />
      <button type="submit" class="primary">Save</button>
      <button type="button" onClick={onCancel}>Cancel</button>
    </form>
  )
}

/** Facts shows the directory, the settings, the context and the cost of a session. Settings can be changed by those who may send prompts. */
function Facts({ c, me }: { c: Conversation; me?: Me }) {
  const [models, setModels] = useState<Model[]>([])
  const [options, setOptions] = useState<Option[]>([])
  const s = c.session
  const running = !!c.running
  useEffect(() => { void ask('GET', '/v1/models').then((a) => setModels(a.models)).catch(() => {}) }, [])
  useEffect(() => {
    if (s?.agent) void ask('GET', `/v1/sessions/${c.id}/options`).then((a) => setOptions(a.options)).catch(() => {})
  }, [s?.agent, running]) // the agent has options once it runs
  if (!s) return <p class="facts faint">&nbsp;</p>
  const model = c.record.model ?? s.model ?? ''
  const mode = c.record.mode ?? s.mode ?? ''
  const free = may(me, 'prompt')
  const change = (what: object) => void c.act(async () => {
    await ask('PATCH', `/v1/sessions/${c.id}`, what)
    say(running ? 'Changed. The running turn keeps its settings.' : 'Changed.')
  })
  const set = (id: string, value: string) => void c.act(async () => setOptions((await ask('PATCH', `/v1/sessions/${c.id}/options/${encodeURIComponent(id)}`, { value })).options))
  const window = c.spending.size || models.find((m) => m.id === (c.spending.model || model))?.context_window || 0
  const names = [...new Set([model, ...models.map((m) => m.id)])].filter(Boolean)
  return (
    <div class="facts faint">
      {!isScratch(s) && <span class="dir">{shortPath(s.dir)}</span>}
      {s.agent && <span>{visible(s.agent)}</span>}
      {!s.agent && (free && names.length > 1 ? <Pick label="Model" value={model} choices={names.map((n) => [n, n])} onPick={(v) => change({ model: v })} /> : <span>{visible(model)}</span>)}
      {s.agent && free && options.filter((o) => o.category !== 'mode').map((o) => <Pick key={o.id} label={visible(o.name)} value={o.value} choices={o.choices.map((v) => [v.value, visible(v.name)])} onPick={(v) => set(o.id, v)} />)}
      {free ? <Pick label="Permissions" value={mode} choices={Object.entries(modes)} onPick={(v) => change({ mode: v })} /> : modes[mode] && <span>{modes[mode]}</span>}
      {c.spending.context > 0 && window > 0 && <span class="figures" title={`${c.spending.context.toLocaleString()} of ${window.toLocaleString()} tokens`}>ctx {Math.min(100, Math.round((100 * c.spending.context) / window))}%</span>}
      {c.spending.cost > 0 && <span class="figures cost">{cost(c.spending.cost)}</span>}
      {s.owner !== me?.owner && s.owner && <span>{visible(s.owner)}</span>}
    </div>
  )
}

function Pick({ label, value, choices, onPick }: { label: string; value: string; choices: [string, string][]; onPick: (value: string) => void }) {
  return (
    <select aria-label={label} value={value} onChange={(e) => { const to = e.currentTarget.value; e.currentTarget.value = value; onPick(to) }}>
      {!choices.some(([v]) => v === value) && <option value={value}>{visible(value) || 'Server default'}</option>}
      {choices.map(([v, name]) => <option value={v} key={v}>{visible(name)}</option>)}
    </select>
  )
}
