import { useEffect, useRef, useState } from 'preact/hooks'
import { pageKey } from './client'
import { go } from './route'

/** shortcuts lists the keys of the page. */
export const shortcuts: [keys: string, does: string][] = [
  ['Enter', 'send the prompt (see Settings)'],
  ['Shift Enter', 'new line'],
  ['Ctrl Enter', 'send the prompt'],
  ['↑ ↓', 'earlier and later prompts, on the first and the last line'],
  ['Esc', 'close the open dialog or menu; otherwise stop the turn'],
  ['Esc Esc', 'force the stop'],
  ['Ctrl K', 'search'],
  ['Ctrl Shift O', 'new session'],
  ['Alt ↑ ↓', 'previous and next session'],
  ['?', 'this list, outside of a text field'],
]

const isText = (e: EventTarget | null) => e instanceof HTMLElement && (e.matches('input, textarea, select') || e.isContentEditable)

/** openShortcuts shows the list of keys. */
export const openShortcuts = () => dispatchEvent(new Event('shortcuts'))

/** Shortcuts handles the keys that work in every view, and shows the list of keys. */
export function Shortcuts() {
  const [shown, show] = useState(false)
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.repeat || !pageKey() || document.querySelector('dialog[open]')) return
      const used = pressed(e, () => show(true))
      if (used) e.preventDefault()
    }
    const asked = () => show(true)
    addEventListener('keydown', keys)
    addEventListener('shortcuts', asked)
    return () => { removeEventListener('keydown', keys); removeEventListener('shortcuts', asked) }
  }, [])
  return shown ? <List onClose={() => show(false)} /> : null
}

/** pressed handles a key and reports whether it has a meaning. */
function pressed(e: KeyboardEvent, help: () => void): boolean {
  const control = e.ctrlKey || e.metaKey
  if (e.key === '?' && !control && !e.altKey && !isText(e.target)) { help(); return true }
  if (e.key.toLowerCase() === 'o' && control && e.shiftKey && !e.altKey) {
    go('/')
    requestAnimationFrame(() => document.getElementById('composer')?.focus())
    return true
  }
  if (e.altKey && !control && !e.shiftKey && (e.key === 'ArrowUp' || e.key === 'ArrowDown')) return neighbour(e.key === 'ArrowDown' ? 1 : -1)
  return false
}

/** neighbour opens the session after or before the current one, in the order of the list. */
function neighbour(by: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sessions a[href^="/s/"]')]
  const at = links.findIndex((a) => a.getAttribute('href') === location.pathname)
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by]
  if (!next) return links.length > 0
  go(next.getAttribute('href')!)
  next.scrollIntoView({ block: 'nearest' })
  return true
}

function List({ onClose }: { onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null
    box.current!.showModal()
    return () => opener?.focus()
  }, [])
  return (
    <dialog ref={box} class="shortcuts" aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
      <dl>{shortcuts.map(([keys, does]) => <div key={keys}><dt>{keys.split(' ').map((k) => <kbd>{k}</kbd>)}</dt><dd>{does}</dd></div>)}</dl>
      <p class="faint">No letter answers a question.</p>
      <div class="actions"><button type="button" onClick={() => box.current!.close()}>Close</button></div>
    </dialog>
  )
}
