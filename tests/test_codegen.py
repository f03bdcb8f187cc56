#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the measured loops compile to: no call through a pointer; xor is plain moves.

argv: the program, and the tables it was built with.
"""
import platform
import re
import shutil
import subprocess
import sys


def disassemble(program):
    """Function name -> its instructions, as "mnemonic operands"."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True,
                          capture_output=True, text=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <([^>]+)>:$", line)
        if head:
            current = functions.setdefault(head.group(1), [])
        elif current is not None and line.startswith(" "):
            current.append(line.split("\t", 1)[1].strip())
    return functions


def indirect(instruction):
    """A call or tail call through a register or memory (not to a fixed PLT entry)."""
    return re.match(r"(notrack )?(call|jmp)q? +\*", instruction)


def jump_table(code, at):
    """`notrack jmp *reg`, or a jump to what a scaled load just brought: a switch."""
    if code[at].startswith("notrack jmp"):
        return True
    return any("," in ins and re.search(r"\(%r\w+,%r\w+,[48]\)", ins)
               for ins in code[max(0, at - 4):at + 1])


def check_loops(functions, names):
    found = 0
    for name, code in functions.items():
        if not re.search(r"_replay(\.\w+)*$", name):
            continue
        found += 1
        for i, ins in enumerate(code):
            if indirect(ins) and not (ins.split()[0].endswith("jmp") and jump_table(code, i)):
                yield f"{name}: indirect: {ins}"
    for table in names:
        # A table's functions begin with its name, give or take an underscore.
        prefix = re.sub("[_-]", "", table)
        if not any(n.replace("_", "").startswith(prefix) and "_replay" in n
                   for n in functions):
            yield f"no measured loop found for {table}"
    if not found:
        yield "no function named *_replay in the program"


def check_xor(functions):
    """On x86-64: plain moves; no locked instruction, exchange, fence or call in the loop."""
    loops = 0
    for name, code in functions.items():
        if not re.match(r"xor_(tt|pawn|eval|kv)_(batch|branch|chain)_replay$", name):
            continue
        loops += 1
        for ins in code:
            # refresh=cas is an option of the same loop: its compare-and-swap is the one
            # locked instruction that may stand there.
            if re.match(r"lock cmpxchg", ins) and "_tt_" in name:
                continue
            if re.match(r"(lock|xchg|mfence|lfence|sfence|cmpxchg)\b", ins) and \
                    not re.match(r"xchg +%ax,%ax", ins):
                yield f"{name}: {ins}"
            if re.match(r"call", ins) and "<counts_add" not in ins:
                yield f"{name}: {ins}"
        # A store writes the data word and the signature: two moves to the line.
        stores = [i for i in code if re.match(r"movq? +%r\w+,(0x\w+)?\(%r(?!sp)\w+", i)]
        if len(stores) < 2:
            yield f"{name}: {len(stores)} plain moves to memory, expected at least 2"
    if loops != 12:
        yield f"{loops} loops of xor found, expected 4 kinds x 3 callers"


def main():
    program, names = sys.argv[1], sys.argv[2:]
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        print("skipped: needs objdump on x86-64")
        return 77
    functions = disassemble(program)
    faults = list(check_loops(functions, names)) + list(check_xor(functions))
    # The check itself must be able to fail: a function known to call through a pointer.
    control = [i for i in functions.get("main", []) if indirect(i)]
    if not control:
        faults.append("control: main() calls commands through a pointer, and none was seen")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
