// The settings of the page. They belong to the browser, not to an account.
import { useEffect, useState } from 'preact/hooks'

export interface Settings {
  theme: 'system' | 'light' | 'dark'
  size: 'small' | 'medium' | 'large'
  /** long lines of code are wrapped. */
  wrap: boolean
  /** what the Enter key does on a device with a keyboard. */
  enter: 'send' | 'line'
  /** notify when a turn waits for an answer, and when a turn ends. */
  waiting: boolean
  ended: boolean
}

const key = 'bellcord.settings'
const choices: { [name in keyof Settings]: Settings[name][] } = {
  theme: ['system', 'light', 'dark'], size: ['medium', 'small', 'large'], wrap: [false, true], enter: ['send', 'line'], waiting: [false, true], ended: [false, true],
}
const changed = new EventTarget()

/** settings returns the settings; an unknown value is the default, which is the first of its choices. */
export function settings(): Settings {
  let had: any = {}
  try { had = JSON.parse(localStorage.getItem(key) ?? '{}') ?? {} } catch { /* no storage, or not ours */ }
  return Object.fromEntries(Object.entries(choices).map(([name, all]) => [name, (all as unknown[]).includes(had[name]) ? had[name] : all[0]])) as unknown as Settings
}

/** change keeps some settings and applies them, in all tabs. */
export function change(some: Partial<Settings>) {
  try { localStorage.setItem(key, JSON.stringify({ ...settings(), ...some })) } catch { /* without storage, settings stay at their defaults */ }
  changed.dispatchEvent(new Event('changed'))
}

/** apply sets the attributes that style.css uses. */
export function apply() {
  const { theme, size, wrap } = settings()
  const root = document.documentElement.dataset
  root.theme = theme
  root.size = size
  root.wrap = String(wrap)
}

/** whenChanged calls a function when the settings change, also in another tab. */
export function whenChanged(tell: () => void): () => void {
  const other = (e: StorageEvent) => { if (e.key === key || e.key === null) tell() }
  changed.addEventListener('changed', tell)
  addEventListener('storage', other)
  return () => { changed.removeEventListener('changed', tell); removeEventListener('storage', other) }
}

/** useSettings returns the settings and renders again when they change. */
export function useSettings(): Settings {
  const [now, set] = useState(settings)
  useEffect(() => whenChanged(() => set(settings())), [])
  return now
}
