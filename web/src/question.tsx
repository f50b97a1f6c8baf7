import { useState } from 'preact/hooks'
import { ask } from './client'
import { CallDetails } from './call'
import { Lazy } from './lazy'
import { Menu } from './menu'
import type { Conversation } from './conversation'
import { toComposer, useDeliberation } from './deliberate'
import { titleOf, type Turn } from './record'
import { visible } from './visible'
import type { Choice, Question } from './words'

/** QuestionCard shows a question with the complete call and its directory. */
export function QuestionCard({ conversation, turn, question, number, dir, owner, mayAnswer, mayAll }: { conversation: Conversation; turn: Turn; question: Question; number: string; dir: string; owner: string; mayAnswer: boolean; mayAll: boolean }) {
  const [chosen, choose] = useState('')
  const [whole, showWhole] = useState(false)
  const [deciding, decide] = useState<'always' | 'reason'>()
  const d = useDeliberation()
  const call = question.call ? turn.calls.get(question.call) : undefined
  const name = question.tool ?? call?.name
  const args = question.arguments ?? call?.args
  const heading = name && (name === 'write_file' && question.changes?.some((c) => c.old !== undefined) ? 'Replace this file?' : headings[name])
  const after = name === 'shell' ? afterCommand(question, args) : /\nAsked because [^\n]*$/.exec(question.text)?.[0] ?? ''
  const known = !!heading && own.test(question.text) && after !== undefined
  const offered = !question.requires || mayAll ? question.choices : question.choices.filter((c) => c.kind.startsWith('reject'))
  const at = name === 'shell' ? within(dir, args?.workdir) : dir
  const blocked = (c: Choice) => chosen !== '' || !d.ready || (d.unread && c.kind.startsWith('allow'))
  const answer = (c: Choice, reason?: string) => {
    choose(c.id)
    void conversation.act(() => ask('POST', `/v1/turns/${turn.id}/answers/${question.id}`, { choice: c.id, ...(reason ? { reason } : {}) })).finally(() => choose(''))
  }
  const keys = (e: KeyboardEvent, c: Choice) => {
    if (e.key !== 'Enter' && e.key !== ' ') { toComposer(e); return }
    e.preventDefault()
    if (!blocked(c) && d.entered(e)) answer(c)
  }
  const labels = labelsOf(offered)
  const always = isOurs(question.choices) ? offered.find((c) => c.id === 'allow_always') : undefined
  const reject = isOurs(question.choices) ? question.choices.find((c) => c.id === 'reject') : undefined
  return (
    <section ref={d.card} class={'question' + (whole ? ' whole' : '')} aria-label="Question">
      {number && <p class="faint number">{number}</p>}
      <h3>{known ? (name === 'shell' ? shellHeading(args) : heading) : call || name ? `Use ${visible(name ?? '')}?` : visible(question.text)}</h3>
      {!known && (call || name) && question.text !== (call && titleOf(call)) && <pre class="wording">{visible(question.text)}</pre>}
      {args !== undefined && <CallDetails name={name ?? ''} args={args} changes={question.changes} dir={dir} />}
      {known && after.split('\n').map((line) => line && <p class="because">{visible(line)}</p>)}
      {at && <p class="faint where">in <code>{visible(at)}</code></p>}
      {mayAnswer && offered.length < question.choices.length && <p class="because">Only a person with the scope {question.requires} can allow this: log in with <code>bellcord open --admin</code>.</p>}
      {d.unread && <p class="unread">Scroll to the end before you allow this. <button type="button" class="quiet" onClick={() => showWhole(true)}>Show all</button></p>}
      {deciding && <Lazy load={() => import('./deciding').then((m) => m.default)} props={{ question, kind: deciding, name: name ?? '', args, dir, owner, onClose: () => decide(undefined), onAnswer: (reason?: string) => { decide(undefined); answer(deciding === 'always' ? always! : reject!, reason) } }} quiet />}
      {mayAnswer
        ? <div class="actions answers" ref={d.answers}>{offered.map((c, i) => c !== always && (
            <button type="button" key={c.id} aria-disabled={blocked(c)} onPointerDown={d.press} onKeyDown={(e) => keys(e, c)} onKeyUp={(e) => { if (e.key === ' ') e.preventDefault() }}
              onClick={(e) => { if (!blocked(c) && d.clicked(e)) answer(c) }}>{labels[i]}</button>
          ))}
            {(always || reject) && (
              <Menu label="More answers">
                {always && <button type="button" class="quiet" aria-disabled={blocked(always)} onClick={(e) => { if (blocked(always)) e.stopPropagation(); else decide('always') }}>Always allow…</button>}
                {reject && <button type="button" class="quiet" onClick={() => decide('reason')}>Reject with a reason…</button>}
              </Menu>
            )}
            {always && <p class="faint scope">For this session: exactly this call, any number of times.</p>}</div>
        : <p class="faint">You can watch this session but not answer.</p>}
    </section>
  )
}

const headings: { [tool: string]: string } = { shell: 'Run this command?', edit_file: 'Edit this file?', write_file: 'Write this file?', apply_patch: 'Apply this patch?', fetch: 'Open this address?' }

/** shellHeading says how a command runs, before the command. */
const shellHeading = (args: any) => `Run this command${args?.without_sandbox === true ? ' without the sandbox' : ''}${args?.background === true ? ' in the background' : ''}?`

/** afterCommand returns what a question adds after its command: the sandbox and the reason. It returns undefined if the text says more before the command than the page shows, as that of a hosted agent can. */
function afterCommand(question: Question, args: any): string | undefined {
  const end = '`' + args?.command + '`?'
  const at = question.text.indexOf(end)
  return at < 0 || !question.tool && at !== 'Run '.length ? undefined : question.text.slice(at + end.length)
}

/** within returns the directory in which a command starts. */
const within = (dir: string, workdir: unknown) => typeof workdir !== 'string' || workdir === '' ? dir : /^([\\/]|[A-Za-z]:)/.test(workdir) ? workdir : `${dir}/${workdir}`

// The text of questions of the built-in tools, which repeats the heading and
// the arguments.
const own = /^(Run|Write|Edit|Fetch|Apply) /

// Choices of built-in questions. External agents may use the same ids with
// other meanings.
const choices: { [id: string]: string } = { allow: 'Allow once', allow_session: 'Allow for this session', allow_always: 'Always allow in this directory', reject: 'Reject' }

/** isOurs reports whether these are the choices of the built-in agent. */
const isOurs = (all: Choice[]) => all.some((c) => c.id === 'allow_session') && all.every((c) => c.id in choices)

/** labelsOf returns the answers' labels, which are unique. */
export function labelsOf(all: Choice[]): string[] {
  const ours = isOurs(all)
  const texts = all.map((c) => (ours ? choices[c.id]! : visible(c.text)))
  const kinds = all.map((c, i) => (texts.filter((t) => t === texts[i]).length > 1 ? `${texts[i]} (${c.kind.replace('_', ' ')})` : texts[i]!))
  return kinds.map((t, i) => (kinds.filter((o) => o === t).length > 1 ? `${t} ${visible(all[i]!.id)}` : t))
}
