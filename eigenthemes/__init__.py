"""Link names in text and tables to your own knowledge graph.

from eigenthemes import Linker, build_kb

build_kb(["mykg.nt.gz"], "my.kb")
for link in Linker("my.kb").link("Michael Jordan wrote in Science.").links:
    print(link.mention.text, link.entity, link.label)
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
