package zstdlines_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"meterbridge/harnesses/zstdlines"
)

func pack(t *testing.T, window int, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unpack(packed []byte) (string, error) {
	r, err := zstdlines.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	return string(content), err
}

func TestNewReader_UnpacksEveryStream(t *testing.T) {
	content := strings.Repeat("one line of many\n", 100_000)
	packed := pack(t, 8<<20, content)
	if got, err := unpack(packed); err != nil || got != content {
		t.Errorf("unpacked %d bytes, %v; want %d", len(got), err, len(content))
	}
	two := append(pack(t, 1<<20, "a\n"), pack(t, 1<<20, "b\n")...)
	if got, err := unpack(two); err != nil || got != "a\nb\n" {
		t.Errorf("two frames: %q, %v; want both", got, err)
	}
}

func TestNewReader_RefusesWhatItCannotHold(t *testing.T) {
	content := strings.Repeat("0123456789abcdef\n", 5<<20)
	for name, packed := range map[string][]byte{
		"a window of 64 MiB": pack(t, 64<<20, content),
		"half a stream":      pack(t, 1<<20, content)[:200],
		"no stream":          []byte("plain text\n"),
	} {
		if _, err := unpack(packed); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
