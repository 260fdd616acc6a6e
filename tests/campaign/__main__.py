"""python -m tests.campaign"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # `campaign` and `helpers`, as pytest finds them

if __name__ == "__main__":
    from campaign.runner import main

    sys.exit(main())
