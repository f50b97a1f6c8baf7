package stage

import (
	"syscall"
	"unsafe"
)

// numbers are the system calls of one architecture that the filter checks.
type numbers struct {
	audit uint32 // the architecture's identifier
	x32   bool   // has a second set of numbers, marked by a bit

	socket, socketpair, listen, ioctl, sendto, sendmsg, sendmmsg uint32

	always    []uint32 // refused at every level
	debuggers []uint32 // refused where processes outside are visible
	mounts    []uint32 // refused at the level of Landlock
	shared    []uint32 // refused at the level of Landlock: memory, semaphores and queues of all processes, found by number or name

	// Refused where processes outside are visible, unless the process changes itself.
	ofProcess              []uint32 // the first argument is a process
	setpriority, ioprioSet uint32   // the first argument is a kind of group, the second one of its members
}

// System calls with the same number on every architecture.
var (
	alwaysCommon = []uint32{425, 426, 427}                               // io_uring
	mountsCommon = []uint32{428, 429, 430, 431, 432, 433, 442, 467, 438} // the mount family, and pidfd_getfd
)

const (
	x32Bit       = 0x40000000
	afVsock      = 40
	sockRaw      = 3
	prioUser     = 2
	ioprioUser   = 3
	tiocsti      = 0x5412
	tioclinux    = 0x541C
	msgFastOpen  = 0x20000000
	retAllow     = 0x7fff0000
	retErrno     = 0x00050000
	offNumber    = 0
	offArch      = 4
	offArguments = 16

	opLoad   = 0x20 // BPF_LD | BPF_W | BPF_ABS
	opEqual  = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	opSet    = 0x45 // BPF_JMP | BPF_JSET | BPF_K
	opAnd    = 0x54 // BPF_ALU | BPF_AND | BPF_K
	opReturn = 0x06 // BPF_RET | BPF_K
)

// instruction is one instruction of a classic BPF program.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

type program []instruction

func refuse(e syscall.Errno) instruction { return instruction{opReturn, 0, 0, retErrno | uint32(e)} }

// argument returns the load of the low half of an argument, on little-endian machines.
func argument(n uint32) instruction { return instruction{opLoad, 0, 0, offArguments + 8*n} }

// on adds a body that runs for one system call and falls through at its end.
func (p *program) on(number uint32, body ...instruction) {
	*p = append(*p, instruction{opLoad, 0, 0, offNumber}, instruction{opEqual, 0, uint8(len(body)), number})
	*p = append(*p, body...)
}

func (p *program) refuse(groups ...[]uint32) {
	for _, group := range groups {
		for _, number := range group {
			p.on(number, refuse(syscall.EPERM))
		}
	}
}

// compile returns the filter of a plan.
func compile(n *numbers, plan *Plan) program {
	p := program{
		{opLoad, 0, 0, offArch},
		{opEqual, 1, 0, n.audit},
		refuse(syscall.EPERM), // system calls of another architecture have other numbers
	}
	if n.x32 {
		p = append(p, instruction{opLoad, 0, 0, offNumber}, instruction{opSet, 0, 1, x32Bit}, refuse(syscall.EPERM))
	}
	p.refuse(n.always, alwaysCommon)
	for _, request := range []uint32{tiocsti, tioclinux} {
		p.on(n.ioctl, argument(1), instruction{opEqual, 0, 1, request}, refuse(syscall.EPERM))
	}
	if !plan.Debuggers {
		p.refuse(n.debuggers, n.mounts, mountsCommon, n.shared)
		p.others(n)
	}
	if !plan.Network { // a network namespace has the hypervisor's sockets
		p.on(n.socket, argument(0), instruction{opEqual, 0, 1, afVsock}, refuse(syscall.EACCES))
	}
	p.sockets(n, plan.Sockets)
	return append(p, instruction{opReturn, 0, 0, retAllow})
}

// others refuses changes of the limits and the priority of other processes: they end
// processes or make them useless, which the scope of signals does not prevent.
func (p *program) others(n *numbers) {
	denied := refuse(syscall.EPERM)
	for _, number := range n.ofProcess {
		p.on(number, argument(0), instruction{opEqual, 1, 0, 0}, denied)
	}
	for number, everything := range map[uint32]uint32{n.setpriority: prioUser, n.ioprioSet: ioprioUser} {
		p.on(number, argument(0), instruction{opEqual, 0, 1, everything}, denied,
			argument(1), instruction{opEqual, 1, 0, 0}, denied)
	}
}

// sockets adds the checks of new sockets. Landlock restricts TCP alone, so every
// other protocol with streams is refused, as are data in the first packet, which
// it does not see.
func (p *program) sockets(n *numbers, s Sockets) {
	denied := refuse(syscall.EACCES)
	if s == AllSockets {
		return
	}
	for _, kind := range []uint32{syscall.SOCK_DGRAM, sockRaw} { // can send to any path
		p.on(n.socketpair, argument(1), instruction{opAnd, 0, 0, 0xf}, instruction{opEqual, 0, 1, kind}, denied)
	}
	if s == NoUnixSockets {
		p.on(n.socket, argument(0), instruction{opEqual, 0, 1, syscall.AF_UNIX}, denied)
		return
	}
	p.on(n.listen, denied) // without bind(2), which Landlock refuses, the kernel chooses a port
	// Interfaces may be listed: resolvers do.
	allowed := instruction{opReturn, 0, 0, retAllow}
	p.on(n.socket, argument(0), instruction{opEqual, 0, 3, syscall.AF_NETLINK}, argument(2), instruction{opEqual, 0, 1, syscall.NETLINK_ROUTE}, allowed)
	if s == TCPSockets {
		for _, family := range []uint32{syscall.AF_INET, syscall.AF_INET6} {
			for _, protocol := range []uint32{0, syscall.IPPROTO_TCP} {
				p.on(n.socket,
					argument(0), instruction{opEqual, 0, 6, family},
					argument(1), instruction{opAnd, 0, 0, 0xf}, instruction{opEqual, 0, 3, syscall.SOCK_STREAM},
					argument(2), instruction{opEqual, 0, 1, protocol}, allowed)
			}
		}
		p.on(n.sendto, argument(3), instruction{opSet, 0, 1, msgFastOpen}, denied)
		p.on(n.sendmsg, argument(2), instruction{opSet, 0, 1, msgFastOpen}, denied)
		p.on(n.sendmmsg, argument(3), instruction{opSet, 0, 1, msgFastOpen}, denied)
	}
	p.on(n.socket, denied)
}

// filter installs the filter in this thread.
func filter(plan *Plan) error {
	if calls == nil && plan.Debuggers {
		return nil // namespaces hold without it
	}
	if calls == nil {
		return syscall.ENOTSUP
	}
	p := compile(calls, plan)
	program := struct {
		length uint16
		first  *instruction
	}{uint16(len(p)), &p[0]}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetSeccomp, seccompModeFilter, uintptr(unsafe.Pointer(&program))) //nolint:gosec // for a system call
	_, err := result(0, errno)
	return err
}
