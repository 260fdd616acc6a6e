"""Training of the ranker: a conditional logit fitted on synthetic documents from the KG.

recipe                             what synthetic documents and tables are like: the same for all KGs
naming, written_forms              how an entity may be called
sampling, synthetic_tables         synthetic documents and tables, their gold known; false_matches: with names that nobody meant
synthetic                          all of them, made by several processes
fit                                the models fitted, the threshold, and how far probabilities can be trusted
training, cell_training            the story: synthetic documents -> features -> fit -> calibrate -> report
gold, adapt                        a little gold on top; a corpus without labels
"""
