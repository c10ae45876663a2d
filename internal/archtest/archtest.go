// Package archtest holds the tests that keep the plan of the house: who may
// import whom, which folders exist, that every package says what it is. It
// reads source files only, of all build tags, and is imported by nothing.
package archtest
