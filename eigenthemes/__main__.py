"""python -m eigenthemes"""

from eigenthemes.cli import main

if __name__ == "__main__":
    main()
