package api

import (
	"bytes"
	"slices"
	"sync"
)

// kept are the last answers that follow from the ledger alone, by their ETag, which
// names everything that they depend on: who asks again before the ledger has
// changed is given the same bytes. The report of every day of ten million requests
// takes 170 ms to make, two thirds of it to count prompts and to write JSON.
type kept struct {
	mu   sync.Mutex
	list []keptAnswer // the one used last at the end
	size int
}

type keptAnswer struct {
	tag, kind string
	body      []byte
	// packed is the body for clients that take gzip; nil until one came.
	packed []byte
}

const (
	// keptBytes bounds the bodies of all answers that are kept, largestKept that of one.
	keptBytes, largestKept = 8 << 20, 4 << 20
	// keptAnswers bounds their number.
	keptAnswers = 64
)

// find is the answer with that tag.
func (k *kept) find(tag string) (keptAnswer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(a keptAnswer) bool { return a.tag == tag })
	if i < 0 {
		return keptAnswer{}, false
	}
	a := k.list[i]
	k.list = append(slices.Delete(k.list, i, i+1), a)
	return a, true
}

// keep keeps an answer and lets the oldest ones go that there is no room for.
func (k *kept) keep(tag, kind string, body []byte) {
	if len(body) > largestKept {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.ContainsFunc(k.list, func(a keptAnswer) bool { return a.tag == tag }) {
		return
	}
	k.list = append(k.list, keptAnswer{tag: tag, kind: kind, body: bytes.Clone(body)})
	k.size += len(body)
	k.bound()
}

// pack keeps the packed body of an answer that is kept.
func (k *kept) pack(tag string, packed []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(a keptAnswer) bool { return a.tag == tag })
	if i < 0 || k.list[i].packed != nil {
		return
	}
	k.list[i].packed = packed
	k.size += len(packed)
	k.bound()
}

func (k *kept) bound() {
	for k.size > keptBytes || len(k.list) > keptAnswers {
		k.size -= len(k.list[0].body) + len(k.list[0].packed)
		k.list = slices.Delete(k.list, 0, 1)
	}
}
