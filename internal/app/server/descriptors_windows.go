package server

// descriptors returns 0: the number of open files is not limited.
func descriptors() int { return 0 }
