// A library with debugging information that is written by hand (DWARF 4): a function within a function, whose variables
// lie where the other one's do, and what no compiler writes, types that lead back to themselves and siblings that stand
// among a DIE's own children. It is read, and never run.
#define TYPE(label) " .4byte .L" #label " - .Lunit\n"

void only_function(void);

__asm__(
    ".text\n"
    ".globl only_function\n"
    "only_function: .8byte 0\n"
    ".Lend: .8byte 0\n"
    ".Lend_of_within:\n"

    ".section .debug_abbrev,\"\",%progbits\n"
    ".Labbreviations:\n"
    // Each: number, tag, children; attribute and form; until 0, 0.
    ".uleb128 1, 0x11, 1,  0x13, 0x0b,  0x11, 0x01,  0x12, 0x01,  0, 0\n"               // compile_unit: language, low_pc, high_pc
    ".uleb128 2, 0x2e, 1,  0x03, 0x08,  0x11, 0x01,  0x12, 0x01,  0x40, 0x18,  0, 0\n"  // subprogram: name, low_pc, high_pc, frame_base
    ".uleb128 3, 0x05, 0,  0x34, 0x19,  0x49, 0x13,  0, 0\n"                            // formal_parameter: artificial, type
    ".uleb128 4, 0x34, 0,  0x34, 0x19,  0x49, 0x13,  0, 0\n"                            // variable: artificial, type
    ".uleb128 5, 0x01, 0,  0x49, 0x13,  0x50, 0x18,  0, 0\n"                            // array_type: type, data_location
    ".uleb128 6, 0x37, 0,  0x49, 0x13,  0, 0\n"                                         // restrict_type: type
    ".uleb128 7, 0x0f, 0,  0x49, 0x13,  0, 0\n"                                         // pointer_type: type
    ".uleb128 8, 0x01, 0,  0x49, 0x13,  0, 0\n"                                         // array_type: type
    ".uleb128 9, 0x13, 1,  0x03, 0x08,  0x0b, 0x0b,  0, 0\n"                            // structure_type: name, byte_size
    ".uleb128 10, 0x0d, 0,  0x03, 0x08,  0x49, 0x13,  0x38, 0x0b,  0, 0\n"              // member: name, type, data_member_location
    ".uleb128 11, 0x34, 0,  0x03, 0x08,  0x49, 0x13,  0x02, 0x18,  0, 0\n"              // variable: name, type, location
    ".uleb128 12, 0x0b, 1,  0x01, 0x13,  0, 0\n"                                        // lexical_block: sibling
    ".uleb128 13, 0x24, 0,  0x0b, 0x0b,  0x3e, 0x0b,  0, 0\n"                           // base_type: byte_size, encoding
    ".uleb128 0\n"

    ".section .debug_info,\"\",%progbits\n"
    ".Lunit:\n"
    ".4byte .Lend_of_unit - .Lversion\n"
    ".Lversion: .2byte 4\n"
    ".4byte .Labbreviations\n"
    ".byte 8\n"
    ".uleb128 1\n .byte 0x08\n .8byte only_function, .Lend\n"  // Fortran 90

    ".Ldescribed: .uleb128 5\n" TYPE(elements) ".byte 1, 0x97\n"
    ".Lrestricted: .uleb128 6\n" TYPE(pointer)
    ".Lpointer: .uleb128 7\n" TYPE(plain_array)
    ".Lplain_array: .uleb128 8\n" TYPE(elements)
    ".Lelements: .uleb128 6\n" TYPE(elements_again)
    ".Lelements_again: .uleb128 7\n" TYPE(elements)
    ".Lpointer_to_sound: .uleb128 7\n" TYPE(sound)
    ".Lsound: .uleb128 9\n .asciz \"sound\"\n .byte 8\n"
    ".uleb128 10\n .asciz \"next\"\n" TYPE(pointer_to_sound) ".byte 0\n"
    ".uleb128 0\n"
    ".Lnumber: .uleb128 13\n .byte 8, 7\n"
    ".Lknot: .uleb128 9\n .asciz \"knot\"\n .byte 24\n"
    ".uleb128 10\n .asciz \"a\"\n" TYPE(knot) ".byte 0\n"
    ".uleb128 10\n .asciz \"b\"\n" TYPE(knot) ".byte 0\n"
    ".uleb128 10\n .asciz \"c\"\n" TYPE(knot) ".byte 0\n"
    ".uleb128 10\n .asciz \"d\"\n" TYPE(knot) ".byte 0\n"
    ".uleb128 0\n"

    ".uleb128 2\n .asciz \"only_function\"\n .8byte only_function, .Lend\n .byte 1, 0x9c\n"
    // An argument with a descriptor and its address, whose elements lead back to themselves.
    ".uleb128 3\n" TYPE(described)
    ".uleb128 4\n" TYPE(restricted)
    // 24 bytes that hold themselves, at their beginning, four times over; in the frame, 64 bytes below the CFA.
    ".uleb128 11\n .asciz \"knot\"\n" TYPE(knot) ".byte 2, 0x91, 0x40\n"
    // A pointer right above it; in the frame of a function within this one a number lies there.
    ".uleb128 11\n .asciz \"sound\"\n" TYPE(pointer_to_sound) ".byte 2, 0x91, 0x58\n"
    ".uleb128 2\n .asciz \"within\"\n .8byte .Lend, .Lend_of_within\n .byte 1, 0x9c\n"
    ".uleb128 11\n .asciz \"address\"\n" TYPE(number) ".byte 2, 0x91, 0x58\n"
    ".uleb128 0\n"
    // Blocks in each other, of which each has its own first child for its sibling, too.
    ".rept 60\n"
    ".uleb128 12\n .4byte . + 4 - .Lunit\n"
    ".endr\n"
    ".uleb128 11\n .asciz \"inner\"\n" TYPE(sound) ".byte 2, 0x91, 0x60\n"
    ".fill 60, 1, 0\n"
    ".uleb128 0\n"  // of the function
    ".uleb128 0\n"  // of the unit
    ".Lend_of_unit:\n"
    ".text\n");
