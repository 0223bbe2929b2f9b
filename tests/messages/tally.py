"""Counts messages by kind, and shows each way in which one is wrong once."""

import sys
from collections import Counter, defaultdict


def judge_all(package, messages, wrong_with):
    """`wrong_with(sent)` lists what is wrong with a message. Ends the program with the counts."""
    seen, faults = Counter(), defaultdict(dict)
    for sent in messages:
        kind = (sent.revision, f"{sent.method or 'no method'} {sent.kind}")
        seen[kind] += 1
        for fault in wrong_with(sent):
            faults[kind].setdefault(fault, sent)
    for revision in sorted({revision for revision, _ in seen}):
        kinds = [kind for kind in seen if kind[0] == revision and kind not in faults]
        print(f"  ok      {package}: {sum(seen[kind] for kind in kinds)} messages of {len(kinds)} kinds at {revision}")
    for kind in sorted(faults):
        print(f"  FAILED  {package}: {' '.join(kind)}, {seen[kind]} seen")
        for fault, sent in faults[kind].items():
            print(f"          {fault}\n            in {sent.file}: {str(sent.message)[:500]}")
    if not seen:
        print(f"  FAILED  {package}: no message was recorded")
    failed = len(faults) + (not seen)
    print(f"{len(seen) - len(faults)} passed, {failed} failed")
    sys.exit(failed > 0)
