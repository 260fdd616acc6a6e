"""Training of the ranker: a conditional logit fitted on synthetic documents from the KG.

recipe     what synthetic documents are like: the same for all KGs
naming     how an entity may be called
sample     synthetic documents, their gold known
fit        the two models fitted
calibrate  how far their probabilities can be trusted, and the threshold
train      the story: synthetic documents -> features -> fit -> calibrate -> report
gold       a little gold on top
"""
