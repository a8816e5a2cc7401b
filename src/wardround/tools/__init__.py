"""Static tools: their interface, their processes, and the programs behind them."""
