import { useEffect, useState } from 'preact/hooks'

let tell = (_: string, _urgent: boolean) => {}

/** say makes a screen reader read a text, without moving the focus. */
export function say(text: string) { tell(text, false) }

/** warn makes a screen reader read a text at once: that the connection is lost, or that a process survived a stop. */
export function warn(text: string) { tell(text, true) }

/** Announcer contains the only two live regions of the page: a polite one for the state, and an assertive one for warnings. A text gets a new element, so that a repeated text is read again. */
export function Announcer() {
  const [polite, setPolite] = useState<[string, number]>(['', 0])
  const [urgent, setUrgent] = useState<[string, number]>(['', 0])
  useEffect(() => {
    tell = (text, isUrgent) => (isUrgent ? setUrgent : setPolite)(([, n]) => [text, n + 1])
  }, [])
  return (
    <>
      <div class="hidden" role="status" aria-live="polite"><p key={polite[1]}>{polite[0]}</p></div>
      <div class="hidden" aria-live="assertive"><p key={urgent[1]}>{urgent[0]}</p></div>
    </>
  )
}
