// Earlier prompts with the arrow keys.
import { useRef } from 'preact/hooks'
import { prompts } from './recall'

/** History names the list of prompts that belongs to a composer. */
export interface History { owner: string; project: string }

/** useHistory returns a handler of keys: Up on the first line and Down on the last line show earlier and later prompts. */
export function useHistory(of: History | undefined, show: (text: string) => void) {
  const place = useRef({ at: -1, draft: '', shown: '' })
  return (e: KeyboardEvent): boolean => {
    const box = e.currentTarget as HTMLTextAreaElement
    const up = e.key === 'ArrowUp'
    if (!of || (!up && e.key !== 'ArrowDown') || e.shiftKey || e.altKey || e.ctrlKey || e.metaKey || e.isComposing || !atEdge(box, up)) return false
    const p = place.current
    if (box.value !== p.shown) Object.assign(p, { at: -1, draft: box.value }) // it was edited: this is the draft
    const all = prompts(of.owner, of.project)
    const next = p.at + (up ? 1 : -1)
    if (next < -1 || next >= all.length) return false
    Object.assign(p, { at: next, shown: next < 0 ? p.draft : all[next]! })
    e.preventDefault()
    box.value = p.shown // at once, so that the next key is typed at the caret
    const caret = up ? 0 : p.shown.length
    box.setSelectionRange(caret, caret)
    show(p.shown)
    return true
  }
}

/** atEdge reports whether the caret is on the first or last line. With wrapped lines it must be at the very start or end, because the keys also move between those. */
function atEdge(box: HTMLTextAreaElement, first: boolean): boolean {
  if (box.selectionStart !== box.selectionEnd) return false
  const at = box.selectionStart
  if (at === (first ? 0 : box.value.length)) return true
  const lines = box.value.split('\n').length
  const isWrapped = box.scrollHeight > (lines + 1) * parseFloat(getComputedStyle(box).lineHeight) + 20
  return !isWrapped && !(first ? box.value.slice(0, at) : box.value.slice(at)).includes('\n')
}
