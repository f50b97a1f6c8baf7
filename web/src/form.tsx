import { useState } from 'preact/hooks'
import { ask, Problem } from './client'
import type { Conversation } from './conversation'
import { useDeliberation } from './deliberate'
import type { Turn } from './record'
import { visible } from './visible'
import type { Field, Question } from './words'

/** FormCard shows a question that requests values, or that names a page. */
export function FormCard({ conversation, turn, question, number, mayAnswer }: { conversation: Conversation; turn: Turn; question: Question; number: string; mayAnswer: boolean }) {
  const fields = question.fields ?? []
  const [values, setValues] = useState(() => defaults(fields))
  const [sending, setSending] = useState(false)
  const [wrong, setWrong] = useState('')
  const d = useDeliberation()
  const blocked = sending || !d.ready
  const answer = (choice: string) => {
    setSending(true)
    const body = choice === 'accept' && fields.length > 0 ? { choice, values: entered(fields, values) } : { choice }
    void conversation.act(async () => {
      try {
        await ask('POST', `/v1/turns/${turn.id}/answers/${question.id}`, body)
      } catch (err) {
        if (!(err instanceof Problem) || err.type !== 'answer-invalid') throw err
        setWrong(err.message) // the question stays open
      }
    }).finally(() => setSending(false))
  }
  const button = (choice: string, label: string) => (
    <button type="button" aria-disabled={blocked} onPointerDown={d.press}
      onKeyDown={(e) => { if (e.key !== 'Enter' && e.key !== ' ') return; e.preventDefault(); if (!blocked && d.entered(e)) answer(choice) }}
      onKeyUp={(e) => { if (e.key === ' ') e.preventDefault() }}
      onClick={(e) => { if (!blocked && d.clicked(e)) answer(choice) }}>{label}</button>
  )
  return (
    <section ref={d.card} class="question form" aria-label="Question">
      {number && <p class="faint number">{number}</p>}
      <h3>{visible(question.text)}</h3>
      {question.url && <Address url={question.url} />}
      {fields.map((f) => <FieldInput key={f.name} id={`${question.id}-${f.name}`} field={f} value={values[f.name]} disabled={!mayAnswer} change={(v) => setValues({ ...values, [f.name]: v })} />)}
      {wrong && <p class="wrong" role="alert">{visible(wrong)}</p>}
      {mayAnswer
        ? <div class="actions answers" ref={d.answers}>{button('accept', question.url ? 'Continue' : 'Send')}{button('decline', 'Decline')}</div>
        : <p class="faint">You can watch this session but not answer.</p>}
    </section>
  )
}

/** Address shows a page's address in full, with its host before the link. */
function Address({ url }: { url: string }) {
  let host = ''
  try {
    const at = new URL(url)
    if (at.protocol === 'https:' || at.protocol === 'http:') host = at.host
  } catch { /* not shown as a link */ }
  return (
    <>
      <p>Opens a page of <strong>{visible(host || 'an unknown site')}</strong>. Enter passwords and keys only there.</p>
      <p class="address">{host ? <a href={url} target="_blank" rel="noopener noreferrer">{visible(url)}</a> : <code>{visible(url)}</code>}</p>
    </>
  )
}

type Value = string | string[]

const modes: { [format: string]: 'email' | 'url' } = { email: 'email', uri: 'url' }

function FieldInput({ id, field: f, value, disabled, change }: { id: string; field: Field; value: Value | undefined; disabled: boolean; change: (v: Value) => void }) {
  const label = visible(f.title || f.name) + (f.required ? '' : ' (optional)')
  const abouts = [f.description, ...(f.options ?? []).map((o) => o.description && `${o.title || o.value}: ${o.description}`)].filter((text) => text)
  const about = abouts.length > 0 && <div class="faint" id={id + '-about'}>{abouts.map((text) => <p>{visible(text!)}</p>)}</div>
  const common = { id, disabled, 'aria-describedby': about ? id + '-about' : undefined, 'aria-required': f.required }
  if (f.type === 'array') {
    const chosen = (value as string[] | undefined) ?? []
    return (
      <fieldset class="field" disabled={disabled}>
        <legend>{label}</legend>
        {about}
        {f.options?.map((o) => (
          <label class="option" key={o.value}>
            <input type="checkbox" checked={chosen.includes(o.value)} onChange={(e) => change(e.currentTarget.checked ? [...chosen, o.value] : chosen.filter((v) => v !== o.value))} />
            {visible(o.title || o.value)}
          </label>
        ))}
      </fieldset>
    )
  }
  const text = typeof value === 'string' ? value : ''
  const options = f.type === 'boolean' ? [{ value: 'true', title: 'Yes' }, { value: 'false', title: 'No' }] : f.options
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {about}
      {options
        ? <select {...common} value={text} onChange={(e) => change(e.currentTarget.value)}>
            <option value=""></option>
            {options.map((o) => <option key={o.value} value={o.value}>{visible(o.title || o.value)}</option>)}
          </select>
        : f.type === 'string' && f.format === 'date'
          ? <input {...common} type="date" value={text} onInput={(e) => change(e.currentTarget.value)} />
          : f.type === 'string'
          ? <input {...common} type="text" inputMode={modes[f.format ?? ''] ?? 'text'} autocomplete="off" maxLength={f.max_length} placeholder={f.format === 'date-time' ? '2026-05-04T09:30:00Z' : undefined} value={text} onInput={(e) => change(e.currentTarget.value)} />
          : <input {...common} type="number" step={f.type === 'integer' ? 1 : 'any'} min={f.minimum} max={f.maximum} value={text} onInput={(e) => change(e.currentTarget.value)} />}
    </div>
  )
}

/** defaults returns the initial state of the inputs. */
function defaults(fields: Field[]): { [name: string]: Value } {
  const all: { [name: string]: Value } = {}
  for (const f of fields) if (f.default !== undefined) all[f.name] = Array.isArray(f.default) ? f.default : String(f.default)
  return all
}

/** entered returns the values for the server; empty inputs are left out. */
function entered(fields: Field[], values: { [name: string]: Value }) {
  const all: { [name: string]: unknown } = {}
  for (const f of fields) {
    const v = values[f.name]
    if (v === undefined || v.length === 0) {
      if (f.default !== undefined) all[f.name] = f.type === 'array' ? [] : f.type === 'string' && !f.options ? '' : undefined
      continue
    }
    all[f.name] = f.type === 'boolean' ? v === 'true' : f.type === 'number' || f.type === 'integer' ? Number(v) : v
  }
  return all
}
