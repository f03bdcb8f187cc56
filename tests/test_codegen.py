#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the measured loops compile to: no call through a pointer; xor is plain moves; entries
of 16 bytes are moved by one instruction; a line that is searched at once is in few registers.

argv: the program, and the tables it was built with.
"""
import platform
import re
import shutil
import subprocess
import sys


def disassemble(program):
    """Function name -> its instructions, as (address, "mnemonic operands")."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], check=True,
                          capture_output=True, text=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <([^>]+)>:$", line)
        if head:
            current = functions.setdefault(head.group(1), [])
        elif current is not None and line.startswith(" "):
            address, ins = line.split("\t", 1)
            current.append((address.strip(" :"), ins.strip()))
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


# How a loop tells stores from probes.
STORE = re.compile(r"testb +\$0x1,0x10\(")
LOCKED = re.compile(r"(lock|xchg|mfence|lfence|sfence|cmpxchg)\b")
LINE_LOAD = r"vmovdqa(64)? +(0x\w+)?\(%r(?!sp|bp).*\),%{}mm"


def successors(code, at, by_address):
    """Where control goes from instruction number `at`, within the function."""
    ins = code[at][1]
    jump = re.match(r"(?:notrack )?j(\w+) +([0-9a-f]+) ", ins)
    if re.match(r"(ret|ud2|hlt)", ins) or "<counts_add" in ins:
        return []
    to = [by_address[jump[2]]] if jump and jump[2] in by_address else []
    return to if jump and jump[1] == "mp" else to + [at + 1]


def probe_path(code):
    """The instructions from where an operation turns out to be a probe to where the next is
    looked at. Empty if no operation is looked at."""
    by_address = {address: i for i, (address, _) in enumerate(code)}
    seen, todo = set(), []
    for i, (_, ins) in enumerate(code):
        jump = STORE.match(ins) and re.match(r"j(n?e) +([0-9a-f]+) ", code[i + 1][1])
        if jump:
            todo.append(by_address[jump[2]] if jump[1] == "e" else i + 2)
    while todo:
        at = todo.pop()
        if at in seen or at >= len(code) or STORE.match(code[at][1]):
            continue
        seen.add(at)
        todo += successors(code, at, by_address)
    return [code[i][1] for i in sorted(seen)]


def kv_loops(functions, table):
    return {name: code for name, code in functions.items()
            if re.match(rf"{table}_kv_(batch|branch|chain)_replay$", name)}


def count(path, pattern):
    return sum(1 for ins in path if re.match(pattern, ins))


def check_probes(functions, table, **expected):
    """No lock, no fence, no call; and so many loads of a line, by the register they go to. A
    loop has two bodies, the usual case and all others, and compilers may double more."""
    loops = kv_loops(functions, table)
    if len(loops) != 3:
        yield f"{table}: {len(loops)} kv loops, expected 3 callers"
    for name, code in loops.items():
        path = probe_path(code)
        if not path:
            yield f"{name}: no probe found"
        for ins in path:
            if LOCKED.match(ins) and not re.match(r"xchg +%ax,%ax", ins) or \
                    ins.startswith("call") and "<counts_add" not in ins:
                yield f"{name}: {ins}"
        for register in "xyz":
            want, got = expected.get(register, 0), count(path, LINE_LOAD.format(register))
            if got % want or not got if want else got:
                yield f"{name}: {got} loads of a line to {register}mm, expected {want} a body"


def check_entries(functions):
    """16-byte entries: one vmovdqa for each that is a candidate, and for each that is stored."""
    for table in "atomic16", "atomic16_avx2", "atomic16_avx512", "cas16":
        yield from check_probes(functions, table, x=4)
    for table in "atomic16", "atomic16_avx2", "atomic16_avx512":
        for name, code in kv_loops(functions, table).items():
            code = [ins for _, ins in code]
            if not count(code, r"vmovdqa +%xmm\d+,(0x\w+)?\(%r(?!sp|bp)"):
                yield f"{name}: no store of 16 bytes"
            if count(code, r"lock "):
                yield f"{name}: locked"
    for name, code in kv_loops(functions, "cas16").items():
        if not count([ins for _, ins in code], r"lock cmpxchg16b"):
            yield f"{name}: no compare-and-swap of 16 bytes"


def check_wide(functions):
    for table in "xor_simd", "unsync":
        yield from check_probes(functions, f"{table}_avx512", z=1)
        yield from check_probes(functions, f"{table}_avx2", y=2)


def check_control(functions):
    """What must be seen to fail: loads that are not as many, a lock in a probe."""
    if not list(check_probes(functions, "atomic16", x=3)):
        yield "control: four loads are not three, and nothing was said"
    locks = [name[:-len("_kv_batch_replay")] for name in functions
             if re.match(r"spinlock\w*_kv_batch_replay$", name)]
    if locks and not any("xchg" in fault for fault in check_probes(functions, locks[0])):
        yield f"control: {locks[0]} locks in its probe, and nothing was said"


def main():
    program, names = sys.argv[1], sys.argv[2:]
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        print("skipped: needs objdump on x86-64")
        return 77
    addressed = disassemble(program)
    functions = {name: [ins for _, ins in code] for name, code in addressed.items()}
    faults = list(check_loops(functions, names)) + list(check_xor(functions))
    faults += list(check_entries(addressed)) + list(check_wide(addressed))
    faults += list(check_control(addressed))
    # The check itself must be able to fail: a function known to call through a pointer.
    control = [i for i in functions.get("command_run", []) if indirect(i)]
    if not control:
        faults.append("control: command_run() calls a command through a pointer, and none was seen")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
