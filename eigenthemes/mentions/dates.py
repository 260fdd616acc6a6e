"""Words of dates: as names of entities they are nearly always read by mistake."""

from __future__ import annotations

import re

_DATES = """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    januar februar marz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
    janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
    lundi mardi mercredi jeudi vendredi samedi dimanche
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    lunes martes miercoles jueves viernes sabado domingo
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    lunedi martedi mercoledi giovedi venerdi""".split()
DATE_WORDS = frozenset(_DATES)  # months and weekdays, without accents, as `normalize` leaves them

# "I'll", "don't": with its apostrophe left out, such a word may be spelled like a name.
CONTRACTION = re.compile(r".+(?:n['`\u2019]t|['`\u2019](?:ll|d|re|ve|m))", re.IGNORECASE | re.DOTALL)
