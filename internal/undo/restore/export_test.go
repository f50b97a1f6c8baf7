package restore

// SetReach sets the function that is called between two operations of an undo.
func SetReach(f func(point string)) { reach = f }
