#!/usr/bin/env python3
"""Writes seeds for the fuzzer of the C API into a folder: random bytes of the lengths at which inputs become deep types
with many questions, and types of all constructors in the short notation (decoder/notation/bnf.md)."""
import os
import random
import sys

TYPES = """
U1(D:d) U1(5i) U1(C:4611686018427387904b) U1(V:d:3:2:5) U1(C:V:d:3:2:5) U1(HV:i:4:1:-12) U1(X:i:3:1/0,2/4,1/9)
U1(HX:d:2:1/0,1/12) U1(XB:i:3:2:0,4,9) U1(HXB:i:3:2:0,16,36) U1(S:3:d/3/0,i/1/24,c/1/28) U1(S:2:LB/1/-4,i/1/0)
U1(A:d:2:C:8/4/2,10/5/0) U1(A:i:3:F:4/2/1,4/2/1,4/2/1) U1(DA:i:4:1:2:C:8/B/*/2,6/C/2/2) U1(DA:d:2:1:1:F:9/N/*/2)
U1(Z:i:-4:16) U1(FR:15:307) U1(FC:6:*) U1(FI:9) U1(VI:d:i) U1(V:U2(Z:U3(V:d:8:1:10):0:8):4:2:2)
U1(S:2:U2(2U3(HX:i:2:1/0,1/8))/2/0,U3/1/64) U1(C:V:U2(C:V:U3(C:V:b:1000000:1:2):1000000:1:3):1000000:1:5)
""".split()

# The first bytes of a step, as fuzz_c_api.cpp and make_type_otherwise.cpp take them: another way to a type, from bytes.
PARSE_BYTES = bytes([7, 0])


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    numbers = random.Random(1995)

    def write(name, data):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)

    for i in range(200):
        write(f"bytes-{i}", numbers.randbytes(numbers.randint(40, 700)))
    for i, text in enumerate(TYPES):
        write(f"type-{i}", PARSE_BYTES + bytes([len(text)]) + text.encode() + numbers.randbytes(120))


if __name__ == "__main__":
    main()
