"""The rules of the supply-chain specialist, in a folder for each topic."""
