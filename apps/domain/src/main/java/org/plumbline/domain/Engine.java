package org.plumbline.domain;

import java.util.Map;

/** The database a process works with, and the statement by which each tells of itself. */
public enum Engine {
    PG(Sql.ENVIRONMENT),
    MYSQL(MySql.ENVIRONMENT);

    private final String environment;

    Engine(String environment) {
        this.environment = environment;
    }

    /** Reads {@code DB_ENGINE}; an {@link IllegalArgumentException} says what it may be. */
    static Engine of(Map<String, String> env) {
        return switch (env.getOrDefault("DB_ENGINE", "pg")) {
            case "pg" -> PG;
            case "mysql" -> MYSQL;
            case String other -> throw new IllegalArgumentException("DB_ENGINE must be pg or mysql, not " + other + ".");
        };
    }

    /** Answers the columns of {@link Environment.Database}, by these names. */
    public String environment() {
        return environment;
    }
}
