import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** Menu is a button that opens a list of actions. It closes when one is chosen, with Esc, and when the focus leaves it. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDetailsElement>(null)
  const keys = (e: KeyboardEvent) => {
    if (e.key !== 'Escape' || !box.current!.open) return
    e.preventDefault()
    e.stopPropagation()
    box.current!.open = false
    box.current!.querySelector('summary')!.focus()
  }
  const left = (e: FocusEvent) => { if (e.relatedTarget && !box.current!.contains(e.relatedTarget as Node)) box.current!.open = false }
  const chosen = (e: MouseEvent) => { if ((e.target as Element).closest('button')) box.current!.open = false }
  return (
    <details class="menu" ref={box} onKeyDown={keys} onFocusOut={left}>
      <summary aria-label={label}>⋯</summary>
      <div onClick={chosen}>{children}</div>
    </details>
  )
}
