import { useEffect, useState } from 'preact/hooks'
import { say } from './announce'
import { ask } from './client'
import type { Conversation } from './conversation'
import { visible } from './visible'
import { may, modes, type Me } from './words'

interface Model { id: string; context_window?: number }
interface Option { id: string; name: string; category?: string; value: string; choices: { value: string; name: string }[] }

/** Setting is a setting of a session that the user may change. */
export interface Setting { label: string; value: string; choices: [string, string][]; onPick: (value: string) => void }

/** useModels returns the models of the server. */
export function useModels(): Model[] {
  const [models, setModels] = useState<Model[]>([])
  useEffect(() => { void ask('GET', '/v1/models').then((a) => setModels(a.models)).catch(() => {}) }, [])
  return models
}

/** useSettingsOf returns the settings of a session that the user may change: the model or the options of the agent, and the permissions. */
export function useSettingsOf(c: Conversation, me: Me | undefined, models: Model[]): Setting[] {
  const [options, setOptions] = useState<Option[]>([])
  const s = c.session
  const running = !!c.running
  useEffect(() => {
    if (s?.agent) void ask('GET', `/v1/sessions/${c.id}/options`).then((a) => setOptions(a.options)).catch(() => {})
  }, [s?.agent, running]) // the agent has options once it runs
  if (!s || !may(me, 'prompt')) return []
  const change = (what: object) => void c.act(async () => {
    await ask('PATCH', `/v1/sessions/${c.id}`, what)
    say(running ? 'Changed. The running turn keeps its settings.' : 'Changed.')
  })
  const set = (id: string, value: string) => void c.act(async () => setOptions((await ask('PATCH', `/v1/sessions/${c.id}/options/${encodeURIComponent(id)}`, { value })).options))
  const model = modelOf(c)
  const names = [...new Set([model, ...models.map((m) => m.id)])].filter(Boolean)
  const first: Setting[] = s.agent
    ? options.filter((o) => o.category !== 'mode').map((o) => ({ label: visible(o.name), value: o.value, choices: o.choices.map((v) => [v.value, v.name]), onPick: (v) => set(o.id, v) }))
    : names.length > 1 ? [{ label: 'Model', value: model, choices: names.map((n) => [n, n]), onPick: (v) => change({ model: v }) }] : []
  return [...first, { label: 'Permissions', value: modeOf(c), choices: Object.entries(modes), onPick: (v) => change({ mode: v }) }]
}

export const modelOf = (c: Conversation) => c.record.model ?? c.session?.model ?? ''
export const modeOf = (c: Conversation) => c.record.mode ?? c.session?.mode ?? ''

/** nameOf returns the name of the current value of a setting. */
export function nameOf({ value, choices }: Setting): string {
  return visible(choices.find(([v]) => v === value)?.[1] ?? value) || 'Server default'
}

/** Pick changes a setting. It shows the old value until the server has the new one. */
export function Pick({ setting: { label, value, choices, onPick }, wide }: { setting: Setting; wide?: boolean }) {
  return (
    <select class={wide ? 'only-wide' : undefined} aria-label={label} value={value} onChange={(e) => { const to = e.currentTarget.value; e.currentTarget.value = value; onPick(to) }}>
      {!choices.some(([v]) => v === value) && <option value={value}>{visible(value) || 'Server default'}</option>}
      {choices.map(([v, name]) => <option value={v} key={v}>{visible(name)}</option>)}
    </select>
  )
}
