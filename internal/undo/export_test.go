package undo

// ReportProgress is reportProgress.
var ReportProgress = reportProgress

// SetCut sets the function that is called between the parts of a recovery.
func SetCut(f func(point string)) { cut = f }

// Done returns a channel that is closed when Close begins.
func (r *Recorder) Done() <-chan struct{} { return r.ctx.Done() }
