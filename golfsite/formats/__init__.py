"""Dates, times and numbers where Django's own formats of a language say nothing or too little."""
