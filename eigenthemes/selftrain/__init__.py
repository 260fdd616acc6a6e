"""The self-trained ranker: a conditional logit fitted on documents made up from the KG itself.

recipe     what made-up documents are like: the same for all KGs
naming     how an entity may be called
sample     made-up documents, their gold known
features   what is known of each candidate, as columns
logit      the model: fit, and probabilities
calibrate  how far these can be trusted, and from where on to answer
ranker     the weights, and how they are applied to a batch
train      the story: make documents -> features -> fit -> calibrate -> report
"""
