package carrier

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Messages go through whole, in both directions, and another sub-protocol is
// refused.
func TestHandler_CarriesMessages(t *testing.T) {
	ended := make(chan error, 1)
	s := httptest.NewServer(Handler(func(_ context.Context, c *Conn) error {
		for {
			message, err := c.Read()
			if err != nil {
				ended <- err
				return err
			}
			if err := c.Write(append([]byte("heard "), message...)); err != nil {
				t.Error(err)
			}
		}
	}))
	defer s.Close()
	url := "ws" + strings.TrimPrefix(s.URL, "http") + Path
	c, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{Protocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	long := strings.Repeat("x", 1<<20)
	c.SetReadLimit(2 << 20)
	for _, message := range []string{`{"a":1}`, long} {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := c.Read(t.Context()); err != nil || string(got) != "heard "+message {
			t.Errorf("%v: %.60s", err, got)
		}
	}
	if err := c.Write(t.Context(), websocket.MessageBinary, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusUnsupportedData {
		t.Errorf("bytes: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("it did not end")
	}
	other, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.CloseNow()
	if _, _, err := other.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("without the sub-protocol: %v", err)
	}
}
