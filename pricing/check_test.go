package pricing

import "testing"

// The table in the program passes everything that is asked of an installed one,
// and the header of its archive says what it holds.
func TestEmbedded_IsValid(t *testing.T) {
	d, err := check(embeddedData())
	if err != nil {
		t.Fatal(err)
	}
	if got := embeddedHead(); got != d.head {
		t.Errorf("header says %v, the table %v", got, d.head)
	}
	priced, models := 0, 0
	for _, p := range d.providers {
		for _, m := range p.models {
			models++
			if len(m.intervals) > 0 {
				priced++
			}
		}
	}
	// The README of the table: 224 providers, about 8,700 models, about 8,100 priced.
	if len(d.providers) != 224 || models < 8700 || priced < 8100 {
		t.Errorf("%d providers, %d models, %d priced", len(d.providers), models, priced)
	}
}
