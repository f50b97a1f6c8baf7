import { useEffect, useRef } from 'preact/hooks'
import { span } from './figures'
import { titleOf, type Call } from './record'

const fates: { [state: string]: string } = {
  asked: 'waiting', running: 'running', finished: 'finished', failed: 'failed', stopped: 'stopped', not_started: 'not run', unknown: 'unknown',
}

/** ToolCard is a call with its output, live, and what became of it. */
export function ToolCard({ call }: { call: Call }) {
  const output = call.output || call.result || ''
  const took = call.from && call.to ? span(call.to - call.from) : ''
  const isOpen = call.state === 'running' || call.state === 'stopped' || call.state === 'failed'
  return (
    <details class={'tool ' + call.state} open={isOpen}>
      <summary>
        <span class="name">{call.name}</span>
        <code class="title">{titleOf(call).replace(new RegExp(`^${call.name.replace(/\W/g, '\\$&')} `), '')}</code>
        <span class="fate">{call.state === 'running' && <i class="pulse" aria-hidden="true" />}{fates[call.state]}{took && <span class="faint"> {took}</span>}</span>
      </summary>
      <div class="inside">
        <Arguments call={call} />
        {call.problem && <p class="plain">{call.problem}</p>}
        {output && <Output text={output} live={call.state === 'running'} label={call.state === 'stopped' ? 'Last output' : 'Output'} />}
        {call.state === 'stopped' && call.output && call.result && call.result !== call.output && <p class="faint plain">{lastLine(call.result)}</p>}
      </div>
    </details>
  )
}

const lastLine = (text: string) => text.trim().split('\n').pop() ?? ''

/** Arguments are shown whole: what is allowed is what is seen. */
export function Arguments({ call }: { call: Call }) {
  const entries = Object.entries(call.args ?? {})
  if (entries.length === 0) return null
  return (
    <dl class="arguments">
      {entries.map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd><pre tabIndex={0} aria-label={name}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre></dd></div>
      ))}
    </dl>
  )
}

/** Output stays at its end while it grows, unless somebody scrolled up in it. */
function Output({ text, live, label }: { text: string; live: boolean; label: string }) {
  const box = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  useEffect(() => { if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight }, [text, live])
  const look = () => { const b = box.current!; atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 24 }
  return (
    <>
      <p class="label" aria-hidden="true">{label}</p>
      <pre ref={box} class="output" tabIndex={0} role="region" aria-label={label} onScroll={look}>{text}</pre>
    </>
  )
}
