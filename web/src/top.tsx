import { Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from './announce'
import { ask, download } from './client'
import { Confirm } from './confirm'
import type { Conversation } from './conversation'
import { cost } from './figures'
import { Lazy } from './lazy'
import { Menu } from './menu'
import { isScratch, shortPath } from './paths'
import { modelOf, modeOf, nameOf, Pick, useModels, useSettingsOf, type Setting } from './picks'
import { go, here } from './route'
import { visible } from './visible'
import { may, modes, type Me } from './words'

/** Top is the header of a conversation: its title, its settings, what it has cost, and its menu. */
export function Top({ c, title, me }: { c: Conversation; title: string; me?: Me }) {
  const [asking, ask1] = useState<'clear' | 'delete'>()
  const [renaming, setRenaming] = useState(false)
  const [sharing, setSharing] = useState(false)
  const [adjusting, setAdjusting] = useState(false)
  const models = useModels()
  const settings = useSettingsOf(c, me, models)
  const header = useRef<HTMLElement>(null)
  const refocus = () => header.current?.querySelector<HTMLElement>('.menu summary')?.focus() // the menu has closed, so a dialog cannot return the focus
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
    <header class="top" ref={header}>
      <a class="back" href="/" onClick={here} aria-label="All sessions">‹</a>
      <div>
        {renaming
          ? <Rename title={title} onDone={rename} onCancel={() => setRenaming(false)} />
          : <h1><span>{title || 'New session'}</span>{may(me, 'prompt') && <button type="button" class="quiet rename" onClick={() => setRenaming(true)}>Rename</button>}</h1>}
        <Facts c={c} me={me} models={models} settings={settings} />
      </div>
      <Menu label="Session menu">
        {may(me, 'prompt') && <button type="button" class="quiet only-phone" onClick={() => setRenaming(true)}>Rename…</button>}
        {settings.length > 0 && <button type="button" class="quiet only-phone" onClick={() => setAdjusting(true)}>{settings.length > 1 ? `${settings[0]!.label} and permissions…` : 'Permissions…'}</button>}
        <button type="button" class="quiet" onClick={copy}>Copy link</button>
        {may(me, 'prompt') && (c.session?.owner ?? '') === (me?.owner ?? '') && <button type="button" class="quiet" onClick={() => setSharing(true)}>Share…</button>}
        <button type="button" class="quiet" onClick={save}>Save as Markdown</button>
        {may(me, 'prompt') && <button type="button" class="quiet" onClick={() => ask1('clear')}>Clear conversation…</button>}
        {may(me, 'prompt') && <button type="button" class="quiet" onClick={() => ask1('delete')}>Delete…</button>}
      </Menu>
      {sharing && <Lazy load={() => import('./sharing').then((m) => m.default)} props={{ session: c.id, title, onClose: () => { setSharing(false); refocus() } }} quiet />}
      {adjusting && <Lazy load={() => import('./adjusting').then((m) => m.default)} props={{ settings, onClose: () => { setAdjusting(false); refocus() } }} quiet />}
      {asking && (
        <Confirm title={asking === 'delete' ? 'Delete this session?' : 'Clear this conversation?'} action={asking === 'delete' ? 'Delete' : 'Clear'} onYes={yes} onNo={() => { ask1(undefined); refocus() }}>
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

/** Facts shows the directory, the settings, the context and the cost of a session. On a phone the settings are text, and change in a dialog. */
function Facts({ c, me, models, settings }: { c: Conversation; me?: Me; models: ReturnType<typeof useModels>; settings: Setting[] }) {
  const s = c.session
  if (!s) return <p class="facts faint">&nbsp;</p>
  const model = modelOf(c)
  const window = c.spending.size || models.find((m) => m.id === (c.spending.model || model))?.context_window || 0
  const has = (label: string) => settings.some((o) => o.label === label)
  return (
    <div class="facts faint">
      {!isScratch(s) && <span class="dir">{shortPath(s.dir)}</span>}
      {s.agent ? <span>{visible(s.agent)}</span> : !has('Model') && <span>{visible(model)}</span>}
      {settings.map((o) => <Fragment key={o.label}><span class="only-phone">{nameOf(o)}</span><Pick setting={o} wide /></Fragment>)}
      {!has('Permissions') && modes[modeOf(c)] && <span>{modes[modeOf(c)]}</span>}
      {c.spending.context > 0 && window > 0 && <span class="figures" title={`${c.spending.context.toLocaleString()} of ${window.toLocaleString()} tokens`}>ctx {Math.min(100, Math.round((100 * c.spending.context) / window))}%</span>}
      {c.spending.cost > 0 && <span class="figures cost">{cost(c.spending.cost)}</span>}
      {s.owner !== me?.owner && s.owner && <span>{visible(s.owner)}</span>}
    </div>
  )
}
