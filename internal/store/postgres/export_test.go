package postgres

// NodeID names the node, for tests that look into the database.
func (s *Store) NodeID() string { return s.node }
