package stage

var calls = &numbers{
	audit: 0xc000003e, x32: true,
	socket: 41, socketpair: 53, listen: 50, ioctl: 16, sendto: 44, sendmsg: 46, sendmmsg: 307,
	always: []uint32{
		250, 248, 249, // keyctl, add_key, request_key
		321, 298, 323, // bpf, perf_event_open, userfaultfd
		246, 320, 304, // kexec_load, kexec_file_load, open_by_handle_at
		175, 313, 176, // init_module, finit_module, delete_module
	},
	debuggers: []uint32{101, 310, 311}, // ptrace, process_vm_readv, process_vm_writev
	mounts:    []uint32{165, 166, 155}, // mount, umount2, pivot_root
	shared: []uint32{
		29, 30, 31, 67, // shmget, shmat, shmctl, shmdt
		64, 65, 66, 220, // semget, semop, semctl, semtimedop
		68, 69, 70, 71, // msgget, msgsnd, msgrcv, msgctl
		240, 241, // mq_open, mq_unlink
	},
	ofProcess: []uint32{
		302, 142, 144, 203, 314, // prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr
		256, 279, // migrate_pages, move_pages
	},
	setpriority: 141, ioprioSet: 251,
}
