-- Applied after the seed when a scenario starts from no zip code at all (the drifting original, and fresh keys alone).
TRUNCATE TABLE zipcode;
