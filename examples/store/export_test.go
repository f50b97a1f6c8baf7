package memory

// Forsake makes the other nodes consider every open node dead.
func (m *Memory) Forsake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.nodes {
		m.nodes[id] = false
	}
}
