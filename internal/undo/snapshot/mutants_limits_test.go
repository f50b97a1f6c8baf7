//go:build linux

package snapshot_test

// limitMutants break reports, budgets, collections, places and links.
var limitMutants = []mutant{
	// What is not kept.
	{
		"a gap is not reported (U4)",
		[]edit{{"walk.go", "w.gaps = append(w.gaps, Gap{t.path, why})", "_ = why"}},
		[]string{keptPart, timeLimit},
	},
	{
		"gaps of Begin are not in the result (U4)",
		[]edit{{"call.go", "append(slices.Clone(c.gaps), gaps...)", "gaps"}},
		[]string{timeLimit},
	},
	{
		"a path in a gap counts as scanned (U4)",
		[]edit{{"index.go", "t.reason = NotScanned", "_ = g"}},
		[]string{timeLimit},
	},
	{
		"every change counts as kept (U4)",
		[]edit{{"index.go", "result.Kept = why != NotScanned && x.kept(before) && x.kept(after)", "result.Kept = true"}},
		[]string{generated, diskFull, timeLimit},
	},
	{
		"files that cannot be read are not reported (U4)",
		[]edit{{"hash.go", "case err != nil:\n\t\treturn c.unread(Unreadable)", "case err != nil:\n\t\treturn delta{}, false"}},
		[]string{replaced},
	},
	{
		"files without bytes are not counted (U4)",
		[]edit{{"index.go", "x.notKept[n.reason] += by", "_ = by"}},
		[]string{generated},
	},
	{
		"generated files have no metadata (U2, U4)",
		[]edit{{"hash.go", "} else if d, isNew := c.unread(why); isNew {", "} else if d, isNew := c.unread(why); isNew && why != Bulk {"}},
		[]string{generated},
	},
	// Budgets.
	{
		"the budget is not compared when bytes are added (U12)",
		[]edit{{"pack.go", "case int64(len(data)) > p.room:", "case false:"}, {"pack.go", "case size > p.room:", "case false:"}},
		[]string{budget},
	},
	{
		"the log has no budget (U12)",
		[]edit{{"update.go", "if use+size > u.limits.Bytes-u.limits.Segment {", "if use < 0 {"}},
		[]string{"TestBegin_MorePathsThanTheBudget_FailsWithinIt"},
	},
	{
		"the new index has no budget (U12)",
		[]edit{{"collect.go", "if use+int64(len(data)+baseHeader) > u.limits.Bytes {", "if use < 0 {"}},
		[]string{"TestCollect_NoSpaceForANewIndex_KeepsTheOldOne"},
	},
	{
		"moved bytes have no budget (U12)",
		[]edit{{"collect.go", "if used > 0 && use+used+perBlob*int64(len(blobs)+1) > u.limits.Bytes {", "if false && use+used+perBlob*int64(len(blobs)+1) > u.limits.Bytes {"}},
		[]string{"TestCollect_NoSpaceToMoveBytes_LeavesThem"},
	},
	{
		"the collection has no reserve (U12)",
		[]edit{{"update.go", "p.room = u.limits.Bytes - use - u.limits.Segment - 2*(", "p.room = u.limits.Bytes - use - 0*("}, {"update.go", "if use+size > u.limits.Bytes-u.limits.Segment {", "if use+size > u.limits.Bytes {"}},
		[]string{budget},
	},
	{
		"the free space of the disk is not compared (U12)",
		[]edit{{"update.go", "p.noDisk = err != nil || free < reserve(total)", "p.noDisk = err != nil"}, {"update.go", "if !p.noDisk {", "if false {"}},
		[]string{diskFull},
	},
	{
		"files may fill the disk (U12)",
		[]edit{{"update.go", "if !p.noDisk {", "if false {"}},
		[]string{"TestBegin_FileWouldFillTheDisk_IsNotKept"},
	},
	{
		"a failed write of bytes counts as kept (U4)",
		[]edit{{"pack.go", "return errors.Join(err, p.file.Truncate(p.size))", "return nil"}},
		[]string{"TestBegin_PackCannotBeWritten_OpensTheCallAndReportsIt"},
	},
	{
		"the walk has no time limit (U14)",
		[]edit{{"walk.go", "if time.Now().After(w.deadline) {", "if false {"}},
		[]string{timeLimit},
	},
	{
		"reading has no time limit (U14)",
		[]edit{{"hash.go", "if time.Now().After(s.deadline) {", "if false {"}},
		[]string{"TestBegin_TimeLimitPassesWhileReading_ReportsTheFilesThatWereNotRead"},
	},
	{
		"waiting for another process has no time limit (U14)",
		[]edit{{"workspace.go", "case <-timeout:\n", "case <-timeout:\n\t\t\tcontinue\n"}},
		[]string{busy},
	},
	{
		"waiting for another process does not end with the context (U13)",
		[]edit{{"workspace.go", "case <-retry.C:\n\t\tcase <-ctx.Done():\n\t\t\treturn nil, ctx.Err()\n", "case <-retry.C:\n"}},
		[]string{busy},
	},
	{
		"waiting for another operation does not end with the context (U13)",
		[]edit{{"workspace.go", "case <-w.turn:\n\t\tcase <-ctx.Done():\n\t\t\treturn nil, nil, ctx.Err()\n", "case <-w.turn:\n"}},
		[]string{busy},
	},
	{
		"a scan does not end with the context (U13)",
		[]edit{{"walk.go", "if len(w.stack) == 0 || ctx.Err() != nil {", "if len(w.stack) == 0 {"}, {"walk.go", "\treturn ctx.Err()\n", "\treturn nil\n"}, {"hash.go", "for ctx.Err() == nil {", "for {"}, {"hash.go", "return slices.Concat(results...), ctx.Err()", "return slices.Concat(results...), nil"}},
		[]string{"TestBegin_ContextEndsDuringTheScan_StopsTheScan"},
	},
	// Collections.
	{
		"the collection deletes bytes of the present files (U1)",
		[]edit{{"collect.go", "\t\tl.add(n.state, 1)\n", "\t\t_ = n\n"}},
		[]string{random, killTest},
	},
	{
		"the collection deletes bytes of open calls (U1)",
		[]edit{{"collect.go", "\t\t\tl.add(t.before, 1)\n", "\t\t\t_ = t\n"}},
		[]string{random},
	},
	{
		"the collection deletes bytes of turns (U7)",
		[]edit{{"collect.go", "\t\tl.addChanges(c.result.Changes, 1)\n", "\t\t_ = c\n"}},
		[]string{oldTurns},
	},
	{
		"the collection deletes bytes of loose changes (U7)",
		[]edit{{"collect.go", "\t\tl.addChanges(c.loose, 1)\n", ""}},
		[]string{"TestCollect_OpenCallWithLooseChanges_KeepsTheirBytes"},
	},
	{
		"the collection removes new turns (U7)",
		[]edit{{"collect.go", "old := i >= u.limits.Turns && u.now()", "old := i >= u.limits.Turns || u.now()"}},
		[]string{oldTurns},
	},
	{
		"a segment is removed before its bytes are recorded elsewhere (U7)",
		[]edit{{"collect.go", "\tat(\"bytes moved\")\n", "\t_ = os.Remove(segmentPath(u.dir, number))\n\tat(\"bytes moved\")\n"}, {"collect.go", "return os.Remove(segmentPath(u.dir, number))", "return nil"}},
		[]string{killTest},
	},
	{
		"the record that removes a segment comes first (U7)",
		[]edit{{"collect.go", "records = append([][]byte{blobsRecord(moved)}, records...)", "if err := u.append(records...); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tat(\"bytes moved\")\n\t\trecords = [][]byte{blobsRecord(moved)}"}},
		[]string{killTest},
	},
	{
		"moved bytes are not synced (U7)",
		[]edit{{"collect.go", "moved, err := u.pack.flush()", "moved, err := u.pack.added, error(nil)\n\tu.pack.added = nil"}},
		[]string{"TestCollect_MovedBytes_AreSyncedBeforeTheOldOnesAreRemoved"},
	},
	// Places and links.
	{
		"the lock is not taken (U11)",
		[]edit{{"workspace.go", `filelock.Try(filepath.Join(w.dir, "lock"))`, `filelock.Try(filepath.Join(w.dir, "lock"+w.handle))`}},
		[]string{"TestWorkspace_ConcurrentCalls_LoseNoRecord"},
	},
	{
		"records of other processes are not read (U11)",
		[]edit{{"journal.go", "if !j.loaded || epoch != j.epoch {", "if j.loaded {\n\t\treturn x, nil\n\t}\n\tif !j.loaded || epoch != j.epoch {"}},
		[]string{processes, "TestWorkspace_ConcurrentCalls_LoseNoRecord"},
	},
	{
		"entries of .git directories are listed (U9)",
		[]edit{{"walk.go", "if repository >= 0 {", "if false {"}},
		[]string{"TestEnd_ChangesInGitDirectories_AreNotListed"},
	},
	{
		"paths in .git can be kept (U9)",
		[]edit{{"look.go", "slices.ContainsFunc(strings.Split(dir, \"/\"), isGit)", "slices.ContainsFunc(strings.Split(dir, \"//\"), isGit)"}},
		[]string{"TestKeep_PathOutsideTheWorkspace_Fails"},
	},
	{
		"the snapshot can be in .git (U9)",
		[]edit{{"workspace.go", "if slices.ContainsFunc(strings.Split(filepath.ToSlash(place), \"/\"), isGit) {", "if slices.ContainsFunc(strings.Split(filepath.ToSlash(place), \"//\"), isGit) {"}},
		[]string{placeTest},
	},
	{
		"the snapshot can be in the workspace (U15)",
		[]edit{{"workspace.go", "err == nil && os.SameFile(info, top) {", "err == nil && os.SameFile(info, top) && false {"}},
		[]string{placeTest},
	},
	{
		"rules of a repository apply in a repository inside it (U4)",
		[]edit{{"walk.go", "t.chain = nil // the rules", "_ = t.chain // the rules"}},
		[]string{"TestBegin_NestedRepository_HasItsOwnIgnoreRules"},
	},
	{
		"the trash is a part of the workspace (U2)",
		[]edit{{"walk.go", `case t.path == "" && name == tree.TrashName: // files that an undo has displaced`, "case false:"}},
		[]string{"TestEnd_TrashOfAnUndo_IsNotAChange"},
	},
	{
		"links are followed (U2)",
		[]edit{{"files_linux.go", "flags |= unix.O_CLOEXEC | unix.O_NOFOLLOW", "flags |= unix.O_CLOEXEC"}, {"files_linux.go", "Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS", "Resolve: 0"}},
		[]string{replaced, "TestScan_DirectoryReplacedByLink_ReadsNothingBehindIt"},
	},
	{
		"a named pipe blocks (U14)",
		[]edit{{"files_linux.go", "flags |= unix.O_NONBLOCK", "flags |= 0"}},
		[]string{replaced},
	},
	{
		"others can read the bytes",
		[]edit{{"pack.go", "os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600", "os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o644"}},
		[]string{"TestOpen_TwoPathsOfOneDirectory_ShareTheSnapshot"},
	},
}
