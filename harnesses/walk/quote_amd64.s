#include "textflag.h"

// func quote64(p *byte, n int) int
//
// 64 bytes at a time become three numbers with a bit for each byte: backslashes
// (R9), quotes (R11), and whether the first byte is escaped by the 64 before it
// (R8). Of a run of backslashes every second one escapes what follows it: the
// subtraction flips the odd places from the run's first byte on to the one behind
// the run, so that what differs from the odd places is every second one.
TEXT ·quote64(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ R8, R8
	MOVQ $0x2222222222222222, AX
	MOVQ AX, X0
	VPBROADCASTQ X0, Y0       // quotes
	MOVQ $0x5c5c5c5c5c5c5c5c, AX
	MOVQ AX, X1
	VPBROADCASTQ X1, Y1       // backslashes
	MOVQ $0xaaaaaaaaaaaaaaaa, R13
	XORQ DI, DI

loop:
	VMOVDQU (SI)(DI*1), Y2
	VMOVDQU 32(SI)(DI*1), Y3
	VPCMPEQB Y1, Y2, Y4
	VPCMPEQB Y1, Y3, Y5
	VPMOVMSKB Y4, R9
	VPMOVMSKB Y5, R10
	SHLQ $32, R10
	ORQ  R10, R9              // backslashes
	VPCMPEQB Y0, Y2, Y4
	VPCMPEQB Y0, Y3, Y5
	VPMOVMSKB Y4, R11
	VPMOVMSKB Y5, R12
	SHLQ $32, R12
	ORQ  R12, R11             // quotes
	MOVQ R9, R10
	ORQ  R8, R10
	JZ   plain

	MOVQ R8, R10
	NOTQ R10
	ANDQ R9, R10              // backslashes that may escape
	LEAQ (R10)(R10*1), R12
	ORQ  R13, R12
	SUBQ R10, R12
	XORQ R13, R12             // backslashes that escape, and what they escape
	MOVQ R9, R10
	ORQ  R8, R10
	XORQ R12, R10             // escaped
	ANDQ R9, R12
	SHRQ $63, R12
	MOVQ R12, R8
	NOTQ R10
	ANDQ R10, R11

plain:
	TESTQ R11, R11
	JNZ  found
	ADDQ $64, DI
	CMPQ DI, CX
	JLT  loop
	VZEROUPPER
	MOVQ $-1, ret+16(FP)
	RET

found:
	BSFQ R11, R11
	ADDQ DI, R11
	VZEROUPPER
	MOVQ R11, ret+16(FP)
	RET
