"""What is published of one session alone: its certificate, its timelines, what it is compared by."""
