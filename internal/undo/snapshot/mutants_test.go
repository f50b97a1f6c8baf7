//go:build linux

package snapshot_test

import "slices"

// edit is a change of one source file.
type edit struct{ file, old, new string }

// mutant is a change of the sources that breaks a law. Each of its tests must fail.
type mutant struct {
	name  string
	edits []edit
	tests []string
}

const (
	random    = "TestLawU2_RandomScripts_ListsExactlyTheChangesOfTheCall"
	killTest  = "TestLawU1AndU3_ProcessKilledAnywhere_ReturnsTheExactChangesOfTheOpenCall"
	syncTest  = "TestLawU1_NewBytes_AreSyncedBeforeTheLogAndTheLogBeforeItReturns"
	budget    = "TestLawU12_ManyTurns_NeverExceedsItsBudget"
	generated = "TestLawU4_GeneratedAndLargeFiles_AreListedAsNotKept"
	keptPart  = "TestBegin_KeptPart_SkipsGeneratedFilesAndNamesTheGap"
	timeLimit = "TestLawU14_TimeLimitPassed_OpensTheCallAndNamesWhatIsMissing"
	diskFull  = "TestBegin_DiskAlmostFull_KeepsNothingMoreAndReportsIt"
	keep      = "TestKeep_PathsOfTheCall_AreOwnAndNeedNoScan"
	disputed  = "TestKeep_CallOfAnotherSessionIsOpen_IsDisputed"
	processes = "TestWorkspace_TwoProcesses_EachListsOnlyTheChangesOfItsCalls"
	looseTest = "TestBegin_ChangesSinceTheLastScan_BelongToNobodyUnlessLooseIsSet"
	tornLog   = "TestOpen_TornAndDamagedLog_KeepsTheRecordsBefore"
	oldTurns  = "TestCollect_OldTurns_AreRemovedExceptTheNewest"
	replaced  = "TestScan_FileReplacedBeforeItIsRead_IsReportedAndFoundByTheNextScan"
	racyTest  = "TestScan_RecentlyChangedFile_IsHashedAgain"
	busy      = "TestBegin_AnotherOperationRuns_WaitsForItsLimitOrItsContextOnly"
	placeTest = "TestOpen_PlaceInWorkspaceOrGit_Fails"
)

// mutants are all mutants of the package.
var mutants = slices.Concat(recordMutants, limitMutants)

