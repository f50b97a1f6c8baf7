// Package hostile draws workspaces that attack the sandbox, and runs commands in them.
//
// A world is a home directory, a data directory of Bellcord, and a workspace. Its
// commands make links, pipes, sockets, mounts and repositories, rename what is above
// hidden paths, and exchange directories with links while the next command starts.
// Each command then tries to read secrets, to write outside, and to reach sockets. An
// observer outside of the sandbox compares what has changed, and runs git as the user
// does. The package contains tests alone.
package hostile
