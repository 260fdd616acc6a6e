"""The squared cosines of candidates of different names."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel


def _square_by_numpy(products: Any, name: Any) -> None:
    np.square(products, out=products)
    products[name[:, :, None] == name[:, None]] = 0


@kernel(plain=_square_by_numpy)
def square_of_other_names(products: Any, name: Any) -> None:
    """Square numbers [d, s, s] of pairs in place; those of two candidates of one name become 0; name [d, s]."""
    for document in range(products.shape[0]):
        for one in range(products.shape[1]):
            for other in range(products.shape[2]):
                product = products[document, one, other]
                squared = product * product
                products[document, one, other] = squared if name[document, one] != name[document, other] else np.float32(0)
