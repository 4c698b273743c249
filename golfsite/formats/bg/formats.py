"""Bulgarian: a date with its time, which Django leaves to the American format.

In figures, since Django's Bulgarian months are capitalised, as they are not within a sentence.
"""

DATE_FORMAT = "j.m.Y г."
TIME_FORMAT = "G:i"
DATETIME_FORMAT = "j.m.Y г., G:i ч."
SHORT_DATE_FORMAT = "d.m.Y г."
SHORT_DATETIME_FORMAT = "d.m.Y г., G:i ч."
NUMBER_GROUPING = 3
FIRST_DAY_OF_WEEK = 1  # Monday
