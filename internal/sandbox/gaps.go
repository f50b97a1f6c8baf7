package sandbox

// Gaps returns what the level does not protect from, given a profile. The text
// of each gap is a clause for people.
func (b *Box) Gaps(p Profile) []string {
	switch b.Level() {
	case Namespaces:
		gaps := []string{
			"everything that is not hidden can be read, such as files in the home directory",
			"UNIX sockets of services outside /run, /tmp and the hidden directories can be reached",
			"the workspace's own programs can be changed, such as its Makefile and scripts",
		}
		if p.Network == On {
			gaps = append(gaps, "services on this machine can be reached over TCP and UDP")
		}
		if p.Network == On && abstractGap() {
			gaps = append(gaps, "abstract UNIX sockets of services can be reached (needs Linux 6.12)")
		}
		if len(p.ReadOnly) > 0 {
			gaps = append(gaps, "a new .git can be created in a subdirectory, and a file commondir in .git, which names another configuration")
		}
		return gaps
	case Landlock:
		return append([]string{
			"everything that is not hidden can be read, such as files in the home directory",
			"the workspace's own programs can be changed, such as its Makefile and scripts",
		}, landlockGaps(p)...)
	case Seatbelt:
		return []string{
			"everything that is not hidden can be read, such as files in the home directory",
			"the workspace's own programs can be changed, such as its Makefile and scripts",
			"other processes of the user can be seen",
			"the profile was not tested on a Mac",
		}
	case None:
		return []string{"nothing: commands can do whatever the user of the server can do"}
	}
	return nil
}