// recordMutants break scans, durability, records and attribution.
var recordMutants = []mutant{
	// Scans.
	{
		"Begin does not scan (U1, U2)",
		[]edit{{"operations.go", "if err := u.scan(ctx, scope); err != nil {\n\t\treturn u.report(), err", "if err := error(nil); err != nil {\n\t\treturn u.report(), err"}},
		[]string{random, looseTest},
	},
	{
		"End does not scan (U2, U3)",
		[]edit{{"operations.go", "\t\terr = u.scan(ctx, scope)\n", "\t\terr = nil\n"}},
		[]string{random, killTest},
	},
	{
		"a racy entry is not hashed again (U2)",
		[]edit{{"walk.go", "old.sameStat(e) && !old.racy && ", "old.sameStat(e) && "}},
		[]string{racyTest},
	},
	{
		"no entry is racy (U2)",
		[]edit{{"hash.go", "e.racy = e.racy || max(e.ctime, e.mtime) >= started.Add(-racyWindow).UnixNano()", "_ = started"}},
		[]string{racyTest},
	},
	{
		"the change time is not compared (U2)",
		[]edit{{"index.go", "e.mtime == other.mtime && e.ctime == other.ctime &&", "e.mtime == other.mtime &&"}},
		[]string{"TestEnd_TimeSetBackAfterAWrite_ListsTheChange"},
	},
	{
		"the mode is not compared (U2)",
		[]edit{{"index.go", "if before.state.Equal(after.state) {", "now := after.state\n\tnow.Mode = before.state.Mode\n\tif before.state.Equal(now) {"}},
		[]string{random},
	},
	{
		"entries of a removed directory are not removed (U2)",
		[]edit{{"walk.go", "\t\t\tw.removed(path, old)\n\t\t}\n\t}\n}", "\t\t\t_ = old\n\t\t}\n\t}\n}"}},
		[]string{random},
	},
	{
		"entries of a directory that became a file are not removed (U2)",
		[]edit{{"walk.go", "if old != nil && old.state.Kind == tree.Directory {\n\t\t\tw.removed(path, old)", "if old != nil && old.state.Kind == tree.Directory && false {\n\t\t\tw.removed(path, old)"}},
		[]string{random},
	},
	{
		"files of a first scan are changes (U2)",
		[]edit{{"walk.go", "baseline = baseline || t.old.unlisted", "_ = t.old.unlisted"}},
		[]string{keptPart},
	},
	// Durability.
	{
		"the pack is not synced before the log (U1)",
		[]edit{{"pack.go", "err = errors.Join(err, syncFile(p.file))", ""}},
		[]string{syncTest},
	},
	{
		"a full segment is not synced (U1)",
		[]edit{{"pack.go", "errors.Join(err, syncFile(f), f.Close())", "errors.Join(err, f.Close())"}},
		[]string{syncTest},
	},
	{
		"the name of a segment is not synced (U1)",
		[]edit{{"pack.go", "err = errors.Join(err, syncDir(p.dir))", ""}},
		[]string{syncTest},
	},
	{
		"the log is not synced (U1)",
		[]edit{{"journal.go", "\t\terr = syncFile(f)\n", "\t\terr = nil\n"}},
		[]string{syncTest},
	},
	{
		"the name of the log is not synced (U1)",
		[]edit{{"journal.go", "err = syncDir(j.dir)", "err = nil"}},
		[]string{syncTest},
	},
	{
		"the log is written before the pack is synced (U1)",
		[]edit{{"update.go", "\t\tblobs, err := u.pack.flush()\n", "\t\tif added := u.pack.added; len(added) > 0 {\n\t\t\tif err := u.log(blobsRecord(added)); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n\t\tblobs, err := u.pack.flush()\n"}},
		[]string{syncTest},
	},
	{
		"an error of the log is ignored (U1)",
		[]edit{{"journal.go", "if err := j.write(data); err != nil {", "if err := j.write(data); err != nil && j.offset < 0 {"}},
		[]string{"TestBegin_LogCannotBeWritten_FailsAndOpensNothing"},
	},
	{
		"the opened call is only in memory (U3)",
		[]edit{{"operations.go", "return u.report(), u.log(openedRecord(opened))", "_, err = u.index.replay(openedRecord(opened))\n\treturn u.report(), err"}},
		[]string{random, killTest},
	},
	{
		"the call of Keep is only in memory (U3)",
		[]edit{{"operations.go", "return u.report(), u.log(openedRecord(&openCall{Call: call, handle: w.handle, at: w.now(), exact: exact, gaps: call.outside()}))", "_, err = u.index.replay(openedRecord(&openCall{Call: call, handle: w.handle, exact: exact}))\n\treturn u.report(), err"}},
		[]string{"TestKeep_ProcessDies_ItsChangesAreFound"},
	},
	{
		"the end of a call is only in memory (U3)",
		[]edit{{"operations.go", "return ended.result, u.log(endedRecord(ended))", "_, err = u.index.replay(endedRecord(ended))\n\treturn ended.result, err"}},
		[]string{killTest},
	},
	{
		"Keep does not keep the bytes (U1)",
		[]edit{{"look.go", "return all, u.record(ctx, s, s.sortOut())", "return all, nil"}},
		[]string{keep},
	},
	{
		"Keep does not sync the bytes (U1)",
		[]edit{{"look.go", "return all, u.record(ctx, s, s.sortOut())", "defer func(f func(*os.File) error) { syncFile = f }(syncFile)\n\tsyncFile = func(*os.File) error { return nil }\n\treturn all, u.record(ctx, s, s.sortOut())"}, {"look.go", "\t\"io/fs\"\n", "\t\"io/fs\"\n\t\"os\"\n"}},
		[]string{"TestKeep_BytesOfThePath_AreSyncedBeforeItReturns"},
	},
	// Records.
	{
		"the checksum of a record is not compared (U3)",
		[]edit{{"record.go", "crc32.Checksum(payload, checksums) == binary.LittleEndian.Uint32(data[4:])", "true"}},
		[]string{tornLog},
	},
	{
		"a torn record stays in the log (U3)",
		[]edit{{"journal.go", "if len(rest) > 0 {\n\t\treturn errors.Join(f.Truncate", "if false {\n\t\treturn errors.Join(f.Truncate"}},
		[]string{tornLog},
	},
	{
		"the checksum of kept bytes is not compared (U5)",
		[]edit{{"pack.go", "if tree.Sum(sha256.Sum256(data)) != sum {", "if tree.Sum(sha256.Sum256(data)) != sum && false {"}},
		[]string{"TestOpen_BytesDamagedInThePack_Fails"},
	},
	{
		"a damaged index is used up to the damage (U14)",
		[]edit{{"journal.go", "if err == nil && len(rest) > 0 {", "if err == nil && len(rest) > 0 && false {"}},
		[]string{"TestOpen_IndexDamaged_FailsAndNamesTheDirectory"},
	},
	{
		"a new index has no paths of open calls (U2)",
		[]edit{{"replay.go", "\t\tout = frame(out, touchedRecord(c))\n", ""}},
		[]string{random},
	},
	{
		"bytes without a record stay in the pack (U12)",
		[]edit{{"pack.go", "if info, err := os.Stat(name); err == nil && info.Size() > end {", "if info, err := os.Stat(name); err == nil && info.Size() > end && false {"}},
		[]string{killTest},
	},
	{
		"segments without a record stay (U12)",
		[]edit{{"pack.go", "if !used {\n", "if !used && false {\n"}},
		[]string{killTest},
	},
	{
		"the old log stays after a crash (U12)",
		[]edit{{"workspace.go", `strings.HasPrefix(name, "log-") && name !=`, `strings.HasPrefix(name, "log-") && false && name !=`}},
		[]string{killTest},
	},
	{
		"temporary files of the index stay (U12)",
		[]edit{{"workspace.go", `case strings.HasPrefix(name, "."+baseName), `, "case "}},
		[]string{"TestOpen_TemporaryFilesOfADeadProcess_AreRemoved"},
	},
	// Attribution.
	{
		"a disputed change is not marked (U11)",
		[]edit{{"index.go", "disputed = disputed || c.Session != calls[0].Session", "_ = disputed"}},
		[]string{disputed, processes},
	},
	{
		"loose changes are added to every call (U11)",
		[]edit{{"operations.go", "if call.Loose {", "if true {"}},
		[]string{looseTest, random},
	},
	{
		"loose changes count as changes during the call (U11)",
		[]edit{{"call.go", "\t\t\tr.Changes = append(r.Changes, l)\n", "\t\t\tl.Certainty = certainty\n\t\t\tr.Changes = append(r.Changes, l)\n"}},
		[]string{looseTest},
	},
	{
		"the call is opened before the scan (U11)",
		[]edit{{"operations.go", "\tif err := u.scan(ctx, scope); err != nil {\n\t\treturn u.report(), err\n\t}\n\topened := &openCall{Call: call, handle: w.handle, at: w.now(), gaps: append(call.outside(), u.gaps...)}\n", "\topened := &openCall{Call: call, handle: w.handle, at: w.now(), gaps: append(call.outside(), u.gaps...)}\n\tif err := u.log(openedRecord(opened)); err != nil {\n\t\treturn u.report(), err\n\t}\n\tif err := u.scan(ctx, scope); err != nil {\n\t\treturn u.report(), err\n\t}\n"}, {"operations.go", "return u.report(), u.log(openedRecord(opened))", "return u.report(), nil"}},
		[]string{looseTest, random},
	},
	{
		"a call of Keep has the changes of other paths (U11)",
		[]edit{{"call.go", "return c.exact == nil || slices.Contains(c.exact, path)", "return true || slices.Contains(c.exact, path)"}},
		[]string{"TestKeep_OtherPathChangesMeanwhile_IsNotItsOwn"},
	},
	{
		"calls of dead processes are not found (U3)",
		[]edit{{"left.go", "if !known && !w.isAlive(handle) {", "if !known && false {"}},
		[]string{processes, killTest},
	},
	{
		"calls of living processes are found (U3)",
		[]edit{{"left.go", "if !known && !w.isAlive(handle) {", "if !known {"}},
		[]string{processes},
	},
	{
		"the mark of a dead process is removed before its calls are settled (U3)",
		[]edit{{"workspace.go", "if !w.index.mentions(handle) && !w.isAlive(handle) {", "if !w.isAlive(handle) {"}},
		[]string{killTest},
	},
	{
		"a found change is not marked (U3)",
		[]edit{{"operations.go", "u.index.result(call, !w.isAlive(call.handle), w.claims(call), u.gaps)", "u.index.result(call, false, w.claims(call), u.gaps)"}},
		[]string{processes, random},
	},
}
