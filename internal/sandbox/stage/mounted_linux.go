package stage

import "os"

// checkMounts returns an error if a mount is at a place that the plan does not list.
// bubblewrap resolves each path several times. A directory that another command
// exchanges for a link meanwhile would let it mount what the link leads to, there.
func checkMounts(expected []string) error {
	left := make(map[string]int, len(expected))
	for _, path := range expected {
		left[path]++
	}
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return failure("list the mounts", err)
	}
	for _, path := range MountPoints(info) {
		if left[path]--; left[path] < 0 {
			return failure("mount "+path, errReplaced)
		}
	}
	return nil
}

// MountPoints returns the paths in the content of a file mountinfo of /proc: the fifth
// field of each line. A path occurs as often as there are mounts.
func MountPoints(info []byte) []string {
	var all []string
	field := 1
	var path []byte
	for i := 0; i < len(info); i++ {
		switch c := info[i]; {
		case c == '\n':
			all, path, field = append(all, string(path)), nil, 1
		case c == ' ':
			field++
		case field != 5:
		case c == '\\' && i+3 < len(info): // three octal digits
			path = append(path, (info[i+1]-'0')<<6|(info[i+2]-'0')<<3|(info[i+3]-'0'))
			i += 3
		default:
			path = append(path, c)
		}
	}
	return all
}
