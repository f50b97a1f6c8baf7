import type { ComponentChildren } from 'preact'

/** Group is a titled part of the settings. */
export function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return <section class="group" aria-label={title}><h2>{title}</h2>{children}</section>
}

/** Check is a setting that is on or off. */
export function Check({ label, on, set, disabled }: { label: string; on: boolean; set: (on: boolean) => void; disabled?: boolean }) {
  return <label class="check"><input type="checkbox" checked={on} disabled={disabled} onChange={(e) => set(e.currentTarget.checked)} />{label}</label>
}
