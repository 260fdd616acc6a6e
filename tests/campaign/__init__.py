"""Stress-test the program: broken files, odd options, damaged KBs, killed and concurrent processes.

    make campaign MINUTES=10                  or: python -m tests.campaign --minutes 10 --seed 0
    python -m tests.campaign --repeat source-csv:1234

A kind of trial is a function of a seed, a scratch folder and the `World` that all trials share; `kinds.py` lists them. Each
trial runs in a forked process, so that a crash, a hang or a gigabyte costs that trial only. What may come of it:

    fine      it worked, and what must hold afterwards does
    refused   one sentence that ends in a remedy, exit code 1, or 2 for usage
    fault     everything else: a traceback, a signal, a hang, lines lost that nobody counted, answers that changed in silence

A seed repeats the bytes of a trial exactly. It does not repeat moments: when Ctrl-C arrives, and who of several processes
comes first, is the machine's to say.
"""
