package stage

var calls = &numbers{
	audit:  0xc00000b7,
	socket: 198, socketpair: 199, listen: 201, ioctl: 29, sendto: 206, sendmsg: 211, sendmmsg: 269,
	always: []uint32{
		219, 217, 218, // keyctl, add_key, request_key
		280, 241, 282, // bpf, perf_event_open, userfaultfd
		104, 294, 265, // kexec_load, kexec_file_load, open_by_handle_at
		105, 273, 106, // init_module, finit_module, delete_module
	},
	debuggers: []uint32{117, 270, 271}, // ptrace, process_vm_readv, process_vm_writev
	mounts:    []uint32{40, 39, 41},    // mount, umount2, pivot_root
	shared: []uint32{
		194, 196, 195, 197, // shmget, shmat, shmctl, shmdt
		190, 193, 191, 192, // semget, semop, semctl, semtimedop
		186, 189, 188, 187, // msgget, msgsnd, msgrcv, msgctl
		180, 181, // mq_open, mq_unlink
	},
	ofProcess: []uint32{
		261, 118, 119, 122, 274, // prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr
		238, 239, // migrate_pages, move_pages
	},
	setpriority: 140, ioprioSet: 30,
}
