package org.plumbline.domain;

import java.util.Map;

/** How an ORM reads fruits with their prices and stores: by the contract's statement for each table, or by one with joins. */
public enum FruitSql {
    BATCH("batch"),
    JOIN("join");

    private final String word;

    FruitSql(String word) {
        this.word = word;
    }

    /** Reads the variable; an {@link IllegalArgumentException} says when it is wrong. */
    public static FruitSql from(Map<String, String> env) {
        String given = env.getOrDefault("SQL", BATCH.word);
        for (FruitSql one : values()) {
            if (one.word.equals(given)) {
                return one;
            }
        }
        throw new IllegalArgumentException("SQL must be batch or join, not " + given + ".");
    }

    /** As the setting {@code sql} has it. */
    public String word() {
        return word;
    }
}
