package memory

// Forsake makes the other nodes take every open node for dead.
func (m *Memory) Forsake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.nodes {
		m.nodes[id] = false
	}
}
