import { useEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

interface Props { title: string; action: string; onYes: () => void; onNo: () => void; children?: ComponentChildren }

/** Confirm asks the user to confirm an action that affects others. */
export function Confirm({ title, action, onYes, onNo, children }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => { box.current!.showModal() }, [])
  return (
    <dialog ref={box} aria-labelledby="confirm-title" onClose={onNo}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      <div class="actions">
        <button type="button" class="stop" onClick={onYes}>{action}</button>
        <button type="button" onClick={() => box.current!.close()}>Cancel</button>
      </div>
    </dialog>
  )
}
