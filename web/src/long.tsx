import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from './figures'

/** Long shows a part of a long output or diff in a box that scrolls, and all of it on request. */
export function Long({ lines, live, children }: { lines: number; live?: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState(false)
  const [cut, setCut] = useState(false)
  useEffect(() => {
    const inside = box.current!.querySelector('pre')
    if (!inside || whole) return
    const seen = new ResizeObserver(() => setCut(inside.scrollHeight > inside.clientHeight + 4)) // also when a closed card opens
    seen.observe(inside)
    return () => seen.disconnect()
  }, [lines, whole])
  return (
    <div ref={box} class={'long' + (whole ? ' whole' : '')}>
      {children}
      {!live && (cut || whole) && <button type="button" class="quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>{whole ? 'Show less' : `Show all ${plural(lines, 'line')}`}</button>}
    </div>
  )
}
