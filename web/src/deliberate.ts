// Typing cannot approve a question. It is answered by a click, or by Enter on a
// focused answer. Both count only after the answers have been in view without
// moving for a while; a key counts only after a pause in typing.
import { useEffect, useRef, useState } from 'preact/hooks'

/** settling is how long the answers must not move, and no key be pressed, in milliseconds. */
const settling = 700

// Keys that move the focus or only modify others are not typing.
const moves = new Set(['Tab', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Shift', 'Control', 'Alt', 'Meta'])
let typed = -Infinity
let before = -Infinity
addEventListener('keydown', (e) => {
  before = typed
  if (!moves.has(e.key)) typed = performance.now()
}, true)

/** useDeliberation watches a question's card. ready: the answers can be used; unread: a part of the question has not been in view. */
export function useDeliberation() {
  const card = useRef<HTMLElement>(null)
  const answers = useRef<HTMLDivElement>(null)
  const state = useRef({ place: '', since: performance.now(), read: new WeakSet<Element>(), pressedReady: false })
  const [ready, setReady] = useState(false)
  const [unread, setUnread] = useState(false)

  const isReady = () => {
    const box = answers.current?.getBoundingClientRect()
    const place = box && !document.hidden ? `${Math.round(box.left)} ${Math.round(box.top)}` : ''
    const s = state.current
    if (place !== s.place || place === '') { s.place = place; s.since = performance.now() }
    return performance.now() - s.since >= settling
  }
  const look = () => {
    setReady(isReady())
    const boxes = [...(card.current?.querySelectorAll('pre') ?? [])]
    for (const b of boxes) if (b.scrollTop + b.clientHeight >= b.scrollHeight - 4) state.current.read.add(b)
    setUnread(boxes.some((b) => !state.current.read.has(b)))
  }
  useEffect(() => {
    look()
    const timer = setInterval(look, 100)
    return () => clearInterval(timer)
  }, [])

  return {
    card, answers, ready, unread,
    press: () => { state.current.pressedReady = isReady() },
    /** clicked reports whether a click may answer. A pointer click must have started after the answers were ready. */
    clicked: (e: MouseEvent) => isReady() && (e.detail === 0 || state.current.pressedReady),
    /** entered reports whether Enter or Space on a focused answer may choose it. */
    entered: (e: KeyboardEvent) => !e.repeat && isReady() && performance.now() - before >= settling && composer()?.value === '',
  }
}

const composer = () => document.getElementById('composer') as HTMLTextAreaElement | null

/** toComposer forwards a key typed on an answer to the composer. */
export function toComposer(e: KeyboardEvent) {
  if (e.key.length === 1 && !e.ctrlKey && !e.metaKey && !e.altKey) composer()?.focus() // the key's default action follows the focus
}

// answerWords are the texts that are probably answers to a question; the list is
// the one of internal/front/line.
const answerWords = 'y|yes|yep|yeah|yup|ok|okay|sure|accept|approve|approved|a|always|s|session|once|allow|allow once|allow always|always allow|allow for this session|n|no|nope|never|reject|deny|decline'.split('|')

/** looksLikeAnswer reports whether a text is probably meant as the answer to a question. While one is open, it must not become a prompt. */
export function looksLikeAnswer(text: string): boolean {
  const word = text.toLowerCase().replace(/^\P{L}+|\P{L}+$/gu, '').replace(/\s+/g, ' ').replace(/^([a-z])\1+$/, '$1')
  return answerWords.includes(word)
}
