"""What everything stands on: names and numbers as text, dates, files, progress."""
