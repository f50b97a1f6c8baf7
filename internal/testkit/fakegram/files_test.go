package fakegram_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"testing"
)

// upload sends a file as clients do, in a multipart form.
func (s *stage) upload(method, field, name string, data []byte, more map[string]string) *reply {
	s.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for k, v := range more {
		_ = w.WriteField(k, v)
	}
	part, err := w.CreateFormFile(field, name)
	if err != nil {
		s.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = w.Close()
	r, err := s.post("http://fake/bot1:TEST/"+method, w.FormDataContentType(), &b)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

func picture(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)))
	return b.Bytes()
}

func (s *stage) download(token, path string) (int, string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://fake/file/bot"+token+"/"+path, http.NoBody)
	if err != nil {
		s.Fatal(err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

func TestDocument_Sent_CanBeDownloadedAndSentAgain(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		to := map[string]string{"chat_id": "1001", "caption": "<b>all</b> of it", "parse_mode": "HTML"}
		m := s.upload("sendDocument", "document", "answer.md", []byte("# Answer"), to).message()
		if m.Document.Name != "answer.md" || m.Document.Size != 8 || m.Caption != "all of it" || len(m.CaptionEntities) != 1 {
			s.Errorf("got %+v", m)
		}
		var file struct {
			Path string `json:"file_path"`
			Size int    `json:"file_size"`
		}
		s.call("getFile", fields{"file_id": m.Document.FileID}).fine().into(&file)
		if status, body := s.download("1:TEST", file.Path); status != 200 || body != "# Answer" || file.Size != 8 {
			s.Errorf("%d %q", status, body)
		}
		if status, _ := s.download("1:WRONG", file.Path); status != 401 {
			s.Errorf("status %d with a wrong token", status)
		}
		if status, _ := s.download("1:TEST", "documents/none"); status != 404 {
			s.Errorf("status %d for no file", status)
		}
		s.call("sendDocument", fields{"chat_id": ben, "document": m.Document.FileID}).fine()
		attached := map[string]string{"chat_id": "1002", "document": "attach://part"}
		if got := s.upload("sendDocument", "part", "b.txt", []byte("b"), attached).message(); got.Document.Name != "b.txt" {
			s.Errorf("got %+v", got.Document)
		}
		s.clean()
	})
}

func TestFile_EmptyOrUnknown_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		to := map[string]string{"chat_id": "1001"}
		s.upload("sendDocument", "document", "a.md", nil, to).refused(400, "Bad Request: file must be non-empty")
		s.call("sendDocument", fields{"chat_id": anna}).refused(400, "Bad Request: there is no document in the request")
		s.call("sendDocument", fields{"chat_id": anna, "document": "BQnonsense"}).refused(400, "Bad Request: wrong remote file identifier specified…")
		s.call("getFile", fields{"file_id": "x"}).refused(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
		s.call("getFile", nil).refused(400, "Bad Request: file_id not specified")
	})
}

func TestPhoto_InvalidImage_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		to := map[string]string{"chat_id": "1001"}
		m := s.upload("sendPhoto", "photo", "a.png", picture(30, 20), to).message()
		if len(m.Photo) != 1 || m.Photo[0].Width != 30 || m.Photo[0].Height != 20 {
			s.Errorf("got %+v", m.Photo)
		}
		s.upload("sendPhoto", "photo", "a.png", []byte("no picture"), to).refused(400, "Bad Request: IMAGE_PROCESS_FAILED")
		s.upload("sendPhoto", "photo", "a.png", picture(100, 4), to).refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS")
		sent, err := s.SayPhoto(anna, anna, "b.png", picture(5, 5), "look")
		if err != nil || sent.Caption != "look" || sent.Photo[0].Width != 5 {
			s.Errorf("said %+v, %v", sent, err)
		}
		s.clean()
	})
}

func TestSayDocument_PathAsName_IsKept(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		m, err := s.SayDocument(anna, anna, "../../passwd", []byte("x"), "")
		if err != nil || m.Document.Name != "../../passwd" {
			s.Errorf("it is %q: %v", m.Document.Name, err)
		}
	})
}
