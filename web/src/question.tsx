import { useState } from 'preact/hooks'
import { ask } from './client'
import { CallDetails } from './call'
import type { Conversation } from './conversation'
import { toComposer, useDeliberation } from './deliberate'
import { titleOf, type Turn } from './record'
import { visible } from './visible'
import type { Choice, Question } from './words'

/** QuestionCard shows a question with the complete call and its directory. */
export function QuestionCard({ conversation, turn, question, dir, mayAnswer }: { conversation: Conversation; turn: Turn; question: Question; dir: string; mayAnswer: boolean }) {
  const [chosen, choose] = useState('')
  const [whole, showWhole] = useState(false)
  const d = useDeliberation()
  const call = question.call ? turn.calls.get(question.call) : undefined
  const name = question.tool ?? call?.name
  const args = question.arguments ?? call?.args
  const heading = name && (name === 'write_file' && question.changes?.some((c) => c.old !== undefined) ? 'Replace this file?' : headings[name])
  const known = !!heading && own.test(question.text)
  const because = /\n(Asked because [^\n]*)$/.exec(question.text)?.[1]
  const blocked = (c: Choice) => chosen !== '' || !d.ready || (d.unread && c.kind.startsWith('allow'))
  const answer = (c: Choice) => {
    choose(c.id)
    void conversation.act(() => ask('POST', `/v1/turns/${turn.id}/answers/${question.id}`, { choice: c.id })).finally(() => choose(''))
  }
  const keys = (e: KeyboardEvent, c: Choice) => {
    if (e.key !== 'Enter' && e.key !== ' ') { toComposer(e); return }
    e.preventDefault()
    if (!blocked(c) && d.entered(e)) answer(c)
  }
  const labels = labelsOf(question.choices)
  return (
    <section ref={d.card} class={'question' + (whole ? ' whole' : '')} aria-label="Question">
      <h3>{known ? (args?.background === true ? 'Run this command in the background?' : heading) : call || name ? `Use ${visible(name ?? '')}?` : visible(question.text)}</h3>
      {!known && (call || name) && question.text !== (call && titleOf(call)) && <pre class="wording">{visible(question.text)}</pre>}
      {args !== undefined && <CallDetails name={name ?? ''} args={args} changes={question.changes} dir={dir} />}
      {known && because && <p class="because">{visible(because)}</p>}
      {dir && <p class="faint where">in <code>{visible(dir)}</code></p>}
      {d.unread && <p class="unread">Scroll to the end before you allow this. <button type="button" class="quiet" onClick={() => showWhole(true)}>Show all</button></p>}
      {mayAnswer
        ? <div class="actions answers" ref={d.answers}>{question.choices.map((c, i) => (
            <button type="button" key={c.id} aria-disabled={blocked(c)} onPointerDown={d.press} onKeyDown={(e) => keys(e, c)} onKeyUp={(e) => { if (e.key === ' ') e.preventDefault() }}
              onClick={(e) => { if (!blocked(c) && d.clicked(e)) answer(c) }}>{labels[i]}</button>
          ))}</div>
        : <p class="faint">You can watch this session but not answer its questions.</p>}
    </section>
  )
}

const headings: { [tool: string]: string } = { shell: 'Run this command?', edit_file: 'Edit this file?', write_file: 'Write this file?', apply_patch: 'Apply this patch?', fetch: 'Open this address?' }

// The text of questions of the built-in tools, which repeats the heading and
// the arguments.
const own = /^(Run|Write|Edit|Fetch|Apply) /

// Choices of built-in questions. External agents may use the same ids with
// other meanings.
const choices: { [id: string]: string } = { allow: 'Allow once', allow_session: 'Allow for this session', allow_always: 'Always allow in this directory', reject: 'Reject' }

/** labelsOf returns the answers' labels, which are unique. */
export function labelsOf(all: Choice[]): string[] {
  const ours = all.some((c) => c.id === 'allow_session') && all.every((c) => c.id in choices)
  const texts = all.map((c) => (ours ? choices[c.id]! : visible(c.text)))
  const kinds = all.map((c, i) => (texts.filter((t) => t === texts[i]).length > 1 ? `${texts[i]} (${c.kind.replace('_', ' ')})` : texts[i]!))
  return kinds.map((t, i) => (kinds.filter((o) => o === t).length > 1 ? `${t} ${visible(all[i]!.id)}` : t))
}
