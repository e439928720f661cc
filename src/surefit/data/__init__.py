"""Where numbers live: designs, row blocks, centring, simulators that know the truth."""
