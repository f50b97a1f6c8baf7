package bellcord

// Kinds returns the kinds of events that DecodeBody reads, with the zero body of
// each.
func Kinds() (map[string]Body, error) {
	all := map[string]Body{}
	for kind, decode := range bodies {
		body, err := decode([]byte("{}"))
		if err != nil {
			return nil, err
		}
		all[kind] = body
	}
	return all, nil
}
