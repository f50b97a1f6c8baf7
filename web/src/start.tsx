import { useEffect, useState } from 'preact/hooks'
import { ask, newID, Problem } from './client'
import { Composer } from './composer'
import type { Attachments } from './files'
import { go } from './route'
import { ProjectChoice } from './project'
import { Help } from './session'
import { Abilities, Suggestions } from './welcome'
import { commandIn, type Command } from './slash'
import { may, modes, type Me } from './words'

/** Start creates a session from a first prompt. */
export function Start({ me }: { me?: Me }) {
  const [models, setModels] = useState<{ id: string }[]>([])
  const [agents, setAgents] = useState<{ name: string; installed: boolean }[]>([])
  const [model, setModel] = useState('')
  const [agent, setAgent] = useState('')
  const [mode, setMode] = useState('')
  const [dir, setDir] = useState('')
  const [draft, setDraft] = useState('')
  const [trouble, setTrouble] = useState('')
  const [help, setHelp] = useState(false)
  useEffect(() => {
    document.title = 'Bellcord'
    void ask('GET', '/v1/models').then((a) => setModels(a.models)).catch(() => {})
    void ask('GET', '/v1/agents').then((a) => setAgents(a.agents.filter((x: any) => x.installed))).catch(() => {})
  }, [])
  const obey = ({ name, rest }: Command) => {
    setHelp(name === 'help')
    if (name === 'model' && rest) { setAgent(''); setModel(rest); if (!models.some((m) => m.id === rest)) setModels([...models, { id: rest }]) }
    else if (name === 'mode' && rest in modes) setMode(rest)
    else if (name === 'mode' || name === 'model') setTrouble(`Choose the ${name === 'model' ? 'model' : 'permissions'} below, or type /${name} NAME.`)
    else if (name !== 'help') setTrouble(`Nothing to ${name}: no conversation has started yet.`)
  }
  const begin = async (text: string, files: Attachments): Promise<boolean> => {
    setTrouble('')
    const command = commandIn(text)
    if (command) { obey(command); return true }
    let made: { id: string } | undefined
    try {
      made = await ask('POST', '/v1/sessions', { dir: dir || undefined, model: agent ? undefined : model || undefined, agent: agent || undefined, mode: mode || undefined })
      await ask('POST', `/v1/sessions/${made!.id}/turns`, { id: newID(), text, ...files })
      go(`/s/${made!.id}`)
      return true
    } catch (err) {
      const { status } = err as Problem
      if (made && status >= 400 && status < 500) void ask('DELETE', `/v1/sessions/${made.id}`).catch(() => {}) // the session has no turn
      setTrouble(`Not sent: ${(err as Problem).message}.`)
      return false
    }
  }
  if (me && !may(me, 'prompt')) return <main class="start"><h1>Choose a session to watch.</h1></main>
  return (
    <main class="start">
      <h1>What do you want to do?</h1>
      <ProjectChoice value={dir} onChange={setDir} />
      <Composer running={false} stopping={false} draft={draft} onDraft={setDraft} onSend={begin} placeholder="Describe a task…" history={me && { owner: me.owner, project: dir }} />
      {help && <Help onClose={() => setHelp(false)} />}
      {trouble && <p class="banner" role="alert">{trouble}</p>}
      <div class="choices">
        {agents.length > 1 && <Choose label="Agent" value={agent} onChange={setAgent} options={agents.map((a) => [a.name, a.name || 'Bellcord (built in)'])} />}
        {!agent && models.length > 0 && <Choose label="Model" value={model} onChange={setModel} options={models.map((m, i) => [i === 0 ? '' : m.id, m.id])} />}
        <Choose label="Permissions" value={mode} onChange={setMode} options={[['', 'Server default'], ...Object.entries(modes)]} />
      </div>
      <Suggestions onPick={(text) => { setDraft(text); document.getElementById('composer')?.focus() }} />
      <Abilities />
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
