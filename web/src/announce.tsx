import { useEffect, useState } from 'preact/hooks'

let tell = (_: string) => {}

/** say makes a screen reader read a text, without moving the focus. */
export function say(text: string) { tell(text) }

/** Announcer contains the texts for screen readers. It alternates between two elements, so that a repeated text is read again. */
export function Announcer() {
  const [said, set] = useState<[string, string, number]>(['', '', 0])
  useEffect(() => {
    tell = (text) => set(([a, b, n]) => (n % 2 ? [a, text, n + 1] : [text, b, n + 1]))
  }, [])
  return (
    <>
      <div class="hidden" role="status" aria-live="polite">{said[2] % 2 ? said[0] : ''}</div>
      <div class="hidden" role="status" aria-live="polite">{said[2] % 2 ? '' : said[1]}</div>
    </>
  )
}
