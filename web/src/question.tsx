import { useState } from 'preact/hooks'
import { ask } from './ask'
import type { Conversation } from './conversation'
import { titleOf, type Turn } from './record'
import { Arguments } from './tool'
import type { Choice, Question } from './words'

/** QuestionCard puts a question. The whole of what would be done is in it, and where. */
export function QuestionCard({ conversation, turn, question, dir, mayAnswer }: { conversation: Conversation; turn: Turn; question: Question; dir: string; mayAnswer: boolean }) {
  const [chosen, choose] = useState('')
  const call = question.call ? turn.calls.get(question.call) : undefined
  const answer = (c: Choice) => {
    choose(c.id)
    void conversation.act(() => ask('POST', `/v1/turns/${turn.id}/answers/${question.id}`, { choice: c.id })).finally(() => choose(''))
  }
  return (
    <section class="question" aria-label="A question for you">
      <h3>{call ? `May ${call.name} run?` : question.text}</h3>
      {call && !question.text.includes(titleOf(call)) && <p class="plain">{question.text}</p>}
      {call && <Arguments call={call} />}
      {call && dir && <p class="faint">in <code>{dir}</code></p>}
      {mayAnswer
        ? <div class="actions">{question.choices.map((c) => (
            <button type="button" key={c.id} class={c.kind === 'allow_once' ? 'primary' : undefined} disabled={chosen !== ''} onClick={() => answer(c)}>{c.text}</button>
          ))}</div>
        : <p class="faint">You may watch this session, not answer in it.</p>}
    </section>
  )
}
