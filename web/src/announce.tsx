import { useEffect, useState } from 'preact/hooks'

let tell = (_: string) => {}

/** say has a screen reader say something, without moving anybody's focus. */
export function say(text: string) { tell(text) }

/** Announcer is where what is said stands. Two places by turns, so that the same words are said again. */
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
