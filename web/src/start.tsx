import { useEffect, useState } from 'preact/hooks'
import { ask, newID, Problem } from './ask'
import { Composer } from './composer'
import { go } from './route'
import { may, modes, type Image, type Me } from './words'

/** Start makes a session out of a first prompt. */
export function Start({ me }: { me?: Me }) {
  const [models, setModels] = useState<{ id: string }[]>([])
  const [agents, setAgents] = useState<{ name: string; installed: boolean }[]>([])
  const [model, setModel] = useState('')
  const [agent, setAgent] = useState('')
  const [mode, setMode] = useState('')
  const [draft, setDraft] = useState('')
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    document.title = 'Bellcord'
    void ask('GET', '/v1/models').then((a) => setModels(a.models)).catch(() => {})
    void ask('GET', '/v1/agents').then((a) => setAgents(a.agents.filter((x: any) => x.installed))).catch(() => {})
  }, [])
  const begin = async (text: string, images: Image[]) => {
    try {
      setTrouble('')
      const made = await ask('POST', '/v1/sessions', { model: agent ? undefined : model || undefined, agent: agent || undefined, mode: mode || undefined })
      await ask('POST', `/v1/sessions/${made.id}/turns`, { id: newID(), text, images: images.length ? images : undefined })
      go(`/s/${made.id}`)
    } catch (err) {
      setDraft(text)
      setTrouble((err as Problem).message)
    }
  }
  if (me && !may(me, 'prompt')) return <main class="start"><h1>Choose a session to watch.</h1></main>
  return (
    <main class="start">
      <h1>What shall be done?</h1>
      <Composer running={false} stopping={false} draft={draft} onDraft={setDraft} onSend={(t, i) => void begin(t, i)} placeholder="Ask, or describe a task…" />
      {trouble && <p class="banner" role="alert">{trouble}</p>}
      <div class="choices">
        {agents.length > 1 && <Choose label="Agent" value={agent} onChange={setAgent} options={agents.map((a) => [a.name, a.name || 'Bellcord’s own'])} />}
        {!agent && models.length > 0 && <Choose label="Model" value={model} onChange={setModel} options={models.map((m, i) => [i === 0 ? '' : m.id, m.id])} />}
        <Choose label="May do" value={mode} onChange={setMode} options={[['', 'As the server says'], ...Object.entries(modes)]} />
      </div>
    </main>
  )
}

function Choose({ label, value, onChange, options }: { label: string; value: string; onChange: (v: string) => void; options: [string, string][] }) {
  return (
    <label class="choose"><span>{label}</span>
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>{options.map(([v, text]) => <option value={v} key={v}>{text}</option>)}</select>
    </label>
  )
}
