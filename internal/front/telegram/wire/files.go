package wire

import "github.com/go-telegram/bot/models"

// files returns the files of a message. A file without a name gets a default
// one, so that it can be saved.
func files(in *models.Message) []File {
	var all []File
	add := func(f File, name, kind string) {
		if f.Name == "" {
			f.Name = name
		}
		if f.Type == "" {
			f.Type = kind
		}
		all = append(all, f)
	}
	if p := largest(in.Photo); p.FileID != "" {
		add(File{ID: p.FileID, Size: int64(p.FileSize), Photo: true}, "photo.jpg", "image/jpeg")
	}
	if d := in.Document; d != nil { // also set for animations
		add(File{ID: d.FileID, Name: d.FileName, Type: d.MimeType, Size: d.FileSize}, "document", "application/octet-stream")
	}
	if v := in.Voice; v != nil {
		add(File{ID: v.FileID, Type: v.MimeType, Size: v.FileSize}, "voice.ogg", "audio/ogg")
	}
	if a := in.Audio; a != nil {
		add(File{ID: a.FileID, Name: a.FileName, Type: a.MimeType, Size: a.FileSize}, "audio.mp3", "audio/mpeg")
	}
	if v := in.Video; v != nil {
		add(File{ID: v.FileID, Name: v.FileName, Type: v.MimeType, Size: v.FileSize}, "video.mp4", "video/mp4")
	}
	if v := in.VideoNote; v != nil {
		add(File{ID: v.FileID, Size: int64(v.FileSize)}, "video.mp4", "video/mp4")
	}
	return all
}

// largest returns the photo with the largest area. Telegram does not report the
// size in bytes of every photo.
func largest(sizes []models.PhotoSize) (best models.PhotoSize) {
	for _, p := range sizes {
		if best.FileID == "" || p.Width*p.Height > best.Width*best.Height {
			best = p
		}
	}
	return best
}
