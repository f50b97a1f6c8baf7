package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRun_UntilContextEnds_PrintsItsAddressAndServesTheBot(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0", "-token", "2:OTHER"}, in)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewScanner(out)
	url := ""
	for url == "" && lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "Bot API server: "); found {
			url = rest
		}
	}
	res, err := http.Get(url + "/bot2:OTHER/getMe")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || !strings.Contains(string(body), `"ok":true`) {
		t.Errorf("%s, %v", body, err)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
