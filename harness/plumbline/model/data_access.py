"""Classes of data access: subjects are compared within the class of the way in which they reach their data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

DataAccess = Literal["orm", "sql", "none"]
"""`orm`: entities go through an ORM; `sql`: statements are written by hand; `none`: without a database."""

AccessClass = Literal["orm", "sql", "none", "unknown"]
"""A class of standings. Subjects of the class `unknown` are compared with nobody."""

TITLES: Mapping[AccessClass, str] = {
    "orm": "Entities through an ORM",
    "sql": "Hand-written SQL",
    "none": "Without a database",
    "unknown": "Data access unknown",
}

WITH_AND_WITHOUT_ORM: tuple[tuple[str, str], ...] = (
    ("micronaut-data-jpa", "micronaut-data-jdbc"),
    ("quarkus-rest-orm", "quarkus-rest-jdbc"),
    ("quarkus-rest-reactive", "quarkus-rest-pgclient"),
    ("spring4-mvc-jpa", "spring4-mvc-jdbc"),
)
"""Pairs of variants that differ in nothing but how they reach the database: with an ORM, and by hand-written SQL."""

# Plans name the class of each subject since November 2026. These are the variants of the plans made before.
_IN_OLDER_PLANS: Mapping[str, DataAccess] = {
    "control": "sql",
    "micronaut-hello": "none",
    "micronaut-jdbc": "sql",
    "micronaut-reactive": "sql",
    "quarkus-classic-orm": "orm",
    "quarkus-classic-orm-mutiny": "orm",
    "quarkus-classic-reactive": "orm",
    "quarkus-hello-rest": "none",
    "quarkus-hello-routes": "none",
    "quarkus-rest-orm": "orm",
    "quarkus-rest-orm-mutiny": "orm",
    "quarkus-rest-orm-virtual": "orm",
    "quarkus-rest-reactive": "orm",
    "quarkus-rest-reactive-blocking": "orm",
    "quarkus-rest-reactive-deadlock": "orm",
    "quarkus-spring-compat": "orm",
    "spring3-mvc-jpa": "orm",
    "spring4-mvc-jdbc": "sql",
    "spring4-mvc-jpa": "orm",
    "spring4-webflux-r2dbc": "sql",
    "spring4-webflux-vertx": "sql",
    "standalone-jdbc": "sql",
    "standalone-r2dbc": "sql",
    "standalone-vertx": "sql",
    "vertx-pg": "sql",
}


def class_in_older_plan(variant: str) -> AccessClass:
    """Return the class of a variant, for older plans, which do not name the classes of their subjects."""
    return _IN_OLDER_PLANS.get(variant, "unknown")
