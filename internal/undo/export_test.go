package undo

// ReportProgress is reportProgress.
var ReportProgress = reportProgress
